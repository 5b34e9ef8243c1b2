import type { FieldFilterProps, FieldInputProps, FieldPreviewProps } from '../field-props.ts'

/** The props of an asset input. */
export type AssetInputProps = Omit<FieldInputProps, 'field'> & {
  field: { multiple: boolean; maxItems?: number | null | undefined; accept: string }
}

export type AssetFilterProps = Omit<FieldFilterProps, 'field'> & { field: { accept: string } }

export type AssetPreviewProps = Pick<FieldPreviewProps, 'value' | 'place'>

/** Returns the `_id`s in a value, without empty texts. */
export const idsIn = (value: unknown): string[] =>
  [value ?? []].flat().filter((id): id is string => typeof id === 'string' && id !== '')
