/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchives } from '#test/app-archives.ts'
import { createSpace } from '#test/factories.ts'
import { rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { addAsset, addContent, assetsSrc, emptySpace, idOf } from '#test/newt-stand-in/space.ts'
import { quadrants } from '#test/pictures.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { importMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
beforeAll(async () => {
  installation = await startInstallation()
  archives = await openArchives(installation)
})
afterAll(async () => {
  await archives?.remove()
  await installation?.close()
})

const large = idOf(0x702)
const pictures = { known: idOf(0xa01), shown: idOf(0xa02), lost: idOf(0xa03) }

/**
 * Returns an archive in which one content is too large at depth 1, so that its pictures are bare ids. Another content
 * contains the first picture as an object, a text embeds the second by its URL, and nothing else mentions the third.
 */
async function shallowArchive(): Promise<Buffer> {
  const space = emptySpace()
  const [known, shown, lost] = await Promise.all(
    Object.entries(pictures).map(async ([name, id]) => {
      const fileName = `${name}.png`
      const picture = { id, fileName, fileType: 'image/png', width: 64, height: 48 }
      const src = assetsSrc('demo', id, fileName)
      return { src, asset: addAsset(space, { ...picture, src, bytes: await quadrants(64, 48) }) }
    }),
  )
  if (!known || !shown || !lost) throw new Error('no pictures')
  const first = { title: '小さな記事', images: [known.asset], body: `<p><img src="${shown.src}" alt=""></p>` }
  addContent(space, 'article', { id: idOf(0x701), createdAt: '2024-01-01T00:00:00.000Z', draft: first })
  const images = [...Array(40).fill(known.asset), shown.asset, lost.asset]
  const second = { title: '大きな記事', images, body: '<p>本文</p>' }
  addContent(space, 'article', { id: large, createdAt: '2024-01-02T00:00:00.000Z', draft: second })
  return rescuedFrom(space, {}, { largestAnswer: 6_000 })
}

describe('an import of a content whose references were archived as bare ids', () => {
  it('keeps references to pictures found elsewhere in the archive, and reports the lost picture', async () => {
    const { admin, upload, getMove } = archives
    const space = await createSpace(admin.client)
    const id = await upload(space, await shallowArchive())
    const { plan } = ok(await admin.client.get(`${space.url}/move/${id}/plan`))
    const [model] = plan.models
    const types = model.fields.map(({ from, field }: { from: string; field: { type: string } }) => [
      from,
      field.type,
    ])
    expect(types).toEqual([
      ['title', 'TEXT'],
      ['images', 'IMAGE'],
      ['body', 'RICH_TEXT'],
    ])
    const told = plan.problems.map(
      ({
        code,
        path,
        count,
        examples,
      }: {
        code: string
        path: string
        count: number
        examples: string[]
      }) => [code, path, count, examples],
    )
    expect(told).toContainEqual(['lostFiles', 'article.images', 1, ['大きな記事']])
    expect(told.map(([code]: [string]) => code)).not.toContain('brokenReferences')

    ok(await admin.client.post(`${space.url}/move/${id}/start`))
    await runWaiting(installation, importMoveJob)
    const move = await getMove(space, id)
    expect(move.state).toBe('imported')
    const left = move.report.problems.filter(({ code }: { code: string }) => code === 'valueLeftOut')
    expect(left).toMatchObject([{ path: 'article.images', examples: [large] }])
    const document = ok(await admin.client.get(`${space.url}/app/blog/model/article/doc/${large}`)).document
    expect(document.images).toEqual([...Array(40).fill(pictures.known), pictures.shown])
    for (const picture of [pictures.known, pictures.shown]) {
      const { asset } = ok(await admin.client.get(`${space.url}/assets/${picture}`))
      expect([asset.fileType, asset.width]).toEqual(['image/png', 64])
    }
  })
})
