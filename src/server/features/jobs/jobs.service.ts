import { accountOf } from '#server/access/actor.ts'
import type { AccountContext, SpaceContext } from '#server/access/context.ts'
import type { Job } from '#server/jobs/job.ts'
import type { QueryOf } from '#shared/contract/endpoint.ts'
import type { jobEndpoints } from '#shared/contract/jobs.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import type { InstallationJobRow, JobRow } from './jobs.repository.ts'
import * as jobs from './jobs.repository.ts'

export { type InstallationJobRow, type JobRow, progressOf, secondsLeft } from './jobs.repository.ts'

/**
 * Returns the id of the account whose jobs the caller may see. null: all jobs of the space, which requires
 * `space.update`. Throws 403 for callers without an account and without this right.
 */
function visibleTo(ctx: SpaceContext): string | null {
  if (can(ctx.grants, 'space.update')) return null
  const account = accountOf(ctx.actor)
  if (account === null) throw new AppError('Forbidden')
  return account
}

const unlistedOf = (definitions: readonly Job[]) =>
  definitions.filter(({ isListed }) => !isListed).map(({ name }) => name)

export function listJobs(
  ctx: SpaceContext,
  definitions: readonly Job[],
  query: QueryOf<(typeof jobEndpoints)['listJobs']>,
) {
  const unlisted = unlistedOf(definitions)
  return jobs.listJobs(ctx.db, ctx.scope, { ...query, unlisted, requestedBy: visibleTo(ctx) })
}

/**
 * Cancels a job. A job that has ended stays unchanged. Throws 404 for a job of another space or not visible to the
 * caller, and 403 if the job's definition does not allow the caller to stop it.
 */
export async function cancelJob(ctx: SpaceContext, definitions: readonly Job[], id: string): Promise<JobRow> {
  const { name, requestedBy } = await requireJob(ctx, id)
  const definition = definitions.find((job) => job.name === name)
  const isOwn = requestedBy !== null && requestedBy.id === accountOf(ctx.actor)
  const check = definition && (definition.requireMayStop ?? (isOwn ? null : definition.requireMayRunAgain))
  if (check) await check(ctx, definition.payload.parse(await jobs.findPayload(ctx.db, ctx.scope, id)))
  await jobs.cancelJob(ctx.db, id)
  return requireJob(ctx, id)
}

/** Cancels a job without a permission check, for features that have checked that the caller may stop the operation. */
export const stopJob = (ctx: SpaceContext, id: string): Promise<void> => jobs.cancelJob(ctx.db, id)

/**
 * Runs a job again. A job stays unchanged if it runs or is completed, or if another job with its key waits. Throws 404
 * like {@link cancelJob}, and 403 if the caller lacks the rights that the job's definition requires.
 */
export async function retryJob(ctx: SpaceContext, definitions: readonly Job[], id: string): Promise<JobRow> {
  const { name } = await requireJob(ctx, id)
  const definition = definitions.find((job) => job.name === name)
  if (definition) {
    const payload = await jobs.findPayload(ctx.db, ctx.scope, id)
    await definition.requireMayRunAgain(ctx, definition.payload.parse(payload))
  }
  // The caller becomes the requester of the job.
  await jobs.retryJob(ctx.db, id, accountOf(ctx.actor))
  return requireJob(ctx, id)
}

async function requireJob(ctx: SpaceContext, id: string): Promise<JobRow> {
  const which = { id, skip: 0, limit: 1, unlisted: [], requestedBy: visibleTo(ctx) }
  const found = idPattern.test(id) ? await jobs.listJobs(ctx.db, ctx.scope, which) : null
  const [job] = found?.jobs ?? []
  if (!job) throw new AppError('NotFound')
  return job
}

export function listInstallationJobs(
  ctx: AccountContext,
  definitions: readonly Job[],
  query: QueryOf<(typeof jobEndpoints)['listInstallationJobs']>,
) {
  return jobs.listInstallationJobs(ctx.db, { ...query, unlisted: unlistedOf(definitions) })
}

/** Returns a job of any space or of the installation. Throws 404. */
async function requireInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  const job = idPattern.test(id) ? await jobs.findInstallationJob(ctx.db, id) : undefined
  if (!job) throw new AppError('NotFound')
  return job
}

/**
 * Runs a job again. A job stays unchanged if it runs or is completed, or if another job with its key waits. Throws 404.
 */
export async function retryInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  await requireInstallationJob(ctx, id)
  await jobs.retryJob(ctx.db, id)
  return requireInstallationJob(ctx, id)
}

/** Cancels a job. A job that has ended stays unchanged. Throws 404. */
export async function cancelInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  await requireInstallationJob(ctx, id)
  await jobs.cancelJob(ctx.db, id)
  return requireInstallationJob(ctx, id)
}
