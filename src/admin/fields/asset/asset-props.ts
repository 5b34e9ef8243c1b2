import type { FieldFilterProps, FieldInputProps, FieldPreviewProps } from '../field-props.ts'

/** The props of an asset input, for every field type whose values are assets. */
export type AssetInputProps = Omit<FieldInputProps, 'field'> & {
  field: { multiple: boolean; maxItems?: number | null | undefined; accept: string }
}

export type AssetFilterProps = Omit<FieldFilterProps, 'field'> & { field: { accept: string } }

export type AssetPreviewProps = Pick<FieldPreviewProps, 'value' | 'place'>

/** Returns the `_id`s in a value. */
export const idsIn = (value: unknown): string[] =>
  [value ?? []].flat().filter((id): id is string => typeof id === 'string' && id !== '')
