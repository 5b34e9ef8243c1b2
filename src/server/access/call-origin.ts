export interface CallOrigin {
  /** IP address of the connection, or the one that a trusted proxy reports. */
  ip: string
  /** The caller's `User-Agent`. null: the request has none. */
  agent: string | null
}
