import { Group, Select, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { paletteTypes } from '#admin/fields/index.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { FieldTypeIcon } from './field-types.tsx'

interface FieldTypeSelectProps {
  value: FieldTypeName
  readOnly: boolean
  onChange: (type: FieldTypeName) => void
}

/** Changes the type of an existing field. */
export function FieldTypeSelect({ value, readOnly, onChange }: FieldTypeSelectProps) {
  const t = useTranslations('models')
  // The current type is always offered, even if it cannot be chosen for new fields.
  const offered = paletteTypes.includes(value) ? paletteTypes : [...paletteTypes, value]
  return (
    <Select
      label={t('drawer.type')}
      data={offered.map((type) => ({ value: type, label: t(`types.${type}.name`) }))}
      value={value}
      readOnly={readOnly}
      allowDeselect={false}
      withScrollArea={false}
      styles={{ dropdown: { maxHeight: 'min(480px, 70vh)', overflowY: 'auto' } }}
      onChange={(type) => type && onChange(type as FieldTypeName)}
      renderOption={({ option }) => (
        <Group gap="sm" wrap="nowrap">
          <FieldTypeIcon type={option.value as FieldTypeName} />
          <div>
            {option.label}
            <Text size="xs" c="dimmed">
              {t(`types.${option.value as FieldTypeName}.about`)}
            </Text>
          </div>
        </Group>
      )}
    />
  )
}
