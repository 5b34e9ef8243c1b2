import { Checkbox } from '@mantine/core'
import type { FieldInputProps } from '../field-props.ts'

/** A box with the field's name beside it. */
export function CheckboxFieldInput(props: FieldInputProps<'CHECKBOX'>) {
  const { field, value, onChange, readOnly } = props
  return (
    <Checkbox
      id={props.id}
      aria-describedby={props.describedBy}
      aria-invalid={props.issues.length > 0 || undefined}
      aria-required={field.required || undefined}
      label={
        <span>
          {field.name}
          {field.required && (
            <span aria-hidden="true" style={{ color: 'var(--mantine-color-error)' }}>
              {' *'}
            </span>
          )}
        </span>
      }
      checked={value === true}
      error={props.issues.length > 0}
      disabled={readOnly}
      onBlur={props.onBlur}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
