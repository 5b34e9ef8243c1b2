import type { FieldPreviewProps } from '../field-props.ts'
import classes from './color.module.css'

/** A swatch of the colour, with its code. */
export function ColorPreview({ value }: FieldPreviewProps<'COLOR'>) {
  if (typeof value !== 'string') return null
  return (
    <span className={classes.color}>
      <span className={classes.swatch} style={{ color: value }} aria-hidden="true" />
      {value}
    </span>
  )
}
