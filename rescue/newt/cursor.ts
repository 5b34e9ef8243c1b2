/**
 * Where reading stands. Pages are windows over `_sys.createdAt`, which never changes once set, so neither
 * edits, deletions nor new contents move what is still to be read. `skip` is used only while more contents
 * than fit in a page share one creation time, or when the server turns out not to know windows (then `skipped`
 * stays true and a full check of ids follows).
 */
export interface Cursor {
  from: string
  skip: number
  limit: number
  skipped: boolean
}

export const firstCursor: Cursor = { from: '', skip: 0, limit: 1_000, skipped: false }
