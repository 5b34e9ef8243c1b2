/** @module-tag full */
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSpace } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { ok } from '#test/server.ts'
import { sourceFixture, zipped } from '#test/source-fixtures.ts'
import { MovedApp, Movers } from '#test/updated-move.ts'

/* Texts with characters that PostgreSQL can store neither as text nor as jsonb. */

let movers: Movers
beforeAll(async () => {
  movers = await Movers.start()
})
afterAll(() => movers?.installation.close())

/** Prepares a space of Newt, and a new space to import it into. */
async function arrive() {
  const newt = await picturedSpace()
  const app = new MovedApp(movers, await createSpace(movers.admin.client), newt)
  const planOf = async (id: string) => ok(await movers.admin.client.get(app.moveUrl(id, '/plan'))).plan
  return { app, newt, planOf }
}

it('an archive with NUL and lone surrogates is imported, and its plan lists the affected texts', async () => {
  const { app, newt, planOf } = await arrive()
  app.editThere('author', ids.author, { name: 'あ/\u0000', bio: 'い\ud800う' })
  app.editThere('article', ids.republished, {
    title: 'え\u0000お',
    lines: ['く\udc00', 'け'],
    body: '<p>か\u0000き</p>',
    map: { lat: 1, lng: 2 },
    custom: { label: 'こ\u0000', picture: null, link: null },
    'odd\u0000key': 'さ',
  })
  const zip = await rescuedFrom(newt)
  const id = await app.upload(zip)
  expect((await app.getMove(id)).state).toBe('planned')
  const replaced = (await planOf(id)).problems.filter(
    ({ code }: { code: string }) => code === 'replacedCharacters',
  )
  expect(
    Object.fromEntries(
      replaced.map(({ path, examples }: { path: string; examples: string[] }) => [path, examples]),
    ),
  ).toEqual({
    'author.name': [`${ids.author}: あ/\u2400`],
    'author.bio': [`${ids.author}: い\ufffdう`],
    'article.title': [`${ids.republished}: え\u2400お`],
    'article.body': [`${ids.republished}: <p>か\u2400き</p>`],
    'article.lines': [`${ids.republished}: く\ufffd`],
    'article.custom.label': [`${ids.republished}: こ\u2400`],
    'article.oddkey': [`${ids.republished}: odd\u2400key`],
  })
  expect((await app.apply(id)).state).toBe('imported')
  expect(await app.read('author', ids.author)).toMatchObject({ name: 'あ/', bio: 'い\ufffdう' })
  const { unexplained, explained } = await app.verify(zip)
  expect(unexplained.filter(({ difference }) => !difference.path.includes('odd'))).toEqual([])
  expect(explained.get('characters')).toBeGreaterThan(0)
})

it('an export of each source except Newt is planned despite NUL, lone surrogates or noncharacters', async () => {
  const { app, planOf } = await arrive()
  const sources = (await readdir(new URL('../../../../test/fixtures/sources', import.meta.url))).filter(
    (name) => name !== 'newt',
  )
  const outcomes: Record<string, unknown> = {}
  for (const name of sources) {
    const files = await sourceFixture(name)
    for (const [path, bytes] of files) {
      if (!/json|ndjson|jsonl|md|xml$/.test(path)) continue
      const isJson = /json|ndjson|jsonl$/.test(path)
      // Only adds characters to hiragana, which occur in texts that people wrote and in no identifier of a source.
      const hostile = isJson ? '$&\\u0000\\ud800\\uffff' : '$&\ufffe\uffff'
      files.set(path, Buffer.from(bytes.toString('utf8').replace(/[ぁ-ん]/g, hostile)))
    }
    // A file with NUL near its beginning is not detected as text, so NUL comes after 100,000 characters.
    const long = 'あ'.repeat(100_000)
    const table = Buffer.from(`name,text\na,b\nc,${long}\nd,e\u0000\n`)
    const id = await (name === 'csv'
      ? app.upload(table, undefined, 'a.csv')
      : app.upload(await zipped(files)))
    const { state, refusal } = await app.getMove(id)
    const told = state === 'planned' ? JSON.stringify((await planOf(id)).problems) : ''
    outcomes[name] = state === 'planned' ? told.includes('replacedCharacters') : refusal?.code
    // No job is waiting for a retry that would fail again.
    const { rows } = await movers.installation.database.pool.query(
      "SELECT error FROM job WHERE state = 'waiting' AND error IS NOT NULL",
    )
    expect([name, rows]).toEqual([name, []])
  }
  expect(outcomes).toEqual({
    contentful: true,
    csv: true,
    directus: true,
    ghost: true,
    json: true,
    markdown: false,
    microcms: true,
    sanity: true,
    strapi: true,
    // The reader skips characters that XML cannot contain. The noncharacters U+FFFE and U+FFFF can be stored.
    wordpress: false,
  })
})
