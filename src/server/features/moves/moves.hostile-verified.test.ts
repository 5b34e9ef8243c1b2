/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSpace } from '#test/factories.ts'
import { rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { hostileSpace } from '#test/newt-stand-in/hostile-space.ts'
import { ok } from '#test/server.ts'
import { MovedApp, Movers } from '#test/updated-move.ts'

let movers: Movers
beforeAll(async () => {
  movers = await Movers.start()
})
afterAll(() => movers?.installation.close())

it('verifyMove accepts the import of a hostile space, and reports documents that are changed later', async () => {
  const { client } = movers.admin
  const newt = await hostileSpace()
  const app = new MovedApp(movers, await createSpace(client), newt)
  const zip = await rescuedFrom(newt, { models: [...newt.models.keys()] })
  const { state, report } = await app.apply(await app.upload(zip))
  expect(state).toBe('imported')
  const removed: string[] = report.problems
    .filter(({ code }: { code: string }) => code === 'htmlRemoved')
    .map(({ path, params }: { path: string; params: { kind: string } }) => `${path} ${params.kind}`)
  // From cells, only an alignment by a character is removed, because no style can express it.
  expect(removed.filter((kind) => /<t[dh] align/.test(kind))).toEqual(['rich-text.body <td align>'])
  expect((await app.verify(zip)).unexplained).toEqual([])

  const idOfText = (text: string) => {
    const found = [...(newt.models.get('rich-text')?.values() ?? [])].find(({ draft }) =>
      String(draft.body).includes(text),
    )
    if (!found) throw new Error(text)
    return found.id
  }
  const changes = {
    [idOfText('<th align="right">右</th>')]: (body: string) =>
      body.replace('text-align:right', 'text-align:left'),
    [idOfText('<p>前</p><p></p>')]: (body: string) => body.replace('<p>後</p>', ''),
  }
  for (const [id, change] of Object.entries(changes)) {
    const { body } = await app.read('rich-text', id)
    expect(change(body)).not.toBe(body)
    ok(await client.put(app.docUrl('rich-text', id), { doc: { body: change(body) }, type: 'PUBLISH' }))
  }
  const { unexplained } = await app.verify(zip)
  const bodies = unexplained.flatMap(({ difference: { path, expected } }) =>
    path.endsWith('body') ? [expected] : [],
  )
  expect(bodies).toEqual(
    expect.arrayContaining([
      expect.stringContaining('<th align="right">右</th>'),
      expect.stringContaining('<p>後</p>'),
    ]),
  )
})
