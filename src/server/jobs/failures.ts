import { createHash } from 'node:crypto'
import { hasState, isConnectionLost, isNotNow } from '#server/db/sql-states.ts'
import type { JobError } from '#shared/contract/jobs.ts'
import { AppError } from '#shared/errors.ts'
import type { ClaimedJob } from './job-rows.ts'
import type { Verdict } from './verdict.ts'

/** Failing so often in a row in the same way, a job is not tried again by itself. */
const sameFailures = 3
/** So often its process may end under a job before it is set aside. */
const mostInterruptions = 2
/** Runs that ended because PostgreSQL was away are free; more than these are counted as failures. */
const freeOutages = 20
const outageDelay = 500
/** The most of a culprit that is kept, in characters. */
const longestCulprit = 300

export const interrupted: JobError = {
  code: 'JobInterrupted',
  message: 'The process ended twice while the job ran',
}

/** Has its process ended under the job as often as it may? */
export const isSetAside = ({ interruptions }: ClaimedJob) => interruptions >= mostInterruptions

/** Judges the failure of a run. `culprit`: what the handler said it was at. */
export function judge(job: ClaimedJob, error: unknown, culprit: string | undefined): Verdict {
  if (isOutage(error) && job.outages < freeOutages) return { kind: 'outage', delay: outageDelay }
  const told: JobError = {
    ...publicError(error),
    ...(culprit ? { culprit: culprit.slice(0, longestCulprit) } : {}),
  }
  const failure = fingerprint(error, told)
  const repeats = failure === job.failure ? job.repeats + 1 : 1
  const failures = job.failures + 1
  const kind =
    failures >= job.max_attempts || (error instanceof AppError && error.status < 500)
      ? 'failed'
      : repeats >= sameFailures && !mayPass(error)
        ? 'stopped'
        : 'retry'
  const why = kind === 'stopped' ? { ...told, times: repeats } : told
  return { kind, error: why, failure, repeats, delay: retryDelay(failures) }
}

/** Ten seconds, then three times as long each time, an hour at most, a fifth of it left to chance. */
export function retryDelay(failures: number): number {
  return Math.min(10_000 * 3 ** Math.max(0, failures - 1), 3_600_000) * (0.8 + Math.random() * 0.2)
}

const isOutage = (error: unknown) => !(error instanceof AppError) && isConnectionLost(error)

/** Is it trouble of something else, which may be over at the next try without anything having been done about the job? */
function mayPass(error: unknown): boolean {
  if (error instanceof AppError) return [503, 507].includes(error.status)
  return isDiskFull(error) || isNotNow(error)
}

/** What anybody may read of an error: codes of ours with their sentence, nothing of any other. */
function publicError(error: unknown): JobError {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  // Who looks after the server can do something about it, and then have the job go on.
  const code = isDiskFull(error)
    ? 'StorageFull'
    : isNotNow(error)
      ? 'ServiceUnavailable'
      : 'InternalServerError'
  return { code, message: code }
}

/** Of the database, or of the folder of the data. */
const isDiskFull = (error: unknown) =>
  hasState(error, 'diskFull') ||
  ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '')

/**
 * Two failures are the same when this is: the same error at the same culprit, whatever numbers and ids its text has. A hash,
 * because texts of errors hold people's values.
 */
function fingerprint(error: unknown, { code, culprit = '' }: JobError): string {
  const { name, message, code: state } = (error ?? {}) as { name?: string; message?: string; code?: string }
  const text = String(message ?? error).replace(/[0-9a-f]{8,}|\d+/gi, '#')
  return createHash('sha256')
    .update(JSON.stringify([code, culprit, name, state, text]))
    .digest('hex')
}
