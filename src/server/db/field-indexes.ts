/* Shared types of the field indexes that are built on demand (content/field-indexes). */

/** An index on the documents of a model whose first column is a field's value. */
export interface FieldIndex {
  modelId: number
  fieldId: string
  /** Covers published documents, or the current states outside the trash. */
  stage: 'published' | 'current'
  /** Its columns as SQL. */
  keys: string
  /** The text expressions among its columns. */
  texts: string[]
}

/** The existing indexes as far as this process knows. The knowledge may be outdated, and lists work either way. */
export interface KnownIndexes {
  has(index: FieldIndex): boolean
  /** Records in memory which indexes would serve a list. */
  note(uses: FieldIndex[]): void
}
