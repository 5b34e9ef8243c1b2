import type pg from 'pg'
import { gramsOf } from '#server/content/text.ts'
import { newId } from '#server/lib/ids.ts'
import type { Content, FixtureModel } from '../test/content-fixtures.ts'

/* The measured blog: 50 authors, 20 categories (a tenth of all articles is in the first one), N articles. */

/** Returns a generator of pseudo-random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
}

const kana = 'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん'
const vocabulary = Array.from({ length: 600 }, (_, index) => {
  const next = numbers(index * 7919)
  const kanji = String.fromCodePoint(0x4e00 + next(3000), 0x4e00 + next(3000))
  return kanji.slice(next(2)) + [kana[next(46)], kana[next(46)]].slice(next(3)).join('')
})

/** Returns text of about this many characters that looks Japanese and compresses like an article. */
export function prose(seed: number, length: number): string {
  const next = numbers(seed)
  let text = ''
  while (text.length < length)
    text += vocabulary[next(600)] + (next(9) === 0 ? '。' : next(12) === 0 ? '、' : '')
  return text
}

/**
 * Returns rich text of at least `bytes` bytes (UTF-8), and at most one paragraph more. The text differs for every `n`.
 */
export function body(n: number, bytes: number): string {
  let html = `<h2>${prose(n, 12)}</h2>`
  for (let part = 0; Buffer.byteLength(html) < bytes; part++) html += `<p>${prose(n * 50 + part, 160)}</p>`
  return html
}

export interface Blog {
  spaceId: number
  article: FixtureModel
  /** `one`: `_id` of an article in the middle of the list. `categories`: `_id`s of all categories. */
  one: string
  categories: string[]
}

/**
 * Number of articles that are written one by one. Further articles are copies by SQL, with their own slugs, dates and
 * categories.
 */
const written = 20_000

/** Writes `articles` published articles with bodies of this many bytes. */
export async function fill(content: Content, articles: number, bodyBytes: number): Promise<Blog> {
  const spaceId = await content.space('bench')
  const appId = await content.app(spaceId, 'blog')
  const author = await content.model(spaceId, appId, 'author', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'profile', type: 'TEXT', inputType: 'textarea' },
  ])
  const category = await content.model(spaceId, appId, 'category', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
  ])
  const article = await content.model(spaceId, appId, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'date', type: 'DATE' },
    { uid: 'author', type: 'REFERENCE', modelUid: 'author' },
    { uid: 'category', type: 'REFERENCE', modelUid: 'category' },
  ])
  const people = await content.documents(
    author,
    Array.from({ length: 50 }, (_, n) => ({
      pub: { name: `著者 ${n}`, slug: `author-${n}`, profile: prose(n, 60) },
    })),
  )
  const categories = await content.documents(
    category,
    Array.from({ length: 20 }, (_, n) => ({ pub: { name: `分類 ${n}`, slug: `category-${n}` } })),
  )
  // Creating the index at the end takes seconds, but updating it with every row takes minutes.
  const client = await content.pool.connect()
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query(`SELECT pg_get_indexdef('document_text_grams'::regclass) AS index`)
  await client.query('DROP INDEX document_text_grams')
  let one = ''
  const originals = Math.min(articles, written)
  for (let from = 0; from < originals; from += 500) {
    const ids = await content.documents(
      article,
      Array.from({ length: Math.min(500, originals - from) }, (_, index) => {
        const n = from + index
        const at = new Date(Date.UTC(2020, 0, 1) + Math.floor((n * 1e4) / articles) * 3_600_000 + (n % 1e4))
        return {
          id: newId(),
          pub: {
            title: `記事 ${n}: ${prose(n, 16)}`,
            slug: `article-${n}`,
            body: body(n, bodyBytes),
            date: at.toISOString(),
            author: people[(n * 7) % people.length],
            category: categories[n % 10 === 0 ? 0 : 1 + (n % 19)],
          },
          createdAt: at,
        }
      }),
    )
    if (from <= originals / 2) one = ids.at(-1) ?? one
  }
  if (articles > originals) await copy(client, article, originals, articles, categories)
  await client.query(`SET maintenance_work_mem = '512MB'`)
  await client.query(rows[0].index.replace(' ON ONLY ', ' ON ')) // This also creates the indexes of the partitions.
  for (const table of ['document', 'document_text', 'document_reference'])
    await client.query(`VACUUM ANALYZE ${table}`)
  client.release(true)
  return { spaceId, article, one, categories }
}

/** Adds the articles numbered `from` to `to` - 1 as copies, with all derived rows. */
async function copy(
  client: pg.PoolClient,
  { id, fields }: FixtureModel,
  from: number,
  to: number,
  categories: string[],
): Promise<void> {
  const fieldId = (uid: string) => fields.find((field) => field.uid === uid)?._id
  // The search texts of a copy differ from the original's only in the digits of the slugs.
  const digits = Array.from({ length: 10 }, (_, digit) => digit)
  const pairs = digits.flatMap((a) => digits.map((b) => gramsOf(`${a}${b}`)[0]))
  const firsts = digits.map((digit) => gramsOf(`-${digit}`)[0])
  await client.query('CREATE TEMP TABLE original (n int PRIMARY KEY, id text)')
  await client.query(
    `INSERT INTO original SELECT row_number() OVER (ORDER BY first_published_at) - 1, id FROM document WHERE model_id = $1`,
    [id],
  )
  for (let start = from; start < to; start += 20_000) {
    await client.query(
      'CREATE TEMP TABLE copied (n int, original text, id text, at timestamptz(3), category text)',
    )
    await client.query(
      `INSERT INTO copied SELECT g.n, o.id, 'f' || lpad(to_hex(g.n), 23, '0'),
         timestamptz '2020-01-01Z' + floor(g.n * 1e4 / $3) * interval '1 hour' + (g.n % 10000) * interval '1 ms',
         ($4::text[])[CASE WHEN g.n % 10 = 0 THEN 1 ELSE 2 + g.n % 19 END]
       FROM generate_series($1::int, $2::int) g(n) JOIN original o ON o.n = g.n % $5`,
      [start, Math.min(start + 20_000, to) - 1, to, categories, from],
    )
    await client.query(
      `INSERT INTO document (space_id, model_id, id, pub, published_version, created_at, updated_at, first_published_at,
         published_at, published_updated_at)
       SELECT d.space_id, d.model_id, c.id, d.pub || jsonb_build_object($2::text, 'article-' || c.n, $3::text,
         to_char(c.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), $4::text, c.category), 1, c.at, c.at, c.at, c.at, c.at
       FROM copied c JOIN document d ON d.model_id = $1 AND d.id = c.original`,
      [id, fieldId('slug'), fieldId('date'), fieldId('category')],
    )
    await client.query(
      `INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
       SELECT t.space_id, t.model_id, c.id, t.stage, t.texts || jsonb_build_object($2::text, 'article-' || c.n),
         t.grams || ($4::int[])[1 + left(c.n::text, 1)::int]
           || ARRAY(SELECT ($3::int[])[1 + substr(c.n::text, i, 2)::int] FROM generate_series(1, length(c.n::text) - 1) i)
       FROM copied c JOIN document_text t ON t.model_id = $1 AND t.document_id = c.original`,
      [id, fieldId('slug'), pairs, firsts],
    )
    await client.query(
      `INSERT INTO document_reference (space_id, from_model_id, from_id, to_model_id, to_id)
       SELECT r.space_id, r.from_model_id, c.id, r.to_model_id, CASE WHEN r.to_id = ANY($2) THEN c.category ELSE r.to_id END
       FROM copied c JOIN document_reference r ON r.from_model_id = $1 AND r.from_id = c.original`,
      [id, categories],
    )
    await client.query('DROP TABLE copied')
  }
  await client.query(
    'UPDATE model_stat SET documents = documents + $2, published = published + $2, version = version + 1 WHERE model_id = $1',
    [id, to - from],
  )
}
