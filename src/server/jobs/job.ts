import type pg from 'pg'
import type { z } from 'zod'
import type { JobActor } from '#server/access/actor.ts'
import type { JobCaller } from '#server/access/callers/job.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { ContractCall } from '#server/access/operations/call-contract.ts'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { SystemReason } from '#shared/audit.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import { AppError } from '#shared/errors.ts'

export interface JobContext<Payload = unknown, Handle extends Db = Db> {
  payload: Payload
  /**
   * A handle on the jobs' own pool. In an atomic job, its transaction. It reaches the rows of the job's space, and in a
   * job of the installation no rows of spaces. A handler must not keep a transaction open while it waits for other
   * systems.
   */
  db: Handle
  /**
   * Runs `work` for each space, including deleted ones, one after the other, with a handle on the rows of that space.
   * After an error in a space, continues with the next one, and throws the first error at the end. Only for jobs of the
   * installation.
   */
  eachSpace(work: (db: Db, scope: SpaceScope) => Promise<void>): Promise<void>
  /** Opens a connection outside of the pool, for long statements outside of transactions. The handler must close it. */
  connect(application: string): Promise<pg.Client>
  /** The space of the job. null: a job of the installation. */
  scope: SpaceScope | null
  actor: JobActor
  /**
   * The caller that the job enters spaces as: on behalf of its requester, by the job's policy (`whenRequesterLeft`).
   */
  caller: JobCaller
  /**
   * Executes an operation of the contract as {@link caller}, with its audit entry, and returns its answer. In an atomic
   * job, it is part of the job's transaction, and an operation with `transaction: 'own'` throws a `TypeError`. Only for
   * jobs of a space.
   */
  execute: ContractCall
  /** The services, with a `log` that includes the job. */
  services: Services
  /**
   * Reports the progress of this run, and throws if the job must stop. Calling it between steps makes the job
   * cancellable. `total` null: unknown. Counted in items unless `unit` says otherwise. Written at most every 250 ms,
   * and after the handler has finished. In an atomic job, progress is not written.
   */
  progress(done: number, total?: number | null, unit?: JobUnit): Promise<void>
  /**
   * Reports the item that the handler is processing, such as a document or a file. It is recorded as the culprit if the
   * run fails.
   */
  at(what: string): void
  /**
   * Aborted when the job is cancelled, is taken over by another run, or the process shuts down. After a shutdown, a
   * later run continues the job.
   */
  signal: AbortSignal
}

/** The rules for runs that fail. */
export interface RetryPolicy {
  /** Maximum number of failed runs. Waiting jobs keep the number they were added with. */
  attempts: number
  /** Returns the milliseconds until the next run. A random part of up to 20 % is subtracted. */
  delay(failures: number): number
  /**
   * Number of identical failures in a row after which the job is not retried automatically, unless the cause is
   * external.
   */
  sameFailures: number
  /** Returns whether no retry can succeed after this error. */
  isFinal(error: unknown): boolean
}

interface JobOptions<Schema extends z.ZodType> {
  /** `feature.whatItDoes`. Must never change, because waiting rows refer to it. */
  name: string
  payload: Schema
  /**
   * Default: 10 attempts, after ten seconds, tripled each time up to an hour; stopped after three identical failures;
   * final after an error of the caller (4xx).
   */
  retries?: Partial<RetryPolicy>
  /** Jobs with the same key run one after the other. null (or omitted): no such limit. */
  concurrencyKey?(payload: z.output<Schema>): string | null
  /**
   * For jobs whose duration grows with the stored data, or that wait for other systems (see also {@link isNetwork}). A
   * worker keeps one slot for short jobs, and limits the long jobs per space and account. Default: short. Waiting jobs
   * keep the value they were added with.
   */
  isLong?: boolean
  /**
   * For jobs that mostly wait for other systems, with little work and few statements. They have their own slots, so
   * that slow systems delay no other jobs. Default: false.
   */
  isNetwork?: boolean
  /**
   * Which ends of the job are entries `job.run` of the audit log of its space. `failures`: for jobs whose operations
   * write their own entries, and for jobs that run all day. Default: `all`.
   */
  audit?: 'all' | 'failures'
  /**
   * Whether lists of jobs show the job before it has failed. Otherwise its row is deleted when it succeeds. Default:
   * true.
   */
  isListed?: boolean
  /**
   * The reason why `db` of this job of the installation reaches the rows of all spaces. Its handler writes rows of
   * spaces with `eachSpace` where that is possible. Default (null): `db` reaches no rows of spaces.
   */
  acrossSpaces?: string | null
  /**
   * The rule for a requester who left the space, or lost the right, before the job runs. `fail`: the job fails with
   * `RequesterMayNot`, and admins of the space are mailed. A reason: the installation itself continues, and the audit
   * log records the reason. Default: `fail`.
   */
  whenRequesterLeft?: 'fail' | SystemReason
  /** Smaller values run sooner. Default: 0. */
  priority?: number
  /**
   * Checks the right that requesting this job requires, for a caller who retries it on the Jobs page. Throws 403 for
   * callers without that right, although they may see the job. Default: no further check.
   */
  requireMayRunAgain?(ctx: SpaceContext, payload: z.output<Schema>): Promise<void>
  /**
   * Checks the right that stopping this job through its feature requires, for a caller who cancels it on the Jobs page.
   * Throws 403 for a caller without that right. Default (null): its requester may, and other callers if {@link
   * requireMayRunAgain} allows it.
   */
  requireMayStop?: ((ctx: SpaceContext, payload: z.output<Schema>) => Promise<void>) | null
}

type Defined<Schema extends z.ZodType> = Required<JobOptions<Schema>> & { retries: RetryPolicy }

/**
 * A job that may run more than once. After an interrupted run, its handler is called again and must continue from the
 * existing state.
 */
interface RepeatableJob<Schema extends z.ZodType> extends Defined<Schema> {
  atomic: false
  handler(ctx: JobContext<z.output<Schema>>): Promise<void>
}

/**
 * A job whose effect and completion are one transaction (`ctx.db`), so that a run takes effect completely or not at
 * all.
 */
interface AtomicJob<Schema extends z.ZodType> extends Defined<Schema> {
  atomic: true
  handler(ctx: JobContext<z.output<Schema>, Tx>): Promise<void>
}

/**
 * Work that runs in the background, outside of requests. Defined next to the endpoints of its feature (`x.jobs.ts`).
 */
export type Job<Schema extends z.ZodType = z.ZodType> = RepeatableJob<Schema> | AtomicJob<Schema>

/** Returns ten seconds after the first failure, tripled after each further one, at most an hour. In milliseconds. */
const growingDelay = (failures: number) => Math.min(10_000 * 3 ** Math.max(0, failures - 1), 3_600_000)

export const defaultRetries: RetryPolicy = {
  attempts: 10,
  delay: growingDelay,
  sameFailures: 3,
  isFinal: (error) => error instanceof AppError && error.status < 500,
}

const defaults = {
  isLong: false,
  isNetwork: false,
  audit: 'all' as const,
  isListed: true,
  acrossSpaces: null,
  whenRequesterLeft: 'fail' as const,
  priority: 0,
  concurrencyKey: () => null,
  requireMayRunAgain: async () => {},
  requireMayStop: null,
}

export function defineJob<Schema extends z.ZodType>(
  options: JobOptions<Schema> & Pick<RepeatableJob<Schema>, 'handler'>,
): RepeatableJob<Schema> {
  return { ...defaults, atomic: false, ...options, retries: { ...defaultRetries, ...options.retries } }
}

export function defineAtomicJob<Schema extends z.ZodType>(
  options: JobOptions<Schema> & Pick<AtomicJob<Schema>, 'handler'>,
): AtomicJob<Schema> {
  return { ...defaults, atomic: true, ...options, retries: { ...defaultRetries, ...options.retries } }
}

/** A cron job. */
export interface CronJob {
  job: Job
  payload: unknown
  /** Minute, hour, day, month, weekday in UTC, for example `15 3 * * *`. */
  at: string
}
