import { Anchor, Group, Select } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'

/** Settings: the custom type of the values. */
export function CustomSettingsForm(props: FieldSettingsProps<'CUSTOM'>) {
  const { field, onChange, onBlur, problem, readOnly, customTypes, place } = props
  const t = useTranslations('fields.nested.setting')
  const chosen = customTypes.find(({ uid }) => uid === field.customType)
  return (
    <>
      <Select
        label={t('customType')}
        placeholder={t('chooseType')}
        nothingFoundMessage={t('noTypes')}
        data={customTypes.map(({ uid, name }) => ({ value: uid, label: name }))}
        value={field.customType || null}
        error={problem('customType')}
        readOnly={readOnly}
        searchable={customTypes.length > 7}
        allowDeselect={false}
        withAsterisk
        onChange={(uid) => onChange({ customType: uid ?? '' })}
        onBlur={() => onBlur('customType')}
      />
      <Group gap="md">
        {chosen && (
          <Anchor
            size="sm"
            renderRoot={(root) => (
              <Link
                {...root}
                to="/$p/$a/-/custom-types/$id"
                params={{ ...place, id: chosen._id }}
                target="_blank"
              />
            )}
          >
            {t('openType', { name: chosen.name })}
          </Anchor>
        )}
        {!readOnly && (
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
            {t('newType')}
          </Anchor>
        )}
      </Group>
    </>
  )
}
