/* Shared types of the field indexes that are built on demand (content/field-indexes). */

/** An index on the documents of a model whose first column is a field's value. */
export interface FieldIndex {
  modelId: number
  fieldId: string
  /** Covers published documents, or the current states outside the trash. */
  stage: 'published' | 'current'
  /** The columns of the index as SQL. */
  keys: string
  /** The text expressions among the columns. */
  texts: string[]
}

/**
 * The existing indexes, from the memory of this process. They may be outdated, which affects only the speed of lists.
 */
export interface KnownIndexes {
  has(index: FieldIndex): boolean
  /** Records in memory the indexes that a list could use. */
  note(uses: FieldIndex[]): void
}
