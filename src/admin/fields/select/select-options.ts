import type { SettingsOf } from '../field-props.ts'

export interface SelectOption {
  /** The key for widgets: an index, because `1` and `"1"` are different values. */
  key: string
  value: string | number
  label: string
  /** Selected in this document but no longer an option of the model. */
  gone: boolean
}

/** The options of a field, plus selected values that the model no longer offers. */
export function selectOptions(
  field: Pick<SettingsOf<'SELECT'>, 'options'>,
  chosen: readonly unknown[],
): SelectOption[] {
  const offered = field.options.map((option, index) => ({
    key: String(index),
    value: option.value,
    label: option.label || String(option.value),
    gone: false,
  }))
  const lost = chosen
    .filter((value): value is string | number => typeof value === 'string' || typeof value === 'number')
    .filter((value) => value !== '' && !offered.some((option) => option.value === value))
    .map((value) => ({ key: `gone-${value}`, value, label: String(value), gone: true }))
  return [...offered, ...lost]
}

/** A document's value as a list of chosen values. */
export function chosenValues(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value == null || value === '' ? [] : [value]
}
