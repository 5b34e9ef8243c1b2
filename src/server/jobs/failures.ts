import { createHash } from 'node:crypto'
import { hasState, isConnectionLost, isNotNow } from '#server/db/sql-states.ts'
import type { JobError } from '#shared/contract/jobs.ts'
import { AppError } from '#shared/errors.ts'
import type { RetryPolicy } from './job.ts'
import type { ClaimedJob } from './job-rows.ts'
import type { Verdict } from './verdict.ts'

/** A job is stopped, until a user retries it, when its process has died this many times without progress in between. */
const mostInterruptions = 2
/** Maximum number of runs of a job that end because PostgreSQL is unreachable and do not count as failures. */
const freeOutages = 20
const outageDelay = 500
/** Maximum stored length of a culprit, in characters. */
const longestCulprit = 300

export const interrupted: JobError = {
  code: 'JobInterrupted',
  message: 'The process ended twice while the job ran',
}

/** Returns whether the process has died {@link mostInterruptions} times during this job, so that it must be stopped. */
export const isSetAside = ({ interruptions }: ClaimedJob) => interruptions >= mostInterruptions

/**
 * Decides what happens after a failed run, by the retry policy of the job. `culprit`: the item that the handler was
 * processing, as it reported with `at`.
 */
export function judge(
  job: ClaimedJob,
  { delay, sameFailures, isFinal }: RetryPolicy,
  error: unknown,
  culprit: string | undefined,
): Verdict {
  if (isOutage(error) && job.outages < freeOutages) return { kind: 'outage', delay: outageDelay }
  const told: JobError = {
    ...publicError(error),
    ...(culprit ? { culprit: culprit.slice(0, longestCulprit) } : {}),
  }
  const failure = fingerprint(error, told)
  const repeats = failure === job.failure ? job.repeats + 1 : 1
  const failures = job.failures + 1
  const kind =
    failures >= job.max_attempts || isFinal(error)
      ? 'failed'
      : repeats >= sameFailures && !mayPass(error)
        ? 'stopped'
        : 'retry'
  const why = kind === 'stopped' ? { ...told, times: repeats } : told
  // The random part spreads jobs that failed at the same time.
  return { kind, error: why, failure, repeats, delay: delay(failures) * (0.8 + Math.random() * 0.2) }
}

const isOutage = (error: unknown) => !(error instanceof AppError) && isConnectionLost(error)

/** Returns whether the cause is external, so that a retry may succeed without any change to the job. */
function mayPass(error: unknown): boolean {
  if (error instanceof AppError) return [503, 507].includes(error.status)
  return isDiskFull(error) || isNotNow(error)
}

/** Returns the public part of an error: code and message of an application error, only a code for other errors. */
function publicError(error: unknown): JobError {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  // An operator can fix the cause of `StorageFull` and `ServiceUnavailable` before a retry.
  const code = isDiskFull(error)
    ? 'StorageFull'
    : isNotNow(error)
      ? 'ServiceUnavailable'
      : 'InternalServerError'
  return { code, message: code }
}

/** Returns whether the disk of the database or of the data folder is full. */
const isDiskFull = (error: unknown) =>
  hasState(error, 'diskFull') ||
  ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '')

/**
 * Returns a hash that is equal for equal failures: the same error at the same culprit, ignoring numbers and ids in its
 * text. It is hashed because error messages may contain personal data.
 */
function fingerprint(error: unknown, { code, culprit = '' }: JobError): string {
  const { name, message, code: state } = (error ?? {}) as { name?: string; message?: string; code?: string }
  const text = String(message ?? error).replace(/[0-9a-f]{8,}|\d+/gi, '#')
  return createHash('sha256')
    .update(JSON.stringify([code, culprit, name, state, text]))
    .digest('hex')
}
