import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { MoveChangeKind, MoveOutcome } from '#shared/contract/move-updates.ts'

/* Documents that differ between the archive of an update or import and the app. */

export interface ChangeRow {
  modelId: number
  id: string
  kind: MoveChangeKind
  takes: boolean
  /** Version of the document in the app at planning. null: it did not exist. */
  version: number | null
  title: string
}

/** Inserts changes. Existing rows keep their decisions. */
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

/** Counts changes by model, kind, decision and outcome. */
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

/** Returns a page of changes, model by model, and the total number. */
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

/**
 * Stores whether documents are taken from the source: all documents of a kind, or some documents of a model. Returns
 * the number of updated rows.
 */
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

/** Returns the changes of a model that have no outcome yet, by document `_id`, except changes of kind `removed`. */
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

/**
 * Stores outcomes, in the transaction that writes the documents. Returns false if another run has already stored one.
 */
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

/** Returns the documents with values that were left out. */
export function listLeftOut(db: Db, scope: SpaceScope, moveId: string) {
  return changesOf(db, scope, moveId)
    .select(['model_id as modelId', 'document_id as id', 'left_out as leftOut'])
    .where(sql<SqlBool>`left_out <> '{}'`)
    .orderBy('model_id')
    .orderBy('document_id')
    .execute()
}
