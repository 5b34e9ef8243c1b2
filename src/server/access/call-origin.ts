export interface CallOrigin {
  /** The peer's address, or the one reported by a trusted proxy. */
  ip: string
  /** The caller's `User-Agent`. */
  agent: string | null
}
