import { NotAnArchive } from '#archive/errors.ts'
import { InvalidJson } from '#archive/json.ts'

/** All failures that can stop the command. The files in `messages` contain a message for each, per language. */
export type FailureCode =
  | 'token_in_arguments'
  | 'token_missing'
  | 'token_garbled'
  | 'token_refused'
  | 'not_allowed'
  | 'app_not_found'
  | 'model_not_found'
  | 'no_network'
  | 'not_trusted'
  | 'host_blocked'
  | 'server_trouble'
  | 'strange_answer'
  | 'disk_full'
  | 'folder_not_writable'
  | 'folder_not_ours'
  | 'folder_of_another'
  | 'folder_in_use'
  | 'folder_complete'
  | 'not_an_archive'
  | 'not_finished'
  | 'unsafe_names'
  | 'interrupted'
  | 'usage'
  | 'unexpected'

export type FailureDetails = Record<string, string | number>

/** A failure with a known cause. If it stops the run, the user sees a message instead of a stack trace. */
export class RescueFailure extends Error {
  readonly code: FailureCode
  readonly details: FailureDetails
  constructor(code: FailureCode, details: FailureDetails = {}) {
    super(code)
    this.name = 'RescueFailure'
    this.code = code
    this.details = details
  }
}

/**
 * Converts system errors (full disk, no permission) and archive errors to failures. A failure is returned unchanged.
 */
export function toFailure(error: unknown, details: FailureDetails = {}): RescueFailure {
  if (error instanceof RescueFailure) return error
  if (error instanceof InvalidJson) return new RescueFailure('strange_answer', { reason: error.message })
  if (error instanceof NotAnArchive) {
    const { path: dir, reason, what } = error
    if (reason === 'not_finished') return new RescueFailure('not_finished', { dir })
    if (reason === 'unsafe_names') return new RescueFailure('unsafe_names', { dir, reason: what ?? '' })
    return new RescueFailure('not_an_archive', { dir, ...(reason === 'unopenable_file' ? { zip: 1 } : {}) })
  }
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new RescueFailure('disk_full', details)
  if (code === 'ELOOP') return new RescueFailure('folder_not_ours', details)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new RescueFailure('folder_not_writable', details)
  }
  return new RescueFailure('unexpected', { ...details, reason: `${code} ${message}`.trim().slice(0, 300) })
}
