import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { enterSpace, spaceScope } from '#server/db/scope.ts'
import { Content, type FixtureDocument, type FixtureModel } from '#test/content-fixtures.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { lengthOf } from '#test/full-length.ts'
import { statementTimeoutFactor } from '#test/statement-patience.ts'
import type { ContentModel } from './model.ts'
import { deliveryList, managementList, parseQuery } from './query/parse.ts'
import type { Stage } from './query/sql.ts'
import { fromKysely, selectDocuments } from './read.ts'
import { loadSpace } from './registry.ts'
import { createTotalsCache } from './totals.ts'

/*
 * Runs random queries on random documents in PostgreSQL and in an independent evaluation in memory. Both must return
 * the same documents, in the same order, with the same total.
 */

let testDatabase: TestDatabase
let database: Database
let article: ContentModel

/** Returns a mulberry32 generator. With a fixed seed, every run has the same cases. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number) => Math.floor(next() * n)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const some = <T>(items: readonly T[], max: number): T[] => [
    ...new Set(Array.from({ length: below(max + 1) }, () => pick(items))),
  ]
  return { next, below, pick, some, chance: (p: number) => next() < p }
}
const r = random(20261121)

type Values = Record<string, unknown>
interface Doc {
  id: string
  pub: Values | undefined
  draft: Values | undefined
  deleted: boolean
  createdAt: string
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder: number | null
}

const titles = [
  '',
  'あ',
  'アップル',
  'ｱｯﾌﾟﾙ',
  'ABC',
  'abc(d);e',
  '東京タワー',
  '東京都',
  'a&b=c',
  'Z',
  'ｚ',
  '😀絵文字',
  "o'x\\",
]
const tags = ['news', 'ニュース', 'a b', 'x', 'Y']
const numbers = [0, 1, -1, 2.5, 10, 9007199254740991, -0.1]
const dates = [
  '2021-12-31T15:00:00.000Z',
  '2022-01-01T00:00:00.000Z',
  '2022-01-15T10:30:20.500Z',
  '2023-06-01T00:00:00.000Z',
]
const moments = [
  '2021-05-01T00:00:00.000Z',
  '2021-05-01T00:00:00.001Z',
  '2022-03-04T05:06:07.008Z',
  '2023-01-01T00:00:00.000Z',
]
const kinds = ['red', 'blue']
const sizes = [1, 2, 30]

const people: Doc[] = []
const articles: Doc[] = []

const hex = (n: number) => n.toString(16).padStart(24, '0')

function personValues(): Values {
  return {
    name: r.pick(titles),
    rank: r.chance(0.7) ? r.pick(numbers) : undefined,
    boss: r.chance(0.6) ? hex(1 + r.below(12)) : undefined,
  }
}

function articleValues(): Values {
  return {
    title: r.pick(titles),
    body: r.chance(0.7)
      ? `<p>${r.pick(['本文です', 'Tokyo タワー &amp; more', 'ＡＢＣ', 'x'])}</p>`
      : undefined,
    tags: r.some(tags, 3),
    n: r.chance(0.8) ? r.pick(numbers) : undefined,
    date: r.chance(0.8) ? r.pick(dates) : undefined,
    flag: r.chance(0.3) ? undefined : r.chance(0.5),
    kind: r.chance(0.7) ? r.pick(kinds) : undefined,
    sizes: r.some(sizes, 2),
    author: r.chance(0.8) ? hex(1 + r.below(14)) : undefined,
    related: r.some(
      Array.from({ length: 14 }, (_, index) => hex(index + 1)),
      3,
    ),
  }
}

function makeDoc(id: string, values: () => Values): Doc {
  const state = r.pick(['pub', 'pub', 'pub', 'draft', 'changed', 'unpublished', 'trash'])
  const published = state === 'pub' || state === 'changed'
  const publishedAt = published ? r.pick(moments) : null
  return {
    id,
    pub: published ? values() : undefined,
    draft: state === 'pub' ? undefined : values(),
    deleted: state === 'trash',
    createdAt: r.pick(moments),
    updatedAt: r.pick(moments),
    firstPublishedAt: published ? r.pick(moments) : state === 'unpublished' ? r.pick(moments) : null,
    publishedAt,
    customOrder: r.chance(0.5) ? r.below(5) : null,
  }
}

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection, undefined, undefined, statementTimeoutFactor)
  const content = new Content(database.pool)
  const spaceId = await content.space('acme')
  const appId = await content.app(spaceId, 'blog')
  const person = await content.model(spaceId, appId, 'person', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'rank', type: 'NUMBER' },
    { uid: 'boss', type: 'REFERENCE', modelUid: 'person' },
  ])
  const model = await content.model(spaceId, appId, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'tags', type: 'TEXT', multiple: true },
    { uid: 'n', type: 'NUMBER' },
    { uid: 'date', type: 'DATE' },
    { uid: 'flag', type: 'CHECKBOX' },
    { uid: 'kind', type: 'SELECT', options: kinds.map((value) => ({ value, label: value })) },
    {
      uid: 'sizes',
      type: 'SELECT',
      multiple: true,
      valueType: 'number',
      options: sizes.map((value) => ({ value, label: String(value) })),
    },
    { uid: 'author', type: 'REFERENCE', modelUid: 'person' },
    { uid: 'related', type: 'REFERENCE', modelUid: 'person', multiple: true },
  ])
  for (let index = 1; index <= 12; index++) people.push(makeDoc(hex(index), personValues))
  for (let index = 1; index <= 90; index++) articles.push(makeDoc(hex(1000 + index * 7), articleValues))
  const write = (to: FixtureModel, docs: Doc[]) =>
    content.documents(
      to,
      docs.map(({ deleted, ...doc }): FixtureDocument => {
        const { pub, draft, publishedAt, ...rest } = doc
        return {
          ...rest,
          ...(pub ? { pub } : {}),
          ...(draft ? { draft } : {}),
          ...(publishedAt ? { publishedAt } : {}),
          ...(deleted ? { deletedAt: '2024-01-01T00:00:00Z' } : {}),
        }
      }),
    )
  await write(person, people)
  await write(model, articles)
  const space = await loadSpace(database.pool, spaceId)
  article = space?.apps.get('blog')?.models.get('article') as ContentModel
})

afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

const shown = (doc: Doc, stage: Stage): Values | undefined =>
  stage === 'published' ? doc.pub : doc.deleted ? undefined : (doc.draft ?? doc.pub)

function systemValue(doc: Doc, stage: Stage, name: string): unknown {
  const published = stage === 'published'
  switch (name) {
    case '_id':
      return doc.id
    case '_sys.createdAt':
      return published ? doc.firstPublishedAt : doc.createdAt
    case '_sys.updatedAt':
      return published ? doc.publishedAt : doc.updatedAt
    case '_sys.customOrder':
      return doc.customOrder
    case '_sys.raw.updatedAt':
      return published && doc.publishedAt && doc.publishedAt < doc.updatedAt ? doc.publishedAt : doc.updatedAt
    case '_sys.status':
      return doc.publishedAt === null ? 'draft' : doc.draft ? 'changed' : 'published'
    default:
      return doc[name.slice(9) as keyof Doc]
  }
}

/** Returns all values that a path leads to. A boolean always has a value. */
function valuesAt(doc: Doc, stage: Stage, path: string): unknown[] {
  if (path.startsWith('_')) return [systemValue(doc, stage, path)].filter((value) => value !== null)
  const dot = path.indexOf('.')
  const head = dot < 0 ? path : path.slice(0, dot)
  const raw = shown(doc, stage)?.[head]
  const items = (Array.isArray(raw) ? raw : [raw]).filter((value) => value !== undefined && value !== '')
  if (dot < 0) return head === 'flag' ? [raw ?? false] : items
  return items.flatMap((id) => {
    const target = people.find((candidate) => candidate.id === id)
    return target && shown(target, stage) ? valuesAt(target, stage, path.slice(dot + 1)) : []
  })
}

const plainText = (html: unknown) =>
  String(html)
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
const fold = (text: unknown) => plainText(text).normalize('NFKC').toLowerCase()
const hiragana = (text: string) =>
  text.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))

type Accept = (doc: Doc, stage: Stage) => boolean
interface Case {
  wire: string
  accept: Accept
}

const textPaths = [
  'title',
  'tags',
  'kind',
  'author.name',
  'related.name',
  'author.boss.name',
  'related.boss.name',
]
const numberPaths = [
  'n',
  'author.rank',
  'related.rank',
  'sizes',
  'author._sys.customOrder',
  '_sys.customOrder',
]
const datePaths = [
  'date',
  '_sys.createdAt',
  '_sys.updatedAt',
  '_sys.raw.createdAt',
  '_sys.raw.publishedAt',
  '_sys.raw.updatedAt',
  '_sys.raw.firstPublishedAt',
  'author._sys.createdAt',
]
const spans: [string, string, string][] = [
  ['2021', '2021-01-01', '2022-01-01'],
  ['2022-01', '2022-01-01', '2022-02-01'],
  ['2022-01-01', '2022-01-01', '2022-01-02'],
  ['2021-05-01T00:00', '2021-05-01T00:00:00.000Z', '2021-05-01T00:01:00.000Z'],
  ['2022-01-01T00:00:00+09:00', '2021-12-31T15:00:00.000Z', '2021-12-31T15:00:01.000Z'],
  ['2021-05-01T00:00:00.001Z', '2021-05-01T00:00:00.001Z', '2021-05-01T00:00:00.002Z'],
]

const isIn = (span: [string, string, string]) => (value: unknown) =>
  String(value) >= span[1] && String(value) < span[2]

function filter(): Case {
  const encode = r.chance(0.5)
    ? encodeURIComponent
    : (text: string) => text.replace(/[%&+#]/g, encodeURIComponent)
  const any =
    (path: string, test: (value: unknown) => boolean): Accept =>
    (doc, stage) =>
      valuesAt(doc, stage, path).some(test)
  const not =
    (accept: Accept): Accept =>
    (doc, stage) =>
      !accept(doc, stage)
  const equality = (path: string, shownValue: string, test: (value: unknown) => boolean): Case => {
    const negated = r.chance(0.3)
    return {
      wire: `${path}${negated ? '[ne]' : ''}=${encode(shownValue)}`,
      accept: negated ? not(any(path, test)) : any(path, test),
    }
  }
  const list = (path: string, items: [string, (value: unknown) => boolean][]): Case => {
    const negated = r.chance(0.4)
    const accept: Accept = (doc, stage) => items.some(([, test]) => any(path, test)(doc, stage))
    return {
      wire: `${path}[${negated ? 'nin' : 'in'}]=${encode(items.map(([text]) => text).join(','))}`,
      accept: negated ? not(accept) : accept,
    }
  }
  const compare = (path: string, shownValue: string, than: string | number): Case => {
    const operator = r.pick(['lt', 'lte', 'gt', 'gte'] as const)
    const test = (value: unknown) => {
      const a = value as string | number
      return { lt: a < than, lte: a <= than, gt: a > than, gte: a >= than }[operator]
    }
    return { wire: `${path}[${operator}]=${encode(shownValue)}`, accept: any(path, test) }
  }

  switch (r.below(12)) {
    case 0: {
      const value = r.pick(titles.slice(1))
      const path = r.pick(textPaths)
      return equality(
        path,
        path === 'kind' ? 'red' : value,
        (found) => found === (path === 'kind' ? 'red' : value),
      )
    }
    case 1:
      return list(
        r.pick(textPaths),
        [...r.some(titles.slice(1), 2), ...r.some(tags, 2), 'blue'].map((text) => [
          text,
          (found) => found === text,
        ]),
      )
    case 2: {
      const value = r.pick([...numbers, ...sizes])
      return equality(r.pick(numberPaths), String(value), (found) => found === value)
    }
    case 3: {
      const value = r.pick(numbers)
      return compare(r.pick(numberPaths.filter((path) => path !== 'sizes')), String(value), value)
    }
    case 4:
      return list(
        r.pick(numberPaths),
        [...r.some(numbers, 2), 30].map((value) => [String(value), (found) => found === value]),
      )
    case 5: {
      const span = r.pick(spans)
      return equality(r.pick(datePaths), span[0], isIn(span))
    }
    case 6: {
      const span = r.pick(spans)
      return compare(r.pick(datePaths), span[0], span[1].length === 10 ? `${span[1]}T00:00:00.000Z` : span[1])
    }
    case 7: {
      const chosen = [...r.some(spans, 2), r.pick(spans)]
      return list(
        r.pick(datePaths),
        chosen.map((span) => [span[0], isIn(span)]),
      )
    }
    case 8: {
      const path = r.pick(['title', 'body', 'tags', 'author.name', 'related.name'])
      const word = r.pick([
        'あ',
        '東京',
        'ｱｯﾌﾟ',
        'アップル',
        'aBc',
        '&',
        'タワー',
        'zz',
        'z',
        '\\',
        '😀',
        ');e',
      ])
      return {
        wire: `${path}[match]=${encode(word)}`,
        accept: any(path, (found) => fold(found).includes(fold(word))),
      }
    }
    case 9: {
      const path = r.pick([
        'title',
        'tags',
        'n',
        'flag',
        'author',
        'related',
        'author.boss',
        'related.rank',
        '_sys.customOrder',
        '_sys.raw.publishedAt',
        'body',
      ])
      const wanted = r.chance(0.5)
      const empty = path !== 'flag' && r.chance(0.3)
      const accept = any(path, () => true)
      return {
        wire: empty ? `${path}=` : `${path}[exists]=${wanted}`,
        accept: empty || !wanted ? not(accept) : accept,
      }
    }
    case 10: {
      const path = r.pick(['author', 'related', '_id', 'author.boss', 'related._id'])
      const id = r.chance(0.8) ? hex(1 + r.below(14)) : hex(1007)
      return r.chance(0.5)
        ? equality(path, id, (found) => found === id)
        : list(
            path,
            [hex(3), id].map((text) => [text, (found) => found === text]),
          )
    }
    default: {
      if (r.chance(0.3)) return equality('flag', String(r.chance(0.5)), () => false)
      const path = r.pick(['tags', 'related.name', 'related'])
      const pool =
        path === 'tags' ? tags : path === 'related' ? people.map(({ id }) => id) : titles.slice(1, 6)
      const items = [r.pick(pool), r.pick(pool)]
      return {
        wire: `${path}[all]=${encode(items.join(','))}`,
        accept: (doc, stage) => items.every((item) => any(path, (found) => found === item)(doc, stage)),
      }
    }
  }
}

/** Returns a random filter. A checkbox compares as a boolean, which the generic helper does not support. */
function condition(): Case {
  const made = filter()
  const box = /^flag(\[ne\])?=(true|false)$/.exec(made.wire)
  if (!box) return made
  const wanted = (box[2] === 'true') !== (box[1] !== undefined)
  return { wire: made.wire, accept: (doc, stage) => (shown(doc, stage)?.flag ?? false) === wanted }
}

/** Returns an `[or]` in the form of the client: everything inside is raw, and the whole value is form-encoded. */
function group(level: number): { raw: string; accept: Accept } {
  const branches = Array.from({ length: 1 + r.below(3) }, () => {
    const items: { raw: string; accept: Accept }[] = Array.from({ length: 1 + r.below(2) }, () => {
      let made = condition()
      // parse.test.ts covers ambiguous characters inside a group.
      while (/[();&]/.test(decodeURIComponent(made.wire))) made = condition()
      return { raw: decodeURIComponent(made.wire), accept: made.accept }
    })
    if (level < 3 && r.chance(0.3)) items.push(group(level + 1))
    return {
      raw: items.map((item) => item.raw).join('&'),
      accept: ((doc, stage) => items.every((item) => item.accept(doc, stage))) as Accept,
    }
  })
  return {
    raw: `[or]=(${branches.map((branch) => branch.raw).join(';')})`,
    accept: (doc, stage) => branches.some((branch) => branch.accept(doc, stage)),
  }
}

const sortable = [
  'title',
  'n',
  'date',
  'flag',
  'kind',
  '_sys.customOrder',
  '_sys.createdAt',
  '_sys.raw.publishedAt',
  '_id',
]

/** Compares by code points, not UTF-16 units. */
function compareText(a: string, b: string): number {
  const [x, y] = [[...a], [...b]]
  for (let index = 0; index < Math.min(x.length, y.length); index++) {
    const difference = (x[index]?.codePointAt(0) ?? 0) - (y[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return x.length - y.length
}

function sorted(docs: Doc[], stage: Stage, order: string[]): Doc[] {
  return [...docs].sort((a, b) => {
    for (const key of order) {
      const descending = key.startsWith('-')
      const path = descending ? key.slice(1) : key
      const [x, y] = [valuesAt(a, stage, path)[0], valuesAt(b, stage, path)[0]]
      if (x === undefined && y === undefined) continue
      if (x === undefined) return 1
      if (y === undefined) return -1
      const difference = typeof x === 'string' ? compareText(x, String(y)) : Number(x) - Number(y)
      if (difference !== 0) return descending ? -difference : difference
    }
    return a.id < b.id ? -1 : 1
  })
}

/**
 * Returns undefined for a query with two equalities of one field: only such queries are rejected although each part is
 * valid.
 */
function parsed(wire: string) {
  try {
    return parseQuery(wire, article, deliveryList)
  } catch (error) {
    if (/one value cannot equal two/.test(String(error))) return undefined
    throw error
  }
}

/**
 * Settings that lead to different access paths: for small models, with all indexes assumed to exist, and with a low
 * maximum of candidates.
 */
const every = { has: () => true }
const ways = [{}, { indexes: every }, { few: 2 }, { indexes: every, few: 2 }]

test('random queries return the documents that an evaluation in memory returns', async () => {
  const totals = createTotalsCache()
  let found = 0
  for (let round = 0; round < lengthOf(600, 10_000); round++) {
    const stage: Stage = round % 2 === 0 ? 'published' : 'current'
    const cases = Array.from({ length: r.below(3) }, condition)
    const parts = cases.map((item) => item.wire)
    const accepts = cases.map((item) => item.accept)
    for (let groups = r.below(2); groups >= 0 && r.chance(0.5); groups--) {
      const made = group(1)
      parts.push(new URLSearchParams([['[or]', made.raw.slice(5)]]).toString())
      accepts.push(made.accept)
    }
    const order = r.some(
      sortable.flatMap((name) => [name, `-${name}`]),
      2,
    )
    const unique =
      order.length === 2 && order[0]?.replace('-', '') === order[1]?.replace('-', '') ? order.slice(1) : order
    if (unique.length > 0) parts.push(`order=${unique.join(',')}`)
    const limit = r.pick([1, 5, 100])
    const skip = r.pick([0, 0, 3])
    parts.push(`limit=${limit}`, `skip=${skip}`)
    const wire = parts.join('&')

    const matching = articles.filter(
      (doc) => shown(doc, stage) && accepts.every((accept) => accept(doc, stage)),
    )
    const ordered = sorted(matching, stage, unique.length > 0 ? unique : ['-_sys.createdAt'])
    const query = parsed(wire)
    if (!query) continue
    const { rows, total } = await selectDocuments(database.deliveryPool, {
      model: article,
      stage,
      query,
      totals,
      ...r.pick(ways),
    })
    const expected = ordered.slice(skip, skip + limit).map(({ id }) => id)
    expect({ wire, stage, total, ids: rows.map(({ id }) => id) }).toEqual({
      wire,
      stage,
      total: matching.length,
      ids: expected,
    })
    found += expected.length
  }
  expect(found).toBeGreaterThan(2000)
})

test('the management list filters by status and returns the status and version of each document', async () => {
  for (const status of ['draft', 'published', 'changed']) {
    const query = parseQuery(`_sys.status=${status}&limit=1000`, article, managementList)
    const options = { model: article, stage: 'current', query, managed: true } as const
    const { rows, total } = await database.kysely.transaction().execute(async (tx) => {
      await enterSpace(tx, spaceScope(article.app.space.id))
      return selectDocuments(fromKysely(tx), options)
    })
    const expected = articles.filter(
      (doc) => !doc.deleted && systemValue(doc, 'current', '_sys.status') === status,
    )
    expect(expected.length).toBeGreaterThan(3)
    expect(total).toBe(expected.length)
    expect(rows.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
    expect(rows.every(({ managed }) => managed?.status === status && managed.version === 1)).toBe(true)
  }
})

test('a total above countTo is either countTo with isMore true, or exact with isMore false', async () => {
  const find = async (raw: string, countTo?: number) => {
    const query = parseQuery(`${raw}&limit=2`, article, managementList)
    const options = { model: article, stage: 'current', query, ...(countTo ? { countTo } : {}) } as const
    const { rows, total, isMore } = await selectDocuments(database.pool, options)
    expect(rows).toHaveLength(2)
    return { total, isMore }
  }
  for (const raw of [
    '_sys.status=published',
    'search=x',
    'title[match]=x',
    'search=x&_sys.status=published',
  ]) {
    const { total } = await find(raw)
    expect([raw, total]).toEqual([raw, expect.any(Number)])
    expect(total).toBeGreaterThan(5)
    expect(await find(raw, total + 1)).toEqual({ total, isMore: false })
    const cut = await find(raw, 5)
    // Some access paths return the exact total anyway.
    expect([raw, cut]).toEqual([raw, cut.isMore ? { total: 5, isMore: true } : { total, isMore: false }])
  }
  expect(await find('_sys.status=published', 5)).toEqual({ total: 5, isMore: true })
})

test('migrations 0022 and 0023 compute the grams that the server stores', async () => {
  const migration = new URL('../db/migrations/0022_views.sql', import.meta.url)
  const definition = /CREATE FUNCTION folded_grams.*?\$\$;/s.exec(await readFile(migration, 'utf8'))?.[0]
  const lists = new URL('../db/migrations/0023_lists.sql', import.meta.url)
  const characters = /ARRAY\(SELECT DISTINCT ascii.*?AS character\)/s.exec(await readFile(lists, 'utf8'))?.[0]
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(definition ?? '')
    const { rows } = await client.query<{ texts: object }>(
      `WITH made AS (
         SELECT *, folded_grams(texts) || CASE stage WHEN 1 THEN '{}' ELSE ${characters} END AS again FROM document_text)
       SELECT texts FROM made WHERE NOT (again @> grams AND again <@ grams)`,
    )
    expect(rows).toEqual([])
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('a search finds the documents that contain all its words, regardless of width, case and kana', async () => {
  const find = async (search: string, stage: Stage, few: number) => {
    const query = parseQuery(`search=${encodeURIComponent(search)}`, article, deliveryList)
    const { rows } = await selectDocuments(database.deliveryPool, { model: article, stage, query, few })
    return rows.map(({ id }) => id).sort()
  }
  for (const stage of ['published', 'current'] as const)
    for (const search of [
      '東京',
      'ｔｏｋｙｏ　タワー',
      'ｱｯﾌﾟﾙ NEWS',
      'あっぷる',
      'ぷ',
      '東',
      'x',
      '無い言葉',
    ]) {
      const words = hiragana(fold(search)).split(' ')
      const expected = articles
        .filter((doc) => {
          const texts = ['title', 'body', 'tags'].flatMap((path) =>
            valuesAt(doc, stage, path).map((value) => hiragana(fold(value))),
          )
          return shown(doc, stage) && words.every((word) => texts.some((text) => text.includes(word)))
        })
        .map(({ id }) => id)
        .sort()
      for (const few of [1, 200]) expect(await find(search, stage, few)).toEqual(expected)
    }
})
