import type { ArchiveSource } from './source.ts'

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
  /** The name of a file does not match its hash. */
  | 'name'
  /** A content is in the file of another model, or has a value that is not a field of its model. */
  | 'model'
  /** The manifest contradicts itself or another file. */
  | 'manifest'
  /** The signature does not match the manifest, or cannot be read. */
  | 'signature'

export type Report = (kind: ProblemKind, what: string) => void

export interface Files {
  source: ArchiveSource
  /** Returns the size of a file according to the manifest. Readers stop at this size. */
  bytesOf: (path: string) => number
  report: Report
}
