import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { MoveChangeKind, MoveOutcome } from '#shared/contract/move-updates.ts'

/* The documents of an update that are not as they were. */

export interface ChangeRow {
  modelId: number
  id: string
  kind: MoveChangeKind
  takes: boolean
  /** Here, when it was planned; null: there was none. */
  version: number | null
  title: string
}

/** Writes down what differs; what is written already stays as it was decided. */
export async function insertChanges(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  changes: readonly ChangeRow[],
): Promise<void> {
  if (changes.length === 0) return
  const given = changes.map(({ modelId, ...change }) => ({ ...change, model_id: modelId }))
  await sql`INSERT INTO move_change (space_id, move_id, model_id, document_id, kind, takes, version, title)
    SELECT ${spaceId}::int, ${moveId}, model_id, id, kind, takes, version, title
    FROM jsonb_to_recordset(${storedJson(given)}::jsonb) AS given (
      model_id int, id text, kind text, takes boolean, version int, title text)
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function deleteChanges(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<void> {
  await db.deleteFrom('move_change').where('space_id', '=', spaceId).where('move_id', '=', moveId).execute()
}

const changesOf = (db: Db, { spaceId }: SpaceScope, moveId: string) =>
  db
    .selectFrom('move_change')
    .where('move_change.space_id', '=', spaceId)
    .where('move_change.move_id', '=', moveId)

/** How many there are of each kind in each model. */
export function countChanges(db: Db, scope: SpaceScope, moveId: string) {
  return changesOf(db, scope, moveId)
    .select(['model_id as modelId', 'kind', 'takes', 'outcome'])
    .select((select) => select.fn.countAll<number>().as('count'))
    .groupBy(['model_id', 'kind', 'takes', 'outcome'])
    .orderBy('model_id')
    .orderBy('kind')
    .orderBy('takes')
    .orderBy('outcome')
    .execute()
}

interface Page {
  kind?: MoveChangeKind
  outcome?: MoveOutcome
  limit: number
  skip: number
}

/** A page of them, model by model, with how many there are. */
export async function listChanges(
  db: Db,
  scope: SpaceScope,
  moveId: string,
  { kind, outcome, limit, skip }: Page,
) {
  let found = changesOf(db, scope, moveId)
  if (kind) found = found.where('kind', '=', kind)
  if (outcome) found = found.where('outcome', '=', outcome)
  const rows = await found
    .innerJoin('model', (join) =>
      join
        .onRef('model.space_id', '=', 'move_change.space_id')
        .onRef('model.id', '=', 'move_change.model_id'),
    )
    .select(['move_change.document_id as id', 'model.uid as model', 'title', 'kind', 'takes', 'outcome'])
    .select('problem')
    .orderBy('move_change.model_id')
    .orderBy('move_change.document_id')
    .limit(limit)
    .offset(skip)
    .execute()
  const { total } = await found
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

/** Says of all documents of a kind, or of some of a model, whether what is there is taken. Answers how many these are. */
export async function choose(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  which: { kind: MoveChangeKind } | { modelId: number; ids: readonly string[]; kinds: MoveChangeKind[] },
  takes: boolean,
): Promise<number> {
  const rows = db
    .updateTable('move_change')
    .set({ takes })
    .where('space_id', '=', spaceId)
    .where('move_id', '=', moveId)
  const { numUpdatedRows } = await ('kind' in which
    ? rows.where('kind', '=', which.kind)
    : rows
        .where('model_id', '=', which.modelId)
        .where('kind', 'in', which.kinds)
        .where(sql<SqlBool>`document_id = ANY(${[...which.ids]}::text[])`)
  ).executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Those of a model of which nothing has become yet, by `_id`. */
export async function listPending(
  db: Db,
  scope: SpaceScope,
  moveId: string,
  modelId: number,
): Promise<Map<string, ChangeRow>> {
  const rows = await changesOf(db, scope, moveId)
    .select(['model_id as modelId', 'document_id as id', 'kind', 'takes', 'version', 'title'])
    .where('model_id', '=', modelId)
    .where('kind', '<>', 'removed')
    .where('outcome', 'is', null)
    .orderBy('document_id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export interface Outcome {
  id: string
  outcome: MoveOutcome
  problem: string | null
  leftOut: string[]
}

/** Writes what became of documents, in the transaction in which that happens. False: another run was there first. */
export async function settleChanges(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  modelId: number,
  outcomes: readonly Outcome[],
): Promise<boolean> {
  const given = outcomes.map(({ leftOut, ...outcome }) => ({ ...outcome, left_out: leftOut }))
  const { numAffectedRows } = await sql`UPDATE move_change AS change
    SET outcome = given.outcome, problem = given.problem, left_out = given.left_out
    FROM jsonb_to_recordset(${storedJson(given)}::jsonb) AS given (
      id text, outcome text, problem text, left_out text[])
    WHERE change.space_id = ${spaceId} AND change.move_id = ${moveId} AND change.model_id = ${modelId}
      AND change.document_id = given.id AND change.outcome IS NULL`.execute(db)
  return Number(numAffectedRows ?? 0) === outcomes.length
}

/** Documents of which some values were left out. */
export function listLeftOut(db: Db, scope: SpaceScope, moveId: string) {
  return changesOf(db, scope, moveId)
    .select(['model_id as modelId', 'document_id as id', 'left_out as leftOut'])
    .where(sql<SqlBool>`left_out <> '{}'`)
    .orderBy('model_id')
    .orderBy('document_id')
    .execute()
}
