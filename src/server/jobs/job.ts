import type pg from 'pg'
import type { z } from 'zod'
import type { Actor } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'

/** What a job finds when it runs. */
export interface JobContext<Payload = unknown, Handle extends Db = Db> {
  payload: Payload
  /** The jobs' own pool, never one of requests; in an atomic job, its transaction. Never hold one while waiting outside. */
  db: Handle
  /** Opens a connection that no pool knows, for statements that take long outside of any transaction. The handler ends it. */
  connect(application: string): Promise<pg.Client>
  /** The space it was asked for in; null for the installation's own jobs. */
  scope: SpaceScope | null
  actor: Extract<Actor, { kind: 'job' }>
  /** Their `log` names the job. */
  services: Services
  /**
   * Says how far this run has come (`total` null: not known; counted in items unless `unit` says otherwise) and throws when
   * the job is to stop, so that calling it between two steps is enough to be cancelled. Written at most four times a second.
   */
  progress(done: number, total?: number | null, unit?: JobUnit): Promise<void>
  /** Says what the handler is at, such as a document or a file: named as the culprit when the run fails there. */
  at(what: string): void
  /** Aborted when the job was cancelled or the process is shutting down; what was not done then is done by a later run. */
  signal: AbortSignal
}

interface JobOptions<Schema extends z.ZodType> {
  /** `feature.whatItDoes`; stays for ever, because rows that wait are found by it. */
  name: string
  payload: Schema
  /** Runs in all, until it has failed for good; default 10. */
  maxAttempts?: number
  /** Jobs with the same key run one after the other; null (and left out): as there is room. */
  concurrencyKey?(payload: z.output<Schema>): string | null
  /**
   * For what grows with what people keep, or waits for what others keep: a worker always leaves a place to short jobs, and a space
   * has only some of the others. Default: short. Every job that waits keeps what it was added with.
   */
  isLong?: boolean
  /** Smaller is sooner; default 0. */
  priority?: number
  /**
   * What the act that asked for the job needs, asked once more of whoever has it run again from the page of jobs. Throws 403 for
   * those who may not (any more), though they see the job. Default: nothing beside seeing it.
   */
  requireMayRunAgain?(ctx: SpaceContext, payload: z.output<Schema>): Promise<void>
}

/** A job that may run more than once before it is through: a run that was cut off is repeated, and goes on from what it finds. */
interface RepeatableJob<Schema extends z.ZodType> extends Required<JobOptions<Schema>> {
  atomic: false
  handler(ctx: JobContext<z.output<Schema>>): Promise<void>
}

/** A short job whose effect and completion are one transaction (`ctx.db`): exactly once. */
interface AtomicJob<Schema extends z.ZodType> extends Required<JobOptions<Schema>> {
  atomic: true
  handler(ctx: JobContext<z.output<Schema>, Tx>): Promise<void>
}

/** Something that happens after the answer: a value beside the endpoints of its feature (`x.jobs.ts`). */
export type Job<Schema extends z.ZodType = z.ZodType> = RepeatableJob<Schema> | AtomicJob<Schema>

const defaults = {
  maxAttempts: 10,
  isLong: false,
  priority: 0,
  concurrencyKey: () => null,
  requireMayRunAgain: async () => {},
}

export function defineJob<Schema extends z.ZodType>(
  options: JobOptions<Schema> & Pick<RepeatableJob<Schema>, 'handler'>,
): RepeatableJob<Schema> {
  return { ...defaults, atomic: false, ...options }
}

export function defineAtomicJob<Schema extends z.ZodType>(
  options: JobOptions<Schema> & Pick<AtomicJob<Schema>, 'handler'>,
): AtomicJob<Schema> {
  return { ...defaults, atomic: true, ...options }
}

/** A job that the clock asks for. */
export interface Schedule {
  job: Job
  payload: unknown
  /** Minute, hour, day, month, weekday in UTC: `15 3 * * *`. */
  at: string
}
