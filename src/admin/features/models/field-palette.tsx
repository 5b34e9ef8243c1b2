import { Anchor, Group, Modal, Text, Title, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { paletteTypes } from '#admin/fields/index.ts'
import { useLayer } from '#admin/lib/layers.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import { typeOf } from '#shared/fields/index.ts'
import type { Chosen } from './field-changes.ts'
import classes from './field-palette.module.css'
import { FieldTypeIcon } from './field-types.tsx'

interface FieldPaletteProps {
  opened: boolean
  onClose: () => void
  onChoose: (chosen: Chosen) => void
  customTypes: readonly CustomType[]
  place: { p: string; a: string }
}

/** The field type whose settings refer to a custom type. */
const customType = paletteTypes.find((type) => typeOf({ type }).customType)

/** The field types to choose from, each with a short description. */
export function FieldPalette({ opened, onClose, onChoose, customTypes, place }: FieldPaletteProps) {
  const t = useTranslations('models')
  const common = useTranslations('common')
  useLayer(opened, onClose)
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('fields.addTitle')}
      size="lg"
      centered
      overlayProps={{ color: '#000', backgroundOpacity: 0.3 }}
      transitionProps={{ transition: 'fade', duration: 100 }}
      closeButtonProps={{ 'aria-label': common('close') }}
      styles={{ title: { fontWeight: 650 } }}
      attributes={{ header: { role: 'none' } }}
      returnFocus={false}
    >
      <ul className={classes.grid}>
        {paletteTypes.map((type, index) => (
          <li key={type}>
            <UnstyledButton
              className={classes.type}
              onClick={() => onChoose({ type })}
              {...(index === 0 ? { 'data-autofocus': true } : {})}
            >
              <FieldTypeIcon type={type} />
              <span>
                <span className={classes.name}>{t(`types.${type}.name`)}</span>
                <Text component="span" display="block" size="xs" c="dimmed">
                  {t(`types.${type}.about`)}
                </Text>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {customType && (
        <section aria-labelledby="palette-custom-types">
          <Group justify="space-between" mt="lg" mb="xs">
            <Title order={3} id="palette-custom-types">
              {t('fields.customTypes')}
            </Title>
            <Anchor
              size="sm"
              renderRoot={(root) => (
                <Link
                  {...root}
                  to="/$p/$a/-/custom-types/$id"
                  params={{ ...place, id: 'new' }}
                  target="_blank"
                />
              )}
            >
              {t('fields.newCustomType')}
            </Anchor>
          </Group>
          <ul className={classes.grid}>
            {customTypes.map(({ _id, uid, name, description }) => (
              <li key={_id}>
                <UnstyledButton
                  className={classes.type}
                  onClick={() => onChoose({ type: customType, customType: { uid, name } })}
                >
                  <FieldTypeIcon type={customType} />
                  <span>
                    <span className={classes.name}>{name}</span>
                    <Text component="span" display="block" size="xs" c="dimmed" lineClamp={2}>
                      {description || uid}
                    </Text>
                  </span>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Modal>
  )
}
