import { sql } from 'kysely'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { progressOf, secondsLeft } from '#server/features/jobs/jobs.service.ts'
import type { JobError, JobState, JobUnit } from '#shared/contract/jobs.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import type { Move, MoveRefusal, MoveReport, StoredMoveState } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'

/** A move without its plan, which may be large. */
export interface MoveRow {
  id: string
  state: StoredMoveState
  fileName: string
  fileSize: number
  importUrl: string | null
  refusal: MoveRefusal | null
  source: AnyMovePlan['source'] | null
  app: AnyMovePlan['app'] | null
  counts: AnyMovePlan['counts'] | null
  appId: number | null
  /** The apps that it has, or its parts have, and that are still there. */
  appIds: number[]
  /** The move whose app this one brings up to date; its own `id`: it goes into an app that was there before it. */
  updates: string | null
  report: MoveReport | null
  jobId: string | null
  job: Move['job']
  /** Why its last job ended, if that has failed or was cancelled. */
  stopped: JobError | null
  createdAt: Date
  createdBy: { _id: string; name: string } | null
  /** That of who began it. */
  language: Language | undefined
  startedAt: Date | null
  finishedAt: Date | null
  /** The move that it is a part of, and the folder of its archive. */
  partOf: string | null
  part: string | null
  apps: Move['apps']
}

/** States in which a job is at work. */
const worked = ['checking', 'importing', 'undoing'] as const

/** A job that is gone ended long ago. */
const stopped = sql<JobError | null>`CASE
  WHEN move.state <> ALL(${[...worked]}::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL
  WHEN job.state = 'cancelled' THEN '{"code": "cancelled", "message": ""}'::jsonb
  ELSE coalesce(job.error, '{"code": "JobInterrupted", "message": ""}'::jsonb) END`

const planned = (key: string) => sql<never>`coalesce(move.changes, move.plan)->${sql.lit(key)}`

/** Those of an archive that holds several, in its order. */
const apps = sql<
  Move['apps']
>`(SELECT coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen,
    'kind', app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY app.part_position), '[]')
  FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)`

/** Those of its parts, too. */
const appIds = sql<number[]>`ARRAY(SELECT app.id FROM move AS made
    JOIN app ON app.space_id = made.space_id AND app.id = made.app_id AND app.deleted_at IS NULL
  WHERE made.space_id = move.space_id AND (made.id = move.id OR made.parent_id = move.id))`

const movesOf = (db: Db, { spaceId }: SpaceScope) =>
  db
    .selectFrom('move')
    .leftJoin('job', 'job.id', 'move.job_id')
    .leftJoin('account', 'account.id', 'move.created_by')
    .select(['move.id', 'move.state', 'move.file_name as fileName', 'move.file_size as fileSize'])
    .select(['move.import_url as importUrl', 'move.updates'])
    .select(['move.problem as refusal', 'move.app_id as appId', 'move.report', 'move.job_id as jobId'])
    .select([
      'move.created_at as createdAt',
      'move.started_at as startedAt',
      'move.finished_at as finishedAt',
    ])
    .select(['move.created_by', 'account.name as creator', 'account.language', stopped.as('stopped')])
    .select(['job.state as jobState', 'job.done', 'job.total', 'job.unit', 'job.failures', 'job.error'])
    .select('job.cancel_requested as cancelRequested')
    .select(secondsLeft.as('secondsLeft'))
    .select(['move.parent_id as partOf', 'move.part', apps.as('apps'), appIds.as('appIds')])
    .select([planned('source').as('source'), planned('app').as('app'), planned('counts').as('counts')])
    .where('move.space_id', '=', spaceId)

type Row = Omit<MoveRow, 'createdBy' | 'language' | 'job'> & {
  jobState: JobState | null
  done: number | null
  total: number | null
  unit: JobUnit | null
  failures: number | null
  error: JobError | null
  cancelRequested: boolean | null
  secondsLeft: number | null
  created_by: string | null
  creator: string | null
  language: Language | null
}

const toMove = ({
  created_by,
  creator,
  language,
  jobState,
  done,
  total,
  unit,
  failures,
  error,
  cancelRequested,
  secondsLeft,
  ...row
}: Row): MoveRow => ({
  ...row,
  job:
    jobState === 'waiting' || jobState === 'running'
      ? {
          progress: progressOf({ done, total, unit }),
          secondsLeft,
          cancelRequested: cancelRequested === true,
          failures: failures ?? 0,
          error,
        }
      : null,
  language: language ?? undefined,
  createdBy: created_by === null ? null : { _id: created_by, name: creator ?? '' },
})

/** Whose moves: those that an account began, and those all of whose apps are among these; `apps` null: all moves. */
export interface MoveOwner {
  account: string | null
  apps: readonly number[] | null
}

/** The newest first, without those that are a part of one. */
export async function listMoves(db: Db, scope: SpaceScope, { account, apps }: MoveOwner): Promise<MoveRow[]> {
  const rows = await movesOf(db, scope)
    .where('move.parent_id', 'is', null)
    // What goes into an app that was there before it is the app's.
    .where(sql<boolean>`move.updates IS DISTINCT FROM move.id`)
    .$if(apps !== null, (query) =>
      query.where(
        sql<boolean>`(move.created_by = ${account}
          OR (cardinality(${appIds}) > 0 AND ${appIds} <@ ${[...(apps ?? [])]}::int[]))`,
      ),
    )
    .orderBy('move.created_at', 'desc')
    .orderBy('move.id', 'desc')
    .limit(200)
    .execute()
  return rows.map(toMove)
}

/** What was brought into an app that was there before it, or is to be, the newest first. */
export async function listImports(db: Db, scope: AppScope): Promise<MoveRow[]> {
  const rows = await movesOf(db, scope)
    .where('move.app_id', '=', scope.appId)
    .whereRef('move.updates', '=', 'move.id')
    .orderBy('move.created_at', 'desc')
    .orderBy('move.id', 'desc')
    .limit(200)
    .execute()
  return rows.map(toMove)
}

/** Locked for a change; null when the space has none of that id. */
export async function lockMove(db: Db, scope: SpaceScope, id: string): Promise<MoveRow | null> {
  const row = await movesOf(db, scope).where('move.id', '=', id).forUpdate('move').executeTakeFirst()
  return row ? toMove(row) : null
}

export async function findMove(db: Db, scope: SpaceScope, id: string): Promise<MoveRow | null> {
  const row = await movesOf(db, scope).where('move.id', '=', id).executeTakeFirst()
  return row ? toMove(row) : null
}

export async function insertMove(
  db: Db,
  { spaceId }: SpaceScope,
  move: {
    id: string
    fileName: string
    fileSize: number
    createdBy: string | null
    importUrl?: string
    updates?: { id: string; appId: number }
  },
): Promise<void> {
  await db
    .insertInto('move')
    .values({
      space_id: spaceId,
      id: move.id,
      file_name: move.fileName,
      file_size: move.fileSize,
      created_by: move.createdBy,
      ...(move.importUrl === undefined ? {} : { import_url: move.importUrl }),
      ...(move.updates ? { updates: move.updates.id, app_id: move.updates.appId } : {}),
    })
    .execute()
}

export interface MoveChanges {
  fileSize?: number
  state?: StoredMoveState
  plan?: AnyMovePlan
  changes?: AppChanges
  refusal?: MoveRefusal | null
  appId?: number | null
  report?: MoveReport | null
  jobId?: string | null
  startedAt?: Date | null
  finishedAt?: Date | null
}

/** Writes what is given. */
export async function updateMove(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  changes: MoveChanges,
): Promise<void> {
  const {
    fileSize,
    state,
    plan,
    changes: changed,
    refusal,
    appId,
    report,
    jobId,
    startedAt,
    finishedAt,
  } = changes
  await db
    .updateTable('move')
    .set({
      id,
      ...(fileSize === undefined ? {} : { file_size: fileSize }),
      ...(state === undefined ? {} : { state }),
      ...(plan === undefined ? {} : { plan: storedJson(plan) }),
      ...(changed === undefined ? {} : { changes: storedJson(changed) }),
      ...(refusal === undefined ? {} : { problem: refusal && storedJson(refusal) }),
      ...(appId === undefined ? {} : { app_id: appId }),
      ...(report === undefined ? {} : { report: report && storedJson(report) }),
      ...(jobId === undefined ? {} : { job_id: jobId }),
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
      ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Null for a move that has no plan (yet). */
export async function findPlan(db: Db, { spaceId }: SpaceScope, id: string): Promise<AnyMovePlan | null> {
  const row = await db
    .selectFrom('move')
    .select('plan')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.plan ?? null
}

export async function deleteMove(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('move').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/** Which of these moves of any space are there. */
/** Moves of the space whose archives are being looked at, or wait for it. */
export async function countChecked(db: Db, { spaceId }: SpaceScope): Promise<number> {
  const { count } = await db
    .selectFrom('move')
    .innerJoin('job', 'job.id', 'move.job_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('move.space_id', '=', spaceId)
    .where('move.state', '=', 'checking')
    .where('job.state', 'in', ['waiting', 'running'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findMoveIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('move')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Null for a move that is no update, or has not been looked at. */
export async function findChanges(db: Db, { spaceId }: SpaceScope, id: string): Promise<AppChanges | null> {
  const row = await db
    .selectFrom('move')
    .select('changes')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.changes ?? null
}

/** The update of a move that is not at its end. */
export async function findOpenUpdate(
  db: Db,
  scope: SpaceScope,
  id: string,
): Promise<Pick<MoveRow, 'id' | 'state'> | undefined> {
  return db
    .selectFrom('move')
    .select(['id', 'state'])
    .where('space_id', '=', scope.spaceId)
    .where('updates', '=', id)
    .where('id', '<>', id)
    .where('state', 'not in', ['refused', 'accepted'])
    .executeTakeFirst()
}

/** When the archives were finished that were brought into the app of a move; ISO 8601. */
export async function listBrought(db: Db, { spaceId }: SpaceScope, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('move')
    .select(sql<string>`coalesce(plan, changes)->'source'->>'finishedAt'`.as('finishedAt'))
    .where('space_id', '=', spaceId)
    .where((where) => where.or([where('id', '=', id), where('updates', '=', id)]))
    .where('state', 'in', ['imported', 'accepted'])
    .execute()
  return rows.map(({ finishedAt }) => finishedAt)
}

/** What was new at the last update of a move that was done; undefined: there was none. */
export async function findLastAdditions(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
): Promise<AppChanges['additions'] | undefined> {
  const row = await db
    .selectFrom('move')
    .select('changes')
    .where('space_id', '=', spaceId)
    .where('updates', '=', id)
    .where('state', '=', 'accepted')
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.changes?.additions
}

/** Forgets the updates of a move whose app is gone. */
export async function deleteUpdates(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('move').where('space_id', '=', spaceId).where('updates', '=', id).execute()
}
