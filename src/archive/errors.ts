/**
 * The path cannot be read as an archive. `unopenable_file`: probably a truncated zip; `unsafe_names`: the zip contains
 * a file name that points outside it; `not_finished`: an export is running or was interrupted; `newer`: unsupported
 * format version.
 */
export class NotAnArchive extends Error {
  override readonly name = 'NotAnArchive'
  readonly path: string
  readonly reason: 'other' | 'unopenable_file' | 'unsafe_names' | 'not_finished' | 'newer'
  /** The unsafe file name. */
  readonly what: string | undefined
  constructor(path: string, reason: NotAnArchive['reason'], what?: string) {
    super(`${path}: ${reason}`)
    this.path = path
    this.reason = reason
    this.what = what
  }
}

/** A zip contains a file name that points outside the target folder. */
export class UnsafeName extends Error {
  readonly fileName: string
  constructor(fileName: string, options?: ErrorOptions) {
    super(`unsafe name: ${fileName}`, options)
    this.fileName = fileName
  }
}
