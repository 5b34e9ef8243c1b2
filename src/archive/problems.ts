import type { ArchiveSource } from './source.ts'

/** Kinds of problems of an archive. */
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
  /** A content is in the file of another model. */
  | 'model'
  /** The manifest contradicts itself. */
  | 'manifest'
  /** The signature does not match the manifest. */
  | 'signature'

/** Reports a problem. */
export type Report = (kind: ProblemKind, what: string) => void

/** The archive to check, and the receiver of problems. */
export interface Files {
  source: ArchiveSource
  /** Size in the manifest: no file is read beyond it. */
  bytesOf: (path: string) => number
  report: Report
}
