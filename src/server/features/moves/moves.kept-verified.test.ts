/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { ok } from '#test/server.ts'
import { type MovedApp, Movers } from '#test/updated-move.ts'

let movers: Movers
let app: MovedApp
beforeAll(async () => {
  movers = await Movers.start()
  app = await movers.moveIn()
})
afterAll(() => movers?.installation.close())

it('verifyMove with `expectsWritten` separates documents kept in Imori from unexplained differences', async () => {
  const { client } = movers.admin
  const publish = async (model: string, id: string, doc: Record<string, unknown>) =>
    ok(await client.put(app.docUrl(model, id), { doc, type: 'PUBLISH' }))
  // One document changed on both sides, one deleted only in Newt, one edited only here, and one changed only in Newt.
  await publish('author', ids.author, { name: 'こちらで直した著者' })
  app.editThere('author', ids.author, { name: 'Newtで直した著者' })
  app.newt.models.get('article')?.delete(ids.bare)
  await publish('category', ids.category, { name: 'こちらで直した分類' })
  app.editThere('article', ids.republished, { title: 'Newtで直した題' })
  const second = await rescuedFrom(app.newt)
  const update = await app.upload(second, app.origin)
  expect(await app.apply(update)).toMatchObject({ state: 'accepted', report: { documents: 1 } })
  expect((await app.read('author', ids.author)).name).toBe('こちらで直した著者')

  const strict = await app.verify(second)
  expect(strict.writtenHere).toEqual([])
  expect(strict.unexplained.length).toBeGreaterThan(0)
  const { writtenHere, unexplained } = await app.verify(second, { expectsWritten: true })
  expect(writtenHere.map(({ model, id }) => `${model} ${id}`).sort()).toEqual([
    `article ${ids.bare}`,
    `author ${ids.author}`,
    `category ${ids.category}`,
  ])
  expect(unexplained).toEqual([])

  // A lost value is still reported as unexplained.
  const { pool } = movers.installation.database
  await pool.query(
    `UPDATE document SET pub = '{}' WHERE id = $1 AND space_id = (SELECT id FROM space WHERE uid = $2)`,
    [ids.republished, app.space.uid],
  )
  const { unexplained: lost } = await app.verify(second, { expectsWritten: true })
  expect(new Set(lost.map(({ call }) => call.model))).toEqual(new Set(['article']))
})
