import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { all, freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, readNdjson, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { ids, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { addContent, idOf } from '#test/newt-stand-in/space.ts'

const bench = freshBench()

async function textsOf(view: 'api' | 'cdn', model: string, id: string): Promise<Record<string, unknown>> {
  const lines = await readNdjson(join(bench.out, `texts/${view}/${model}.ndjson`))
  return lines.map((line) => JSON.parse(line)).find(({ _id }) => _id === id) ?? {}
}

describe('the source of fields that are returned as HTML', () => {
  it('is read in a second pass, with and without drafts', async () => {
    const space = sampleSpace()
    const draft = { body: { $html: '<p><b>新</b></p>', source: '**新**' }, title: 'x', views: 1 }
    const published = { ...draft, body: { $html: '<p>古</p>', source: '古' } }
    addContent(space, 'author', { id: idOf(0xb1), createdAt: '2024-01-01T00:00:00.000Z', draft, published })
    await bench.serve(space)
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(manifest.models.find(({ uid }) => uid === 'author')?.texts).toEqual({
      fields: ['body'],
      api: { count: 3, path: 'texts/api/author.ndjson' },
      cdn: { count: 2, path: 'texts/cdn/author.ndjson' },
    })
    expect(manifest.models.find(({ uid }) => uid === 'category')?.texts).toBeNull()
    expect(await textsOf('api', 'author', idOf(0xb1))).toMatchObject({ body: '**新**' })
    expect(await textsOf('cdn', 'author', idOf(0xb1))).toMatchObject({ body: '古' })
    expect(await textsOf('api', 'article', ids.everything)).toMatchObject({ markdown: '本文\n![]( … )' })
  })

  it('is omitted if the server refuses the query', async () => {
    await bench.serve(sampleSpace(), { refuses: /\[fmt\]/ })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(manifest.models.map(({ texts }) => texts)).toEqual([null, null, null, null, null])
  })

  it('is read for the allowed field if the server refuses `select` and other fields', async () => {
    await bench.serve(sampleSpace(), { refuses: /^(?:select|embed\[fmt\]|body\[fmt\])/ })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(manifest.models.find(({ uid }) => uid === 'article')?.texts?.fields).toEqual(['markdown'])
    expect(await textsOf('cdn', 'article', ids.everything)).toMatchObject({ markdown: '本文\n![]( … )' })
  })

  it.each([
    ['at every request', /\[fmt\]/],
    ['after the first responses', /limit=(?!1&).*\[fmt\]|\[fmt\].*limit=(?!1&)/],
  ])('is read by the next run if the server fails %s for this source', async (_, pattern) => {
    const space = sampleSpace()
    let isBroken = true
    await bench.serve(space, {
      fault: ({ search }) => (isBroken && pattern.test(search) ? { kind: 'status', status: 500 } : undefined),
    })
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(first.verification).toMatchObject({ status: 'partial', problems: [] })
    expect(first.manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
    expect(first.gaps).toContainEqual(
      expect.objectContaining({ kind: 'unread', view: 'api-text', model: 'article', saved: 0 }),
    )
    isBroken = false
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(second.verification).toMatchObject({ status: 'gaps', problems: [] })
    // After an edit between two runs, the next run reads the new source.
    const content = space.models.get('article')?.get(ids.everything)
    const at = new Date().toISOString()
    Object.assign(content?.draft ?? {}, { markdown: { $html: '<p>改</p>', source: '*改*' } })
    Object.assign(content ?? {}, { updatedAt: at, publishedAt: at })
    const third = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(third.verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(await textsOf('api', 'article', ids.everything)).toMatchObject({ markdown: '*改*' })
  })
})
