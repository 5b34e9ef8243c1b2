import { sql } from 'kysely'
import type { AppScope, Db, ModelScope } from '#server/db/scope.ts'
import type { ModelConversion, RepeatedValue } from '#shared/fields/convert.ts'
import { storeConversion } from '#shared/fields/stored-conversions.ts'
import type { ModelRecord } from './models.repository.ts'

/** The name of the job that converts documents (models.jobs.ts). */
export const conversionJob = 'models.convert'

/** Progress of converting a model's documents. `stopped`: the job failed or was cancelled. It can be run again. */
export interface ConversionState {
  state: 'waiting' | 'running' | 'stopped'
  done: number
  total: number | null
  /** Unique values that several published documents have, if they stopped the last run. Otherwise empty. */
  repeated: RepeatedValue[]
}

/** Returns the conversion state of each of these models by model id. All of them must have pending conversions. */
export async function listConversions(
  db: Db,
  scope: AppScope,
  models: ModelRecord[],
): Promise<Map<number, ConversionState>> {
  if (models.length === 0) return new Map()
  const ids = models.map((model) => model.scope.modelId)
  const { rows } = await sql<{ id: number } & Omit<ConversionState, 'repeated'>>`
    SELECT wanted.id, coalesce(job.state, 'stopped') AS state, coalesce(job.done, 0) AS done, job.total
    FROM unnest(${ids}::int[]) AS wanted (id) LEFT JOIN LATERAL (
      SELECT state, done, total FROM job WHERE space_id = ${scope.spaceId} AND name = ${conversionJob}
        AND payload->>'modelId' = wanted.id::text AND state IN ('waiting', 'running')
      ORDER BY state LIMIT 1) AS job ON true`.execute(db)
  return new Map(
    rows.map(({ id, ...state }) => {
      const model = models.find(({ scope: { modelId } }) => modelId === id)
      return [id, { ...state, repeated: model?.conversions.flatMap(({ repeated = [] }) => repeated) ?? [] }]
    }),
  )
}

/** Returns the number of the model's documents, including the trash. Counts up to `atMost`. */
export async function countStored(db: Db, scope: ModelScope, atMost?: number): Promise<number> {
  let documents = db
    .selectFrom('document')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
  if (atMost !== undefined) documents = documents.limit(atMost)
  const { count } = await db
    .selectFrom(documents.as('stored'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Removes the conversions up to this version, which are applied to all documents. */
export async function removeConversions(db: Db, model: ModelRecord, upTo: number): Promise<void> {
  await writeConversions(
    db,
    model,
    model.conversions.filter(({ version }) => version > upTo),
  )
}

/**
 * Stores up to {@link maximumTold} duplicate values of documents that could not be converted, until the next run ends.
 */
export async function tellRepeated(db: Db, model: ModelRecord, repeated: RepeatedValue[]): Promise<void> {
  const last = model.conversions.length - 1
  const told = model.conversions.map(({ repeated: _, ...conversion }, index) =>
    index === last ? { ...conversion, repeated: repeated.slice(0, maximumTold) } : conversion,
  )
  await writeConversions(db, model, told)
}

/** Maximum number of duplicate values stored. */
const maximumTold = 20

async function writeConversions(
  db: Db,
  { scope }: ModelRecord,
  conversions: ModelConversion[],
): Promise<void> {
  await db
    .updateTable('model')
    .set({ conversions: JSON.stringify(conversions.map(storeConversion)) })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .execute()
}
