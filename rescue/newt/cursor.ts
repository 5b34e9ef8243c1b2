/**
 * Position of a reader. Pages are windows over `_sys.createdAt`, which never changes, so edits, deletions and new
 * contents do not shift what is still to be read. `skip` is used only while more contents than fit in a page share one
 * creation time, or when the server does not support windows (then `skipped` stays true and all ids are compared
 * later).
 */
export interface Cursor {
  from: string
  skip: number
  limit: number
  skipped: boolean
}

export const firstCursor: Cursor = { from: '', skip: 0, limit: 1_000, skipped: false }
