import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import { type CustomType, createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { readConversion, type StoredConversion } from '#shared/fields/stored-conversions.ts'
import type { ContentApp, ContentModel, ContentSpace } from './model.ts'
import { listenForNotices, type Notices } from './notices.ts'
import type { Handle } from './read.ts'

/** The apps and models of spaces, remembered until someone changes them. */
export interface Registry {
  /** undefined: there is no such space (any more). */
  space(id: number): Promise<ContentSpace | undefined>
  /** Forget a space now. Other processes hear of it by NOTIFY; so does this one, a moment later. */
  invalidate(spaceId: number): void
  notices: Notices
  close(): Promise<void>
}

/** While notices do not surely arrive, an entry lives this many milliseconds. */
const shortLife = 1000

/** Opens the registry; it reads through the delivery pool and listens on a connection of its own. */
export function createRegistry(database: Pick<Database, 'pool' | 'deliveryPool'>): Registry {
  const notices = listenForNotices(database)
  const spaces = new NoticedCache<number, ContentSpace | undefined>(notices, 500)
  notices.subscribe((notice) => {
    if (notice.kind === 'reset') spaces.clear()
    if (notice.kind === 'registry') spaces.delete(notice.spaceId)
  })
  return {
    space: (id) => spaces.get(id, () => loadSpace(database.deliveryPool, id)),
    invalidate: (spaceId) => spaces.delete(spaceId),
    notices,
    close: () => notices.close(),
  }
}

/**
 * Values that stay until a notice removes them, or for a second while notices are not sure to arrive. Holds promises:
 * an answer that was under way when the notice came is given to those who waited for it, and then forgotten.
 */
export class NoticedCache<Key extends string | number, Value> {
  private readonly entries: LRUCache<Key, { value: Promise<Value>; at: number }>
  private readonly notices: Notices

  constructor(notices: Notices, max: number) {
    this.notices = notices
    this.entries = new LRUCache({ max })
  }

  get(key: Key, load: () => Promise<Value>): Promise<Value> {
    const known = this.entries.get(key)
    if (known && (this.notices.isLive() || performance.now() - known.at < shortLife)) return known.value
    const entry = { value: load(), at: performance.now() }
    this.entries.set(key, entry)
    entry.value.catch(() => {
      if (this.entries.peek(key) === entry) this.entries.delete(key)
    })
    return entry.value
  }

  delete(key: Key): void {
    this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }
}

/** Reads a space with its apps and models as they are now. */
export async function loadSpace(handle: Handle, spaceId: number): Promise<ContentSpace | undefined> {
  const alive = 'WHERE space_id = $1 AND deleted_at IS NULL'
  const spaces = await handle.query('SELECT uid FROM space WHERE id = $1 AND deleted_at IS NULL', [spaceId])
  if (!spaces.rows[0]) return undefined
  const apps = await handle.query(`SELECT id, uid, name, icon, cover FROM app ${alive}`, [spaceId])
  // One statement: a model must not be seen naming a custom type that has another name by then.
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

/** What makes the fields of models whole, by app, from the rows of the custom types. */
function resolversOf(rows: Record<string, unknown>[]): Map<unknown, (fields: Field[]) => Field[]> {
  const types = new Map<unknown, CustomType[]>()
  for (const { app_id: appId, public_id: _id, uid, fields } of rows)
    types.set(appId, [...(types.get(appId) ?? []), { _id, uid, fields } as CustomType])
  return new Map([...types].map(([appId, ofApp]) => [appId, createResolver(ofApp)]))
}
