import { type FieldInputProps, inputAria } from '../field-props.ts'
import { ColorBox } from './color-box.tsx'

/** The input of a colour field. */
export function ColorField(props: FieldInputProps<'COLOR'>) {
  const { field, value, onChange } = props
  return (
    <ColorBox
      {...inputAria(props)}
      value={typeof value === 'string' ? value : ''}
      onChange={(color) => onChange(color || undefined)}
      onBlur={props.onBlur}
      alpha={field.alpha}
      swatches={field.palette}
      readOnly={props.readOnly}
      error={props.issues.length > 0}
    />
  )
}
