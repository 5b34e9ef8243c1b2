import type { ArchiveSource } from './source.ts'

/** What can be wrong with an archive. */
export type ProblemKind =
  | 'lost'
  | 'size'
  | 'hash'
  | 'extra'
  | 'count'
  | 'line'
  | 'repeated'
  | 'reference'
  | 'asset'
  /** A file's name does not fit its hash. */
  | 'name'
  /** A content stands in the file of another model. */
  | 'model'
  /** The manifest contradicts itself. */
  | 'manifest'
  /** The manifest is not the one that was signed. */
  | 'signature'

/** Takes a problem down. */
export type Report = (kind: ProblemKind, what: string) => void

/** Where to read from, and where to complain. */
export interface Files {
  source: ArchiveSource
  /** Size by the manifest: no file is read further. */
  bytesOf: (path: string) => number
  report: Report
}
