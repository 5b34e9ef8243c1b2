import { newId } from '#server/lib/ids.ts'
import type { Content, FixtureModel } from '../test/content-fixtures.ts'

/* The blog that is measured: 50 authors, 20 categories (the first with a tenth of all articles), N articles. */

/** Numbers that look random and are the same in every run. */
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

/** Japanese-looking text of about so many characters, as hard to compress as an article. */
function prose(seed: number, length: number): string {
  const next = numbers(seed)
  let text = ''
  while (text.length < length)
    text += vocabulary[next(600)] + (next(9) === 0 ? '。' : next(12) === 0 ? '、' : '')
  return text
}

/** Rich text of so many bytes (UTF-8), another one for every number. */
function body(n: number, bytes: number): string {
  let html = `<h2>${prose(n, 12)}</h2>`
  for (let part = 0; Buffer.byteLength(html) < bytes; part++) html += `<p>${prose(n * 50 + part, 160)}</p>`
  return html
}

export interface Blog {
  spaceId: number
  article: FixtureModel
  /** The `_id` of one article in the middle, and the `_id`s of all categories. */
  one: string
  categories: string[]
}

/** Writes `articles` published articles with bodies of so many bytes. */
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
  // An index that is built at the end takes seconds; one that grows with every row takes minutes.
  const client = await content.pool.connect()
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query(`SELECT pg_get_indexdef('document_text_grams'::regclass) AS index`)
  await client.query('DROP INDEX document_text_grams')
  let one = ''
  for (let from = 0; from < articles; from += 500) {
    const ids = await content.documents(
      article,
      Array.from({ length: Math.min(500, articles - from) }, (_, index) => {
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
    if (from <= articles / 2) one = ids.at(-1) ?? one
  }
  await client.query(`SET maintenance_work_mem = '512MB'`)
  await client.query(rows[0].index.replace(' ON ONLY ', ' ON ')) // on the partitions too
  for (const table of ['document', 'document_text', 'document_reference'])
    await client.query(`VACUUM ANALYZE ${table}`)
  client.release(true)
  return { spaceId, article, one, categories }
}
