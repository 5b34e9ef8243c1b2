import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { Received } from './received.ts'

/**
 * Alternative forms of a value that sites may request: the `text` of HTML, or an asset with a
 * `placeholder` to show while it loads.
 */
export type Format = 'text' | 'placeholder'

/**
 * What only the server knows about a field type. Every part is optional: most values are stored and delivered unchanged, and
 * compared by their shared descriptor's `comparison`.
 */
export interface ServerFieldType<T extends FieldTypeName = FieldTypeName> {
  /** How imported values become values of this type (docs/decisions/0054). */
  readonly received: Received
  /** Prepares a parsed text for storage; the result is parsed again. null: nothing of it can be stored. Throws WorkTooLarge. */
  accept?(text: string): Promise<string | null>
  /** Converts a stored text for delivery; sites receive `html` unless they request `text` (`fmt`). */
  readonly present?: {
    html?(stored: string): string | Promise<string>
    text?(stored: string): string
  }
  /** Converts the JSON of a stored value to the delivered JSON, if different. */
  sent?(json: string): string
  /** Alternative forms that sites may request (`fmt`). */
  readonly formats?: readonly Format[]
  /** Values compare for equality only; they have no order. */
  readonly isUnordered?: boolean
  /** Normalizes a filter's operand to the stored form; null for a text that is not a valid value. */
  readOperand?(text: string): string | null
  /**
   * The typical query by this type: the one content with that value (`lookup`), all contents with the same value
   * (`grouping`), or the latest (`order`). Large models get these indexes in advance.
   */
  readonly usedFor?: 'lookup' | 'grouping' | 'order'
  /** SQL for the text of a value, where the value is not itself that text. */
  sqlText?(value: string): string
  /** Is the single value of this field short enough for an index, and selective enough to need one? */
  isIndexable?(field: Extract<Field, { type: T }>): boolean
}
