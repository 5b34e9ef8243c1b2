/*
 * What every room may know of the indexes on fields that are made on demand (content/field-indexes).
 */

/** An index on the documents of a model that begins with a field's value. */
export interface FieldIndex {
  modelId: number
  fieldId: string
  /** Of published documents, or of current states outside the trash. */
  stage: 'published' | 'current'
  /** Its columns as SQL. */
  keys: string
  /** The texts among them. */
  texts: string[]
}

/** The indexes that are there, as far as this process knows: it may be behind, and every list is answered either way. */
export interface KnownIndexes {
  has(index: FieldIndex): boolean
  /** Remembers in memory which indexes a list would be served by. */
  note(uses: FieldIndex[]): void
}
