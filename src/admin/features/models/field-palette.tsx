import { Modal, Text, UnstyledButton } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { paletteTypes } from '#admin/fields/index.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import classes from './field-palette.module.css'
import { FieldTypeIcon } from './field-types.tsx'

interface FieldPaletteProps {
  opened: boolean
  onClose: () => void
  onChoose: (type: FieldTypeName) => void
}

/** The types of field to choose from, each with a word on what it is for. */
export function FieldPalette({ opened, onClose, onChoose }: FieldPaletteProps) {
  const t = useTranslations('models')
  const common = useTranslations('common')
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
              onClick={() => onChoose(type)}
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
    </Modal>
  )
}
