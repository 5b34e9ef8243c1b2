import type { Field, FieldTypeName } from '#shared/fields/index.ts'

/**
 * What only the server knows of a type of field. Every part may be left out: most values are kept and answered as
 * they are, and compared by their shared descriptor's `comparison`.
 */
export interface ServerFieldType<T extends FieldTypeName = FieldTypeName> {
  /** Makes a text that was read fit to be kept; it is read again afterwards. Throws WorkTooLarge. */
  accept?(text: string): Promise<string>
  /** What a stored text goes through on its way to sites, which get `html` unless they ask for `text` (`fmt`). */
  readonly present?: {
    html?(stored: string): string | Promise<string>
    text?(stored: string): string
  }
  /** Sites may choose between HTML and text (`fmt`). */
  readonly hasFormats?: boolean
  /** Values can be equal, but none comes before another. */
  readonly isUnordered?: boolean
  /** What a filter compares with, in the form in which values are kept; null for a text that is no value at all. */
  readOperand?(text: string): string | null
  /**
   * What nearly every site asks for it for: to find the one content of that name, all of the same value, or the
   * latest. Large models have such indexes beforehand.
   */
  readonly usedFor?: 'lookup' | 'grouping' | 'order'
  /** Is the one value of this field short enough for an index, and worth one? */
  isIndexable?(field: Extract<Field, { type: T }>): boolean
}
