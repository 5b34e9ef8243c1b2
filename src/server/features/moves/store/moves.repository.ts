import { sql } from 'kysely'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { progressOf, secondsLeft } from '#server/features/jobs/jobs.service.ts'
import type { JobError, JobState, JobUnit } from '#shared/contract/jobs.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import type {
  AppLink,
  Move,
  MoveKind,
  MoveRefusal,
  MoveReport,
  StoredMoveState,
} from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'

/** A move without its plan, which may be large. */
export interface MoveRow {
  id: string
  kind: MoveKind
  state: StoredMoveState
  fileName: string
  fileSize: number
  importUrl: string | null
  refusal: MoveRefusal | null
  source: AnyMovePlan['source'] | null
  app: AnyMovePlan['app'] | null
  counts: AnyMovePlan['counts'] | null
  appId: number | null
  /** Ids of the existing apps of the move and its parts. */
  appIds: number[]
  /** For kind `update`: the move whose app it updates. For kind `import`: its own `id`. null: any other kind. */
  updates: string | null
  report: MoveReport | null
  jobId: string | null
  job: Move['job']
  /** Reason why the last job of the move failed or was cancelled. null: it neither failed nor was cancelled. */
  stopped: JobError | null
  createdAt: Date
  createdBy: { _id: string; name: string } | null
  /** The language of the account that created the move. */
  language: Language | undefined
  startedAt: Date | null
  finishedAt: Date | null
  /**
   * For a part of a move of several apps: the id of that move (`partOf`), and the folder of the part in the archive
   * (`part`).
   */
  partOf: string | null
  part: string | null
  apps: Move['apps']
}

/** States in which a job works on the move. */
const worked = ['checking', 'importing', 'undoing'] as const

/** States in which a move no longer keeps its archive. */
const withoutFiles = ['refused', 'accepted'] as const

/**
 * Reason why the last job of a move failed or was cancelled. If the row of the job is missing, the job counts as
 * interrupted.
 */
const stopped = sql<JobError | null>`CASE
  WHEN move.state <> ALL(${[...worked]}::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL
  WHEN job.state = 'cancelled' THEN '{"code": "cancelled", "message": ""}'::jsonb
  ELSE coalesce(job.error, '{"code": "JobInterrupted", "message": ""}'::jsonb) END`

const planned = (key: string) => sql<never>`coalesce(move.changes, move.plan)->${sql.lit(key)}`

/** The parts of a move of several apps, in the order of the archive. */
const apps = sql<
  Move['apps']
>`(SELECT coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen,
    'kind', app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY app.part_position), '[]')
  FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)`

const appIds = sql<number[]>`ARRAY(SELECT app.id FROM move AS made
    JOIN app ON app.space_id = made.space_id AND app.id = made.app_id AND app.deleted_at IS NULL
  WHERE made.space_id = move.space_id AND (made.id = move.id OR made.parent_id = move.id))`

const movesOf = (db: Db, { spaceId }: SpaceScope) =>
  db
    .selectFrom('move')
    .leftJoin('job', 'job.id', 'move.job_id')
    .leftJoin('account', 'account.id', 'move.created_by')
    .select([
      'move.id',
      'move.kind',
      'move.state',
      'move.file_name as fileName',
      'move.file_size as fileSize',
    ])
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

/**
 * The moves that an account may see: its own moves, and moves with at least one app whose apps are all in `apps`.
 * `apps` null: every move.
 */
export interface MoveOwner {
  account: string | null
  apps: readonly number[] | null
}

/**
 * Returns the moves of the space that `MoveOwner` allows, newest first, at most 200, without parts and without imports
 * into existing apps.
 */
export async function listMoves(db: Db, scope: SpaceScope, { account, apps }: MoveOwner): Promise<MoveRow[]> {
  const rows = await movesOf(db, scope)
    .where('move.parent_id', 'is', null)
    .where('move.kind', '<>', 'import')
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

/** Returns the imports into an app, newest first, at most 200. */
export async function listImports(db: Db, scope: AppScope): Promise<MoveRow[]> {
  const rows = await movesOf(db, scope)
    .where('move.app_id', '=', scope.appId)
    .where('move.kind', '=', 'import')
    .orderBy('move.created_at', 'desc')
    .orderBy('move.id', 'desc')
    .limit(200)
    .execute()
  return rows.map(toMove)
}

/** Returns and locks a move. null: the space has no move with that id. */
export async function lockMove(db: Db, scope: SpaceScope, id: string): Promise<MoveRow | null> {
  const row = await movesOf(db, scope).where('move.id', '=', id).forUpdate('move').executeTakeFirst()
  return row ? toMove(row) : null
}

export async function findMove(db: Db, scope: SpaceScope, id: string): Promise<MoveRow | null> {
  const row = await movesOf(db, scope).where('move.id', '=', id).executeTakeFirst()
  return row ? toMove(row) : null
}

interface NewMove {
  id: string
  kind: MoveKind
  fileName: string
  fileSize: number
  createdBy: string | null
  importUrl?: string
  updates?: string
  appId?: number
}

export async function insertMove(db: Db, { spaceId }: SpaceScope, move: NewMove): Promise<void> {
  await db
    .insertInto('move')
    .values({
      space_id: spaceId,
      id: move.id,
      kind: move.kind,
      file_name: move.fileName,
      file_size: move.fileSize,
      created_by: move.createdBy,
      import_url: move.importUrl,
      updates: move.updates,
      app_id: move.appId,
    })
    .execute()
}

export interface MoveChanges {
  kind?: MoveKind
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
  /** Time until which the archive of the move counts as being uploaded. */
  uploadUntil?: Date
  /** For a part: whether its app is imported. */
  chosen?: boolean
  /** References between the apps of a move of several apps. */
  appLinks?: readonly AppLink[]
}

/** Updates the columns that `given` contains. */
export async function updateMove(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  given: MoveChanges,
): Promise<void> {
  const { plan, changes, refusal, report, appLinks, kind, state, chosen } = given
  await db
    .updateTable('move')
    // Kysely ignores undefined values.
    .set({
      id,
      kind,
      file_size: given.fileSize,
      state,
      plan: plan && storedJson(plan),
      changes: changes && storedJson(changes),
      problem: refusal && storedJson(refusal),
      app_id: given.appId,
      report: report && storedJson(report),
      job_id: given.jobId,
      started_at: given.startedAt,
      finished_at: given.finishedAt,
      upload_until: given.uploadUntil,
      chosen,
      app_links: appLinks && storedJson(appLinks),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

const moveOf = (db: Db, { spaceId }: SpaceScope, id: string) =>
  db.selectFrom('move').where('space_id', '=', spaceId).where('id', '=', id)

/** Returns the plan of a move. null: the move does not exist, has not been checked, or has no plan. */
export async function findMovePlan(db: Db, scope: SpaceScope, id: string): Promise<AnyMovePlan | null> {
  return (await moveOf(db, scope, id).select('plan').executeTakeFirst())?.plan ?? null
}

export async function deleteMove(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('move').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/** Returns the number of archives of the space that are being checked or wait for their check. */
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

/** Returns the number of archives, in any space, that are being checked for an account or wait for their check. */
export async function countChecksOf(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT checks_of(${account}) AS count`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Locks the move limits of an account until the end of the transaction, so that concurrent requests cannot exceed the
 * limits together.
 */
export async function lockLimits(db: Db, account: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`moves of ${account}`}, 0))`.execute(db)
}

/**
 * Returns number and total bytes of the archives that an account is uploading or keeps, in any space. The move `other`
 * is not counted.
 */
export async function countArchivesOf(
  db: Db,
  account: string,
  other: string | null,
): Promise<{ count: number; bytes: number }> {
  const found = sql<{
    count: number
    bytes: number
  }>`SELECT count, bytes FROM archives_of(${account}, ${other})`
  return (await found.execute(db)).rows[0] ?? { count: 0, bytes: 0 }
}

/**
 * Days after which the upload of a move that is still in state `checking` is deleted, counted from the creation of the
 * move. The upload may contain user accounts of the source until it is converted.
 */
const stoppedCheckDays = 30

/** Returns which of these moves, in any space, keep their files. */
export async function findMovesWithFiles(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('move')
    .select('id')
    .where('id', 'in', [...ids])
    .where('state', 'not in', [...withoutFiles])
    .where((eb) =>
      eb.or([
        eb('state', '<>', 'checking'),
        eb('created_at', '>', sql<Date>`now() - make_interval(days => ${stoppedCheckDays})`),
      ]),
    )
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Returns the changes of an update or import. null: the move is of another kind, or has not been checked. */
export async function findChanges(db: Db, scope: SpaceScope, id: string): Promise<AppChanges | null> {
  const changes = (await moveOf(db, scope, id).select('changes').executeTakeFirst())?.changes
  if (!changes) return null
  // Changes that an earlier version of Imori planned lack these properties.
  const { additions, notImported = [] } = changes
  const views = additions.views ?? { count: 0, examples: [] }
  return { ...changes, additions: { ...additions, views }, notImported }
}

/** Returns the references between the apps of a move of several apps. */
export async function findAppLinks(db: Db, scope: SpaceScope, id: string): Promise<AppLink[]> {
  return (await moveOf(db, scope, id).select('app_links').executeTakeFirst())?.app_links ?? []
}

/** Returns the unfinished update of a move. undefined: no update is unfinished. */
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

/** Returns the times (ISO 8601) at which archives were finished that were imported into the app of the move. */
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

/** Returns the additions of the last accepted update of a move. undefined: no update was accepted. */
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

/** Deletes the updates of a move whose app is deleted. */
export async function deleteUpdates(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('move').where('space_id', '=', spaceId).where('updates', '=', id).execute()
}
