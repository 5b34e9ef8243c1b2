import { sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import { readsModel, sharedBy } from '#server/access/grants.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type StoredValues, titleOf } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'

/** Documents outside the trash, in apps and models that are there, that use the asset in any stage. */
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

export interface AssetUser {
  app: { uid: string; name: string }
  model: { uid: string; name: string }
  id: string
  title: string
  published: boolean
  /** uids of the fields whose value it is; of others it stands in a text, or deeper inside. */
  fields: string[]
}

/** Who uses the asset, of the apps whose documents the caller may read, the newest first; `hidden` counts the others. */
export async function listUsers(
  { db, scope, grants }: SpaceContext,
  assetId: string,
  limit: number,
): Promise<{ users: AssetUser[]; total: number; hidden: number }> {
  const readable = sql.join(
    sharedBy(grants).map(({ memberId, seesEveryApp }) =>
      seesEveryApp
        ? sql`TRUE`
        : sql`EXISTS (SELECT FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id
        AND app_member.member_id = ${memberId} AND ${readsModel()})`,
    ),
    sql` AND `,
  )
  const { rows } = await sql<{
    id: string
    title: StoredValues
    titleField: string | null
    fields: Field[]
    holders: string[] | null
    published: boolean
    app: AssetUser['app']
    model: AssetUser['model']
    total: number
  }>`
    SELECT document.id, model.fields, model.title_field AS "titleField",
      CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object(
        model.title_field, coalesce(document.draft, document.pub)->model.title_field)) END AS title,
      (SELECT array_agg(key) FROM jsonb_each(coalesce(document.draft, document.pub)) AS entry(key, value)
        WHERE value @> to_jsonb(${assetId}::text)) AS holders,
      document.published_at IS NOT NULL AS published,
      jsonb_build_object('uid', app.uid, 'name', app.name) AS app,
      jsonb_build_object('uid', model.uid, 'name', model.name) AS model, count(*) OVER () AS total
    FROM ${users(scope, assetId)} WHERE ${readable}
    ORDER BY document.updated_at DESC, document.id LIMIT ${limit}`.execute(db)
  const total = rows[0]?.total ?? 0
  return {
    users: rows.map(({ title, titleField, fields, holders, total: _, ...row }) => ({
      ...row,
      fields: fields.filter(({ _id }) => holders?.includes(_id)).map(({ uid }) => uid),
      title: titleOf({ fields, titleField }, title),
    })),
    total,
    hidden: (await countUses(db, scope, assetId)) - total,
  }
}
