import type pg from 'pg'
import { namesIn, textRows } from '#server/content/derived.ts'
import { documentText, keptGrams } from '#server/content/text.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import { type Field, type FieldInput, fieldSchema } from '#shared/fields/index.ts'

/*
 * Creates content for tests and benchmarks by SQL. One transaction writes the documents with the rows that reading
 * needs (values, search text, references, counters) and sends a notification.
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
  /** Published values by field uid; omitted for a draft. */
  pub?: Record<string, unknown>
  /** Draft values by field uid. */
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

export class Content {
  readonly pool: pg.Pool
  /** Ids of models by app id and uid. */
  private readonly models = new Map<number, Map<string, number>>()

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
    this.models.set(appId, (this.models.get(appId) ?? new Map()).set(uid, id))
    await this.notify({ kind: 'registry', spaceId })
    return { id, publicId, uid, spaceId, appId, fields }
  }

  /** Adds documents. Returns their `_id`s in the given order. */
  async documents(model: FixtureModel, documents: FixtureDocument[]): Promise<string[]> {
    const client = await this.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SET LOCAL statement_timeout = 0') // A large insert takes long on a busy machine.
      const ids = await insert(client, model, this.models.get(model.appId) ?? new Map(), documents)
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

  async token(spaceId: number, kind: 'cdn' | 'api', appIds: number[] | null = null): Promise<string> {
    const value = `${kind}_${newId()}${newId()}`
    await this.pool.query(
      'INSERT INTO token (space_id, id, kind, name, value_hash, last4, app_ids) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [spaceId, newId(), kind, kind, sha256(value), value.slice(-4), appIds],
    )
    return value
  }

  async notify(notice: object): Promise<void> {
    await this.pool.query(`SELECT pg_notify('imori', $1)`, [JSON.stringify(notice)])
  }

  private async one(text: string, values: unknown[]): Promise<Record<string, unknown>> {
    return (await this.pool.query(text, values)).rows[0]
  }
}

/** Converts values by field uid to their stored form: by field `_id`, without empty values. */
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
  targets: Map<string, number>,
  documents: FixtureDocument[],
): Promise<string[]> {
  const rowOf = async (document: FixtureDocument) => {
    const { pub: pubByUid, draft: draftByUid, deletedAt = null, customOrder = null } = document
    const pub = pubByUid && stored(model, pubByUid)
    const draft = draftByUid && stored(model, draftByUid)
    const createdAt = document.createdAt ?? new Date()
    const states = textRows({ current: draft ?? pub ?? {}, pub: pub ?? null })
    const publishedAt = pub ? (document.publishedAt ?? document.firstPublishedAt ?? createdAt) : null
    const textOf = async ([stage, values]: (typeof states)[number]) => {
      const text = await documentText(model, values)
      return { stage, texts: text.texts, grams: keptGrams(text, stage) }
    }
    return {
      id: document.id ?? newId(),
      draft: json(draft),
      pub: json(pub),
      custom_order: customOrder,
      created_at: createdAt,
      updated_at: document.updatedAt ?? createdAt,
      first_published_at: document.firstPublishedAt === undefined ? publishedAt : document.firstPublishedAt,
      published_at: publishedAt,
      deleted_at: deletedAt,
      texts: await Promise.all(states.map(textOf)),
      references: namesIn(
        { fields: model.fields, targets },
        states.map(([, values]) => values),
      ).references,
    }
  }
  const rows = await Promise.all(documents.map(rowOf))
  await client.query(
    `INSERT INTO document (space_id, model_id, id, draft, pub, published_version, custom_order, created_at,
       updated_at, first_published_at, published_at, published_updated_at, deleted_at)
     SELECT $1, $2, r.id, r.draft::jsonb, r.pub::jsonb, CASE WHEN r.pub IS NOT NULL THEN 1 END, r.custom_order,
       r.created_at, r.updated_at, r.first_published_at, r.published_at,
       CASE WHEN r.pub IS NOT NULL THEN least(r.updated_at, r.published_at) END, r.deleted_at
     FROM jsonb_to_recordset($3) AS r(id text, draft text, pub text, custom_order float8, created_at timestamptz,
       updated_at timestamptz, first_published_at timestamptz, published_at timestamptz, deleted_at timestamptz)`,
    [model.spaceId, model.id, JSON.stringify(rows.map(({ texts, references, ...row }) => row))],
  )
  await client.query(
    `INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
     SELECT $1, $2, r.id, r.stage, r.texts, r.grams
     FROM jsonb_to_recordset($3) AS r(id text, stage smallint, texts jsonb, grams int[])`,
    [
      model.spaceId,
      model.id,
      JSON.stringify(rows.flatMap(({ id, texts }) => texts.map((text) => ({ id, ...text })))),
    ],
  )
  await client.query(
    `INSERT INTO document_reference (space_id, from_model_id, from_id, to_model_id, to_id)
     SELECT $1, $2, r.id, r.to_model, r.to_id
     FROM jsonb_to_recordset($3) AS r(id text, to_model int, to_id text)`,
    [
      model.spaceId,
      model.id,
      JSON.stringify(
        rows.flatMap(({ id, references }) =>
          references.map((target) => ({ id, to_model: target.modelId, to_id: target.id })),
        ),
      ),
    ],
  )
  return rows.map(({ id }) => id)
}

const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
