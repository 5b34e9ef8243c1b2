import type pg from 'pg'
import { documentText } from '#server/content/text.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import { type Field, type FieldInput, fieldSchema } from '#shared/fields/index.ts'

/*
 * Content for tests and benchmarks, written by SQL as the management API would write it: values, search text,
 * counters and notices in one transaction.
 */

export interface FixtureModel {
  id: number
  publicId: string
  uid: string
  spaceId: number
  appId: number
  fields: Field[]
}

type Moment = string | Date

export interface FixtureDocument {
  id?: string
  /** Published values by field uid; left out: a draft only. */
  pub?: Record<string, unknown>
  /** Newer or only values by field uid. */
  draft?: Record<string, unknown>
  createdAt?: Moment
  updatedAt?: Moment
  firstPublishedAt?: Moment | null
  publishedAt?: Moment
  customOrder?: number | null
  deletedAt?: Moment
}

type Spec<F> = F extends unknown ? Omit<F, '_id' | 'name'> & { _id?: string; name?: string } : never
type FieldSpec = Spec<FieldInput>

/** Makes content in a database that is otherwise empty. */
export class Content {
  readonly pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.pool = pool
  }

  async space(uid: string): Promise<number> {
    return (await this.one('INSERT INTO space (uid, name) VALUES ($1, $1) RETURNING id', [uid])).id as number
  }

  async app(spaceId: number, uid: string, extra: { icon?: object; cover?: object } = {}): Promise<number> {
    const row = await this.one(
      'INSERT INTO app (space_id, uid, name, icon, cover) VALUES ($1, $2, $3, $4, $5) RETURNING id',
      [spaceId, uid, `${uid} の名前`, json(extra.icon), json(extra.cover)],
    )
    return row.id as number
  }

  async model(spaceId: number, appId: number, uid: string, specs: FieldSpec[]): Promise<FixtureModel> {
    const fields = specs.map((spec) => fieldSchema.parse({ _id: newId(), name: spec.uid, ...spec }))
    const publicId = newId()
    const row = await this.one(
      'INSERT INTO model (space_id, app_id, public_id, uid, name, fields) VALUES ($1, $2, $3, $4, $4, $5) RETURNING id',
      [spaceId, appId, publicId, uid, JSON.stringify(fields)],
    )
    const id = row.id as number
    await this.pool.query('INSERT INTO model_stat (space_id, model_id) VALUES ($1, $2)', [spaceId, id])
    await this.notify({ kind: 'registry', spaceId })
    return { id, publicId, uid, spaceId, appId, fields }
  }

  /** Gives the documents' `_id`s, in the order given. */
  async documents(model: FixtureModel, documents: FixtureDocument[]): Promise<string[]> {
    const client = await this.pool.connect()
    try {
      await client.query('BEGIN')
      const ids: string[] = []
      for (const document of documents) ids.push(await insert(client, model, document))
      const alive = documents.filter((document) => !document.deletedAt)
      await client.query(
        'UPDATE model_stat SET documents = documents + $2, published = published + $3, version = version + 1 WHERE model_id = $1',
        [model.id, alive.length, alive.filter((document) => document.pub).length],
      )
      await client.query(`SELECT pg_notify('imori', $1)`, [
        JSON.stringify({ kind: 'model', modelId: model.id }),
      ])
      await client.query('COMMIT')
      return ids
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }

  /** Gives the token's value. */
  async token(spaceId: number, kind: 'cdn' | 'api', appIds: number[] | null = null): Promise<string> {
    const value = `${kind}_${newId()}${newId()}`
    await this.pool.query(
      'INSERT INTO token (space_id, id, kind, name, value_hash, last4, app_ids) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [spaceId, newId(), kind, kind, sha256(value), value.slice(-4), appIds],
    )
    await this.notify({ kind: 'token', spaceId })
    return value
  }

  async notify(notice: object): Promise<void> {
    await this.pool.query(`SELECT pg_notify('imori', $1)`, [JSON.stringify(notice)])
  }

  private async one(text: string, values: unknown[]): Promise<Record<string, unknown>> {
    return (await this.pool.query(text, values)).rows[0]
  }
}

/** Values by field uid as they are stored: by field `_id`, empty ones left out. */
export function stored(model: { fields: Field[] }, values: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [uid, value] of Object.entries(values)) {
    const field = model.fields.find((candidate) => candidate.uid === uid)
    if (!field) throw new Error(`no field ${uid}`)
    const empty = value == null || value === '' || (Array.isArray(value) && value.length === 0)
    if (!empty) result[field._id] = value
  }
  return result
}

async function insert(
  client: pg.PoolClient,
  model: FixtureModel,
  document: FixtureDocument,
): Promise<string> {
  const id = document.id ?? newId()
  const pub = document.pub && stored(model, document.pub)
  const draft = document.draft && stored(model, document.draft)
  const createdAt = document.createdAt ?? new Date()
  const publishedAt = pub ? (document.publishedAt ?? document.firstPublishedAt ?? createdAt) : null
  const firstPublishedAt =
    document.firstPublishedAt === undefined ? publishedAt : (document.firstPublishedAt ?? null)
  await client.query(
    `INSERT INTO document (space_id, model_id, id, draft, pub, published_version, custom_order, created_at,
       updated_at, first_published_at, published_at, deleted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      model.spaceId,
      model.id,
      id,
      json(draft),
      json(pub),
      pub ? 1 : null,
      document.customOrder ?? null,
      createdAt,
      document.updatedAt ?? createdAt,
      firstPublishedAt,
      publishedAt,
      document.deletedAt ?? null,
    ],
  )
  const stages = [
    [0, draft ?? pub],
    [1, pub],
  ] as const
  for (const [stage, values] of stages) {
    if (!values) continue
    const { texts, grams } = documentText(model, values)
    await client.query(
      'INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams) VALUES ($1, $2, $3, $4, $5, $6)',
      [model.spaceId, model.id, id, stage, JSON.stringify(texts), grams],
    )
  }
  return id
}

const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
