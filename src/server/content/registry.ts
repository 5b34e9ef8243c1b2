import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import { batching } from '#server/lib/batching.ts'
import { type CustomType, createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { readConversion, type StoredConversion } from '#shared/fields/stored-conversions.ts'
import type { ContentApp, ContentModel, ContentSpace } from './model.ts'
import { listenForNotices, type Notices } from './notices.ts'
import type { Handle } from './read.ts'
import { createVersions, type Versions } from './versions.ts'

/** A space with its apps and models, and the version at which they were read. */
export interface KnownSpace {
  space: ContentSpace
  version: string
}

export interface Registry {
  /**
   * Returns the cached space if it matches `version` (content/versions.ts), otherwise loads it from the database.
   * Without `version`, any cached space matches. undefined: the space does not exist.
   */
  space(id: number, version?: string): Promise<KnownSpace | undefined>
  versions: Versions
  notices: Notices
  close(): Promise<void>
}

/** Creates the registry. It reads through the delivery pool and listens on a dedicated connection. */
export function createRegistry(database: Pick<Database, 'pool' | 'deliveryPool'>): Registry {
  const notices = listenForNotices(database)
  const versions = createVersions(database)
  const known = new LRUCache<number, KnownSpace>({ max: 500 })

  /**
   * Loads a space into the cache. The version is read before the data, so the data can only be newer than its version.
   */
  async function load(id: number): Promise<KnownSpace | undefined> {
    const version = (await versions.ofSpace(id))?.models
    const space = version && (await loadSpace(database.deliveryPool, id))
    if (!space) return void known.delete(id)
    const found = { space, version }
    known.set(id, found)
    return found
  }
  const loads = batching(async (ids: number[]) => {
    const different = [...new Set(ids)]
    return new Map(await Promise.all(different.map(async (id) => [id, await load(id)] as const)))
  }, 1)

  return {
    async space(id, version) {
      const found = known.get(id)
      if (found && (version === undefined || found.version === version)) return found
      return (await loads(id)).get(id)
    },
    versions,
    notices,
    close: () => notices.close(),
  }
}

/** Reads a space with its current apps and models; undefined if it does not exist. */
export async function loadSpace(handle: Handle, spaceId: number): Promise<ContentSpace | undefined> {
  const alive = 'WHERE space_id = $1 AND deleted_at IS NULL'
  const spaces = await handle.query('SELECT uid FROM space WHERE id = $1 AND deleted_at IS NULL', [spaceId])
  if (!spaces.rows[0]) return undefined
  const apps = await handle.query(`SELECT id, uid, name, icon, cover FROM app ${alive}`, [spaceId])
  // One statement, so that models and the custom types that they name come from one snapshot.
  const found = await handle.query(
    `SELECT true AS "isModel", id, app_id, public_id, uid, title_field, fields, conversions FROM model ${alive}` +
      ' UNION ALL SELECT false, id, app_id, public_id, uid, NULL, fields, NULL FROM custom_type WHERE space_id = $1',
    [spaceId],
  )
  const models = found.rows.filter((row) => row.isModel)
  const resolvers = resolversOf(found.rows.filter((row) => !row.isModel))
  const space: ContentSpace = { id: spaceId, uid: String(spaces.rows[0].uid), apps: new Map() }
  const byId = new Map<unknown, ContentApp>()
  for (const row of apps.rows as unknown as Omit<ContentApp, 'space' | 'models'>[]) {
    const app: ContentApp = { ...row, space, models: new Map() }
    byId.set(row.id, app)
    space.apps.set(row.uid, app)
  }
  for (const row of models) {
    const app = byId.get(row.app_id)
    if (!app) continue
    const stored = row.fields as Field[]
    const fields = resolvers.get(row.app_id)?.(stored) ?? stored
    const model: ContentModel = {
      id: Number(row.id),
      publicId: String(row.public_id),
      uid: String(row.uid),
      titleField: row.title_field as string | null,
      fields,
      fieldsByUid: new Map(fields.map((field) => [field.uid, field])),
      conversions: (row.conversions as StoredConversion[]).map(readConversion),
      app,
    }
    app.models.set(model.uid, model)
  }
  return space
}

/** Returns functions that resolve the custom types in the fields of models, by app. */
function resolversOf(rows: Record<string, unknown>[]): Map<unknown, (fields: Field[]) => Field[]> {
  const types = new Map<unknown, CustomType[]>()
  for (const { app_id: appId, public_id: _id, uid, fields } of rows)
    types.set(appId, [...(types.get(appId) ?? []), { _id, uid, fields } as CustomType])
  return new Map([...types].map(([appId, ofApp]) => [appId, createResolver(ofApp)]))
}
