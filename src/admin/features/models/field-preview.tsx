import { Group, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { adminFieldType } from '#admin/fields/index.ts'
import { RequiredBadge } from '#admin/ui/required-badge.tsx'
import { type FieldDraft, wholeField } from './draft.ts'

interface FieldPreviewProps {
  field: FieldDraft
  place: { p: string; a: string }
}

/** The input as in the document editor. Entered values are discarded. */
export function FieldInputPreview({ field, place }: FieldPreviewProps) {
  const id = useId()
  const [value, setValue] = useState<unknown>(
    () => adminFieldType(field).initial?.(wholeField(field)) ?? undefined,
  )
  const whole = wholeField(field)
  const type = adminFieldType(whole)
  const Input = type.input
  const labelId = `${id}-label`
  const label = (
    <Text span fw={600} size="sm">
      {field.name}
    </Text>
  )
  return (
    <div>
      {!type.labelInside && (
        <Group gap={8} mb={4}>
          {type.group?.(whole) ? (
            <div id={labelId}>{label}</div>
          ) : (
            <label id={labelId} htmlFor={id}>
              {label}
            </label>
          )}
          {whole.required && <RequiredBadge />}
        </Group>
      )}
      <Input
        field={whole}
        value={value}
        onChange={setValue}
        onBlur={() => undefined}
        readOnly={false}
        issues={[]}
        id={id}
        labelId={labelId}
        describedBy={undefined}
        place={place}
        lookOf={adminFieldType}
      />
      {field.description && (
        <Text size="xs" c="dimmed" mt={4}>
          {field.description}
        </Text>
      )}
    </div>
  )
}
