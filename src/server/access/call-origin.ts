/** Where a call comes from. */
export interface CallOrigin {
  /** The peer's address, or the one a trusted proxy gives. */
  ip: string
  /** What the caller's program says it is. */
  agent: string | null
}
