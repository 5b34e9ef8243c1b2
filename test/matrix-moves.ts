import { sql } from 'kysely'
import { newId } from '#server/lib/ids.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import { unique } from './factories.ts'
import type { TestInstallation } from './server.ts'

/** Returns the plan of an archive with one model without fields. */
export function movePlan(): MovePlan {
  const documents = { draft: 0, published: 0, changed: 0, unpublished: 0 }
  const uid = 'article'
  const model = {
    from: uid,
    uid,
    name: '記事',
    description: '',
    fields: [],
    titleField: null,
    foundBy: null,
    documents,
  }
  return {
    source: {
      kind: 'newt',
      space: 'demo',
      app: 'blog',
      status: 'complete',
      finishedAt: '2026-11-20T00:00:00.000Z',
    },
    app: { uid: unique('moved'), name: '移ってきたApp' },
    models: [{ ...model, source: 'contents' }],
    customTypes: [],
    counts: { documents: 0, assets: 0, bytes: 0 },
    problems: [],
  }
}

/** Adds a move of this account that can be started. */
export async function addMove(
  { database }: TestInstallation,
  spaceUid: string,
  createdBy: string,
): Promise<string> {
  const id = newId()
  const plan = JSON.stringify(movePlan())
  await database.kysely
    .insertInto('move')
    .columns(['space_id', 'id', 'kind', 'state', 'file_name', 'file_size', 'plan', 'created_by'])
    .expression((query) =>
      query
        .selectFrom('space')
        .select((select) => [
          'id as space_id',
          select.val(id).as('id'),
          select.val('contents').as('kind'),
          select.val('planned').as('state'),
          select.val('blog.zip').as('file_name'),
          sql<number>`1000`.as('file_size'),
          sql<string>`${plan}::jsonb`.as('plan'),
          select.val(createdBy).as('created_by'),
        ])
        .where('uid', '=', spaceUid),
    )
    .execute()
  return id
}

/** Adds an import into an app that can be started and has no contents. */
export async function addImport(
  installation: TestInstallation,
  spaceUid: string,
  appUid: string,
  createdBy: string,
): Promise<string> {
  const id = await addMove(installation, spaceUid, createdBy)
  const { source, app, counts } = movePlan()
  const additions = { models: [], parts: [], customTypes: [] }
  const changes = { source, app, counts, models: [], additions, newModels: [], missingModels: [] }
  await sql`UPDATE move SET kind = 'import', plan = NULL, changes = ${JSON.stringify(changes)}::jsonb, updates = move.id,
      app_id = (SELECT app.id FROM app WHERE app.space_id = move.space_id AND app.uid = ${appUid} AND app.deleted_at IS NULL)
    WHERE move.id = ${id}`.execute(installation.database.kysely)
  return id
}
