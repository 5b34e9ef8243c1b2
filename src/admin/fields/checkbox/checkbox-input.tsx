import { Checkbox, Group } from '@mantine/core'
import { RequiredBadge } from '#admin/ui/required-badge.tsx'
import type { FieldInputProps } from '../field-props.ts'

/** A checkbox with the field's name next to it. */
export function CheckboxFieldInput(props: FieldInputProps<'CHECKBOX'>) {
  const { field, value, onChange, readOnly } = props
  return (
    <Checkbox
      id={props.id}
      aria-describedby={props.describedBy}
      aria-invalid={props.issues.length > 0 || undefined}
      aria-required={field.required || undefined}
      label={
        <Group component="span" gap={8}>
          {field.name}
          {field.required && <RequiredBadge />}
        </Group>
      }
      checked={value === true}
      error={props.issues.length > 0}
      disabled={readOnly}
      onBlur={props.onBlur}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
