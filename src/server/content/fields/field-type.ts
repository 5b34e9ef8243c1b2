import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { Received } from './received.ts'

/**
 * What sites may ask for in place of the usual form of a value: the `text` of HTML, or an asset with a `placeholder` to show
 * until it is there.
 */
export type Format = 'text' | 'placeholder'

/**
 * What only the server knows of a type of field. Every part may be left out: most values are kept and answered as
 * they are, and compared by their shared descriptor's `comparison`.
 */
export interface ServerFieldType<T extends FieldTypeName = FieldTypeName> {
  /** How values that come from elsewhere become its own (docs/decisions/0054). */
  readonly received: Received
  /** Makes a text that was read fit to be kept; it is read again afterwards. null: nothing of it is. Throws WorkTooLarge. */
  accept?(text: string): Promise<string | null>
  /** What a stored text goes through on its way to sites, which get `html` unless they ask for `text` (`fmt`). */
  readonly present?: {
    html?(stored: string): string | Promise<string>
    text?(stored: string): string
  }
  /** The JSON that sites receive of a stored value's, where that is another one. */
  sent?(json: string): string
  /** Other forms of values that sites may ask for (`fmt`). */
  readonly formats?: readonly Format[]
  /** Values can be equal, but none comes before another. */
  readonly isUnordered?: boolean
  /** What a filter compares with, in the form in which values are kept; null for a text that is no value at all. */
  readOperand?(text: string): string | null
  /**
   * What nearly every site asks for it for: to find the one content of that name, all of the same value, or the
   * latest. Large models have such indexes beforehand.
   */
  readonly usedFor?: 'lookup' | 'grouping' | 'order'
  /** SQL of the text in a value, where the value is not its text itself. */
  sqlText?(value: string): string
  /** Is the one value of this field short enough for an index, and worth one? */
  isIndexable?(field: Extract<Field, { type: T }>): boolean
}
