/** @module-tag full */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Content, type FixtureModel } from '#test/content-fixtures.ts'
import { type FieldIndexer, startFieldIndexer } from '#test/field-indexes.ts'
import { startInstallation, type TestInstallation } from '#test/server.ts'
import type { ContentModel } from '../model.ts'
import { listStatement } from '../query/list.ts'
import { deliveryList, managementList, parseQuery } from '../query/parse.ts'
import type { Stage } from '../query/row-sql.ts'
import { createRegistry } from '../registry.ts'
import { usesOf } from './uses.ts'

/*
 * A list is read along an index that has its order, whatever statistics PostgreSQL has. Sorting 1,000 documents to
 * return 20 would decompress 1,000 bodies.
 */

const sizes = process.env.IMORI_TEST_LENGTH === 'full' ? [1_200, 10_000, 12_200, 100_000] : [1_200, 10_000]

let installation: TestInstallation
let indexes: FieldIndexer
let model: FixtureModel
let known: ContentModel
const errors: unknown[] = []

const id = (n: number) => n.toString(16).padStart(24, '0')
/** Ids of two sections: one has about a tenth of all documents, the other has three documents. */
const [common, rare] = [id(1), id(11)]

beforeAll(async () => {
  installation = await startInstallation()
  const { database } = installation
  const content = new Content(database.pool)
  const spaceId = await content.space('plans')
  model = await content.model(spaceId, await content.app(spaceId, 'blog'), 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'rank', type: 'NUMBER' },
    { uid: 'date', type: 'DATE' },
    { uid: 'section', type: 'REFERENCE', modelUid: 'article' },
    { uid: 'body', type: 'TEXT', inputType: 'textarea' },
  ])
  indexes = startFieldIndexer(database, { subscribe() {} }, (error) => errors.push(error), {
    every: 3_600_000,
    largeFrom: 500,
  })
  const registry = createRegistry(database)
  known = (await registry.space(spaceId))!.space.apps.get('blog')!.models.get('article')!
  await registry.close()
})

afterAll(async () => {
  await indexes?.close()
  await installation?.close()
})

/** Adds published documents numbered `from` up to but not including `to`, with incompressible bodies. */
async function grow(from: number, to: number): Promise<void> {
  const of = (uid: string) => model.fields.find((field) => field.uid === uid)!._id
  await installation.database.jobsPool.query(
    `INSERT INTO document (space_id, model_id, id, pub, published_version, created_at, updated_at, first_published_at,
       published_at, published_updated_at)
     SELECT $1, $2, lpad(to_hex(n), 24, '0'), jsonb_build_object('${of('title')}', jsonb_build_array('題 ' || (n * 7919) % 10007),
         '${of('slug')}', jsonb_build_array('s-' || n), '${of('rank')}', jsonb_build_array(n % 1000),
         '${of('date')}', jsonb_build_array(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')),
         '${of('section')}', jsonb_build_array(lpad(to_hex(CASE WHEN n % 400 = 3 AND n < 1200 THEN 11 ELSE 1 + n % 10 END), 24, '0')),
         '${of('body')}', jsonb_build_array((SELECT string_agg(md5(n::text || part), '') FROM generate_series(1, 80) part))),
       1, at, at, at, at, at
     FROM generate_series($3::int, $4::int - 1) n, LATERAL (SELECT timestamptz '2020-01-01Z' + n * interval '1 hour' AS at) moment`,
    [model.spaceId, model.id, from, to],
  )
  await installation.database.pool.query(
    'UPDATE model_stat SET published = $2, documents = $2 WHERE model_id = $1',
    [model.id, to],
  )
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

/**
 * Returns the plan nodes of a list that sort documents or read them without an index. The list is planned for its
 * values or generically (`generic`).
 */
async function faults(
  db: pg.PoolClient,
  { stage, query, generic }: { stage: Stage; query: string; generic: boolean },
): Promise<string[]> {
  const settings = stage === 'published' ? deliveryList : managementList
  const options = { indexes, managed: stage === 'current' }
  const { text, values } = listStatement(known, stage, parseQuery(query, known, settings), options)
  await db.query(`SET LOCAL plan_cache_mode = ${generic ? 'force_generic_plan' : 'force_custom_plan'}`)
  await db.query(`PREPARE list AS ${text}`)
  const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
  const { rows } = await db.query(`EXPLAIN (FORMAT JSON) EXECUTE list${given && `(${given})`}`)
  await db.query('DEALLOCATE list')
  const found: string[] = []
  const look = (plan: Plan): void => {
    const isScan = /^document_\d+$/.test(plan['Relation Name'] ?? '')
    if (/Sort/.test(plan['Node Type']) || (isScan && !/^Index/.test(plan['Node Type'])))
      found.push(plan['Node Type'])
    plan.Plans?.forEach(look)
  }
  look(rows[0]['QUERY PLAN'][0].Plan)
  return found
}

const inOrder = [
  'order=title&limit=20',
  'order=-date&limit=20',
  'order=-rank&limit=20&skip=100',
  'slug=s-321&limit=1',
  ...[common, rare].flatMap((section) => [
    `section=${section}&limit=20`,
    `section=${section}&limit=20&skip=40`,
    `section=${section}&limit=100&order=-date`,
    `section=${section}&limit=20&order=-date`,
    `section=${section}&limit=1&order=rank`,
    `section=${section}&limit=20&order=_sys.updatedAt`,
  ]),
]

test.each(sizes)(
  'with %i documents, lists filtered by one equality or sorted by a field use index scans, not a sort',
  async (size) => {
    const { pool } = installation.database
    const { rows } = await pool.query('SELECT documents FROM model_stat WHERE model_id = $1', [model.id])
    await grow(Number(rows[0].documents), size)
    for (const query of inOrder) {
      indexes.note(usesOf(known, 'published', parseQuery(query, known, deliveryList)))
      indexes.note(usesOf(known, 'current', parseQuery(query, known, managementList)))
    }
    await indexes.run()
    expect(errors).toEqual([])
    const wrong: string[] = []
    const look = async (belief: string) => {
      const db = await pool.connect()
      try {
        await db.query('BEGIN')
        await db.query(`SELECT set_config('imori.space_id', $1, true)`, [String(model.spaceId)])
        for (const stage of ['published', 'current'] as const)
          for (const query of inOrder)
            for (const generic of [false, true]) {
              const found = await faults(db, { stage, query, generic })
              if (found.length > 0) wrong.push([belief, stage, query, generic, ...found].join(' '))
            }
      } finally {
        db.release(true)
      }
    }
    // At the first size, PostgreSQL has no statistics at this point. At larger sizes, the statistics are from the
    // previous size.
    await look('as it was before')
    await pool.query('ANALYZE document')
    await look('as it is')
    expect(wrong).toEqual([])
  },
)
