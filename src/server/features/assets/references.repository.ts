import { type RawBuilder, sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import { readsModel, sharedBy } from '#server/access/grants.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'

/**
 * Selects the documents that use the asset in their draft or published state. Omits documents, models and apps in the
 * trash.
 */
const users = ({ spaceId }: SpaceScope, assetId: string) => sql`
  (SELECT DISTINCT model_id, document_id FROM asset_reference
    WHERE space_id = ${spaceId} AND asset_id = ${assetId}) AS used
  JOIN document ON document.space_id = ${spaceId} AND document.model_id = used.model_id
    AND document.id = used.document_id AND document.deleted_at IS NULL
  JOIN model ON model.space_id = ${spaceId} AND model.id = document.model_id AND model.deleted_at IS NULL
  JOIN app ON app.space_id = ${spaceId} AND app.id = model.app_id AND app.deleted_at IS NULL`

export async function countUses(db: Db, scope: SpaceScope, assetId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM ${users(scope, assetId)}`.execute(db)
  return rows[0]?.total ?? 0
}

/**
 * Maximum size in bytes of a value that is searched. A field with a larger value is reported without a place inside it.
 */
const largestValue = 64_000

/**
 * Selects the values of a state that contain the asset's id, by field. A value larger than `largestValue` is null. The
 * result is SQL NULL if no value contains the id.
 */
const holding = (values: RawBuilder<unknown>, assetId: string) => sql`
  (SELECT jsonb_object_agg(key, CASE WHEN pg_column_size(value) <= ${largestValue} THEN value END)
    FROM jsonb_each(${values}) AS entry(key, value) WHERE strpos(value::text, ${assetId}) > 0)`

interface FoundUser {
  id: string
  title: StoredValues
  titleField: string | null
  fields: Field[]
  holders: string[] | null
  holding: StoredValues | null
  appId: number
  modelId: number
  published: boolean
  app: { uid: string; name: string }
  model: { uid: string; name: string }
  total: number
}

/**
 * Returns up to `limit` documents that use the asset and that the caller may read, last updated first. `total` is the
 * number of all such documents.
 */
export async function findUsers(
  { db, scope, grants }: Pick<SpaceContext, 'db' | 'scope' | 'grants'>,
  assetId: string,
  limit: number,
): Promise<FoundUser[]> {
  const readable = sql.join(
    sharedBy(grants).map(({ memberId, seesEveryApp }) =>
      seesEveryApp
        ? sql`TRUE`
        : sql`EXISTS (SELECT FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id
        AND app_member.member_id = ${memberId} AND ${readsModel()})`,
    ),
    sql` AND `,
  )
  const { rows } = await sql<FoundUser>`
    SELECT document.id, model.fields, model.title_field AS "titleField",
      CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object(
        model.title_field, coalesce(document.draft, document.pub)->model.title_field)) END AS title,
      (SELECT array_agg(key) FROM jsonb_each(coalesce(document.draft, document.pub)) AS entry(key, value)
        WHERE value @> to_jsonb(${assetId}::text)) AS holders,
      coalesce(${holding(sql`coalesce(document.draft, document.pub)`, assetId)}, ${holding(sql`document.pub`, assetId)})
        AS holding,
      document.published_at IS NOT NULL AS published, app.id AS "appId", model.id AS "modelId",
      jsonb_build_object('uid', app.uid, 'name', app.name) AS app,
      jsonb_build_object('uid', model.uid, 'name', model.name) AS model, count(*) OVER () AS total
    FROM ${users(scope, assetId)} WHERE ${readable}
    ORDER BY document.updated_at DESC, document.id LIMIT ${limit}`.execute(db)
  return rows
}
