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

/** Whose jobs the caller may see: their own (an account id), or the space's (null) for who may change the space. */
function visibleTo(ctx: SpaceContext): string | null {
  if (can(ctx.grants, 'space.update')) return null
  const account = accountOf(ctx.actor)
  if (account === null) throw new AppError('Forbidden')
  return account
}

export function listJobs(ctx: SpaceContext, query: QueryOf<(typeof jobEndpoints)['listJobs']>) {
  return jobs.listJobs(ctx.db, ctx.scope, { ...query, requestedBy: visibleTo(ctx) })
}

/**
 * Cancels a job; one that came to an end meanwhile stays as it is. Throws 404 for a job that is none of the space's,
 * and for one that is not the caller's to see.
 */
export async function cancelJob(ctx: SpaceContext, id: string): Promise<JobRow> {
  await requireJob(ctx, id)
  await jobs.cancelJob(ctx.db, id)
  return requireJob(ctx, id)
}

/** Cancels a job of something that the caller may stop, whoever asked for it. */
export const stopJob = (ctx: SpaceContext, id: string): Promise<void> => jobs.cancelJob(ctx.db, id)

/**
 * Runs a job again; one that runs or is done stays as it is. Throws 404 as {@link cancelJob}, and 403 for who may not (any more) do
 * what the job does, as its definition among `definitions` says.
 */
export async function retryJob(ctx: SpaceContext, definitions: readonly Job[], id: string): Promise<JobRow> {
  const { name } = await requireJob(ctx, id)
  const definition = definitions.find((job) => job.name === name)
  if (definition) {
    const payload = await jobs.findPayload(ctx.db, ctx.scope, id)
    await definition.requireMayRunAgain(ctx, definition.payload.parse(payload))
  }
  // From here on the rights that count are those of who has it run again.
  await jobs.retryJob(ctx.db, id, accountOf(ctx.actor))
  return requireJob(ctx, id)
}

async function requireJob(ctx: SpaceContext, id: string): Promise<JobRow> {
  const found = idPattern.test(id) ? await listJobs(ctx, { id, skip: 0, limit: 1 }) : null
  const [job] = found?.jobs ?? []
  if (!job) throw new AppError('NotFound')
  return job
}

export function listInstallationJobs(
  ctx: AccountContext,
  query: QueryOf<(typeof jobEndpoints)['listInstallationJobs']>,
) {
  return jobs.listInstallationJobs(ctx.db, query)
}

/** Throws 404 for a job that does not exist. */
async function requireInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  const job = idPattern.test(id) ? await jobs.findInstallationJob(ctx.db, id) : undefined
  if (!job) throw new AppError('NotFound')
  return job
}

/** Runs a job again; one that runs or is done stays as it is. Throws 404. */
export async function retryInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  await requireInstallationJob(ctx, id)
  await jobs.retryJob(ctx.db, id)
  return requireInstallationJob(ctx, id)
}

/** Throws 404. */
export async function cancelInstallationJob(ctx: AccountContext, id: string): Promise<InstallationJobRow> {
  await requireInstallationJob(ctx, id)
  await jobs.cancelJob(ctx.db, id)
  return requireInstallationJob(ctx, id)
}
