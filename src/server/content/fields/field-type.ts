import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { Received } from './received.ts'

/**
 * Alternative forms of a value that sites may request. `text`: the plain text of rich text, or the source of Markdown.
 * `placeholder`: a picture with a placeholder to show while it loads.
 */
export type Format = 'text' | 'placeholder'

/**
 * The server's part of a field type. Every property except `received` is optional: most values are stored and delivered
 * unchanged, and compared by the `comparison` of their shared descriptor.
 */
export interface ServerFieldType<T extends FieldTypeName = FieldTypeName> {
  /** Recognises imported values and converts them to values of this type (docs/decisions/0054). */
  readonly received: Received
  /**
   * Prepares a parsed text for storage. The caller parses the result again. null: no part of the text can be stored.
   * Throws `WorkTooLarge`, and 503 if the worker processes are overloaded.
   */
  accept?(text: string): Promise<string | null>
  /**
   * Converts a stored text for delivery: with `text` if the site requests `fmt=text`, otherwise with `html`. If the
   * function is missing, sites receive the stored text.
   */
  readonly present?: {
    html?(stored: string): string | Promise<string>
    text?(stored: string): string
  }
  /** Converts the JSON of a stored value to the delivered JSON, if they differ. */
  sent?(json: string): string
  readonly formats?: readonly Format[]
  /** Whether values are only compared for equality, because they have no order. */
  readonly isUnordered?: boolean
  /** Normalizes the operand of a filter to the stored form; null if the text is not a valid value. */
  readOperand?(text: string): string | null
  /**
   * The typical query on a field of this type: the one content with a value (`lookup`), all contents with a value
   * (`grouping`), or the latest contents (`order`). Large models get indexes for these queries in advance.
   */
  readonly usedFor?: 'lookup' | 'grouping' | 'order'
  /** Returns SQL for the text of a value, if the text is not the value itself. */
  sqlText?(value: string): string
  /** Checks whether the single value of this field is short enough for an index, and selective enough to need one. */
  isIndexable?(field: Extract<Field, { type: T }>): boolean
}
