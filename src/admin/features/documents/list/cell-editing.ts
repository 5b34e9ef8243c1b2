import { createContext, useContext } from 'react'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Column } from './list-columns.ts'

/** A value in a list: of which document and field. */
export interface CellPlace {
  id: string
  uid: string
}

/** How cells of a list are edited where they stand. */
export interface CellEditing {
  model: Model
  /** The one that is open. */
  open: CellPlace | null
  /** May the value be changed here, by whoever looks? */
  isEditable: (document: Document, field: Field | undefined) => boolean
  start: (document: Document, field: Field) => void
  /** Closes the cell; goes on to a neighbour, or puts the focus back. */
  end: (direction?: 'next' | 'previous') => void
}

export const CellEditingContext = createContext<CellEditing | null>(null)
export const useCellEditing = () => useContext(CellEditingContext)

/** The fields of a row that can be edited in it, in the order in which they stand there. */
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
