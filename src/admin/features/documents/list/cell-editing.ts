import { createContext, useContext } from 'react'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Column } from './list-columns.ts'

/** A cell of a list, by document and field. */
export interface CellPlace {
  id: string
  uid: string
}

/** The state of inline editing in a list, and the functions that start and end it. */
export interface CellEditing {
  model: Model
  /** The cell that is being edited. null: none. */
  open: CellPlace | null
  /** Whether the caller may edit the value in the list. */
  isEditable: (document: Document, field: Field | undefined) => boolean
  start: (document: Document, field: Field) => void
  /**
   * Closes the cell. With `direction`, opens the next or previous editable cell of the row, if there is one. Otherwise
   * the focus returns to the closed cell.
   */
  end: (direction?: 'next' | 'previous') => void
}

export const CellEditingContext = createContext<CellEditing | null>(null)
export const useCellEditing = () => useContext(CellEditingContext)

/** Returns the fields that can be edited in a list, in column order. Ignores the user's rights. */
export function editableFields(
  model: Pick<Model, 'fields' | 'titleField'>,
  columns: readonly Column[],
): Field[] {
  const title = model.fields.find(({ _id }) => _id === model.titleField)
  return [
    ...(title ? [title] : []),
    ...columns.flatMap(({ field, innerName }) => (innerName === undefined && field) || []),
  ].filter((field) => adminFieldType(field).inCell?.(field) === true)
}
