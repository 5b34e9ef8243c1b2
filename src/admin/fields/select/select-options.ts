import type { SettingsOf } from '../field-props.ts'

export interface SelectOption {
  /**
   * The option's key in the inputs: its index in the field, because `1` and `"1"` are different values. A value that is
   * not an option has the key `gone-` followed by the value.
   */
  key: string
  value: string | number
  label: string
  /** Whether the value is selected in this document but is no longer an option of the field. */
  gone: boolean
}

/** Returns the options of a field, and selected values that are no longer options. */
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

/** Returns a document's value as a list of selected values. */
export function chosenValues(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value == null || value === '' ? [] : [value]
}
