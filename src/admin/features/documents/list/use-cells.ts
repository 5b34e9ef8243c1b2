import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import { useDocumentRights, useReadOnlyFields } from '../use-document-rights.ts'
import { type CellEditing, type CellPlace, editableFields } from './cell-editing.ts'
import type { LayoutProps } from './layouts.ts'
import type { Column } from './list-columns.ts'

interface CellsOptions extends Pick<LayoutProps, 'model' | 'place' | 'rows'> {
  shown: readonly Column[]
  grid: RefObject<HTMLElement | null>
}

/**
 * Keyboard access to editable cells. The right arrow key moves from a row to its cells, arrow keys move between them.
 * Enter or F2 edits, Escape returns to the row.
 */
export function useCells({ model, place, rows, shown, grid }: CellsOptions) {
  const rights = useDocumentRights(place)
  const readOnly = useReadOnlyFields(place, model._id)
  const [open, setOpen] = useState<CellPlace | null>(null)
  /** The cell that the next render focuses. */
  const focused = useRef<CellPlace | null>(null)
  const fields = editableFields(model, shown).filter(({ _id }) => !readOnly.has(_id))

  const rowOf = (id: string) => rows.loaded.find(({ _id }) => _id === id)
  const editable = (document: Document) => (rights({ sys: document._sys }).edit ? fields : [])
  const cellAt = (row: Element | null | undefined, uid: string) =>
    [...(row?.querySelectorAll<HTMLElement>('[data-field]') ?? [])].find(
      ({ dataset }) => dataset.field === uid,
    )

  useEffect(() => {
    const wanted = focused.current
    if (!wanted || open) return
    const row = grid.current?.querySelector(`[data-id="${wanted.id}"]`)
    cellAt(row, wanted.uid)?.focus({ preventScroll: true })
    focused.current = null
  })

  const beside = (document: Document | undefined, uid: string, by: number): string | undefined => {
    const uids = document ? editable(document).map((field) => field.uid) : []
    return uids[uids.indexOf(uid) + by]
  }

  const neighbourOf = useRef(neighbour)
  neighbourOf.current = neighbour
  function neighbour({ id, uid }: CellPlace, direction: 'next' | 'previous'): CellPlace | null {
    const next = beside(rowOf(id), uid, direction === 'next' ? 1 : -1)
    return next === undefined ? null : { id, uid: next }
  }

  // The value must be stable, because a change of this context renders the rows again.
  const editing: CellEditing = useMemo(
    () => ({
      model,
      open,
      isEditable: (document, field) =>
        field !== undefined &&
        !readOnly.has(field._id) &&
        adminFieldType(field).inCell?.(field) === true &&
        rights({ sys: document._sys }).edit,
      start: (document, field) => setOpen({ id: document._id, uid: field.uid }),
      end: (direction) => {
        if (!open) return
        focused.current = open
        setOpen(direction ? neighbourOf.current(open, direction) : null)
      },
    }),
    [model, open, rights, readOnly],
  )

  /** Handles a key. Returns whether the key was for cells. */
  function onKeyDown(event: KeyboardEvent, document: Document): boolean {
    const target = event.target as HTMLElement
    const { field: uid } = target.dataset
    const row = target.closest('[role="row"]')
    const isRow = target === row
    if (event.altKey || event.metaKey || event.ctrlKey || (!isRow && uid === undefined)) return false
    const to = (name: string | undefined) => name !== undefined && cellAt(row, name)?.focus()
    const first = editable(document)[0]?.uid
    switch (event.key) {
      case 'ArrowRight':
        to(uid === undefined ? first : beside(document, uid, 1))
        break
      case 'ArrowLeft': {
        if (uid === undefined) return false
        const before = beside(document, uid, -1)
        if (before === undefined) (row as HTMLElement | null)?.focus()
        else to(before)
        break
      }
      case 'ArrowDown':
      case 'ArrowUp': {
        if (uid === undefined) return false
        const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling
        cellAt(next, uid)?.focus()
        break
      }
      case 'F2':
      case 'Enter': {
        const name = uid ?? (event.key === 'F2' ? first : undefined)
        if (name === undefined) return false
        setOpen({ id: document._id, uid: name })
        break
      }
      case 'Escape':
        if (uid === undefined) return false
        ;(row as HTMLElement | null)?.focus()
        break
      default:
        return false
    }
    event.preventDefault()
    return true
  }

  return { editing, onKeyDown }
}
