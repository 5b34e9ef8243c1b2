import type { FieldPreviewProps } from '../field-props.ts'
import { useDateText } from './use-date-text.ts'

export function DatePreview({ field, value }: FieldPreviewProps<'DATE'>) {
  return useDateText()(value, field.inputType)
}
