/** What lies there cannot be read as an archive. `unopenable_file`: most likely half of a zip; `not_finished`: a run is at work there, or was cut short; `newer`: of a later version of the format. */
export class NotAnArchive extends Error {
  override readonly name = 'NotAnArchive'
  readonly path: string
  readonly reason: 'other' | 'unopenable_file' | 'not_finished' | 'newer'
  constructor(path: string, reason: NotAnArchive['reason']) {
    super(`${path}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}
