/**
 * Position of a reader. Pages are windows over `_sys.createdAt`, which never changes. Therefore edits, deletions and
 * new contents do not shift the contents that are still to be read.
 *
 * `skip` is used while more contents than fit in a page share one creation time, to pass over a content that no list
 * returns, or if the server does not support windows. After that, `skipped` stays true, and all ids are compared later.
 */
export interface Cursor {
  from: string
  skip: number
  limit: number
  skipped: boolean
}

export const firstCursor: Cursor = { from: '', skip: 0, limit: 1_000, skipped: false }
