/**
 * What lies there cannot be read as an archive. `unopenable_file`: most likely half of a zip; `unsafe_names`: a name in the zip leads
 * out of it; `not_finished`: a run is at work there, or was cut short; `newer`: of a later version of the format.
 */
export class NotAnArchive extends Error {
  override readonly name = 'NotAnArchive'
  readonly path: string
  readonly reason: 'other' | 'unopenable_file' | 'unsafe_names' | 'not_finished' | 'newer'
  /** The name that leads out. */
  readonly what: string | undefined
  constructor(path: string, reason: NotAnArchive['reason'], what?: string) {
    super(`${path}: ${reason}`)
    this.path = path
    this.reason = reason
    this.what = what
  }
}

/** A zip in which a name leads out of the folder that it would be unpacked to: nobody makes such a one by mistake. */
export class UnsafeName extends Error {
  readonly fileName: string
  constructor(fileName: string, options?: ErrorOptions) {
    super(`unsafe name: ${fileName}`, options)
    this.fileName = fileName
  }
}
