import { sql } from 'kysely'
import type { AppScope, Db } from '#server/db/scope.ts'

/** A recorded caller of the delivery API (`delivery/site-requests.ts`). */
export interface SiteRequestRow {
  model: string
  api: 'cdn' | 'api'
  site: string
  agent: string
  firstAt: Date
  lastAt: Date
}

/** Returns up to `limit` callers of the app's models in the last 30 days, most recent first. */
export async function listSiteRequests(
  db: Db,
  { spaceId, appId }: AppScope,
  limit: number,
): Promise<SiteRequestRow[]> {
  return db
    .selectFrom('site_request')
    .innerJoin('model', (join) =>
      join
        .onRef('model.space_id', '=', 'site_request.space_id')
        .onRef('model.id', '=', 'site_request.model_id'),
    )
    .select([
      'model.uid as model',
      'kind as api',
      'site',
      'agent',
      'first_at as firstAt',
      'last_at as lastAt',
    ])
    .where('site_request.space_id', '=', spaceId)
    .where('model.app_id', '=', appId)
    .where('model.deleted_at', 'is', null)
    .where('last_at', '>', sql<Date>`now() - interval '30 days'`)
    .orderBy('last_at', 'desc')
    .orderBy('model.uid')
    .limit(limit)
    .execute()
}
