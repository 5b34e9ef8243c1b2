/** @module-tag full */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { all, freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, readNdjson, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { renderContent } from '#test/newt-stand-in/render.ts'
import { ids, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import type { StandInOptions } from '#test/newt-stand-in/server.ts'
import { addContent, idOf, type StoredSpace } from '#test/newt-stand-in/space.ts'

const bench = freshBench()

async function savedIds(view: 'api' | 'cdn', model: string): Promise<string[]> {
  const lines = await readNdjson(join(bench.out, `contents/${view}/${model}.ndjson`))
  return lines.map((line) => JSON.parse(line)._id).sort()
}

describe('a content that makes the server fail', () => {
  const poisoned = idOf(0x5000000 + 60)
  const others = (space: StoredSpace) =>
    [...(space.models.get('article')?.keys() ?? [])].filter((id) => id !== poisoned).sort()
  const apiOnly = (space: StoredSpace) => ({ tokens: { api: space.tokens.api } })

  it.each([[500], [502], [400], [413]])('is read by its id if lists fail with status %i', async (status) => {
    const space = largeSpace(150, 0)
    await bench.serve(space, {
      isStatic: true,
      poison: ({ id }, { isList, select }) => (isList && !select && id === poisoned ? status : undefined),
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, apiOnly(space)))
    expect(verification).toMatchObject({ status: 'complete', problems: [] })
    expect(await savedIds('api', 'article')).toEqual([...others(space), poisoned].sort())
  })

  it('is saved at depth 0 if it cannot be read at a greater depth', async () => {
    const space = largeSpace(150, 0)
    await bench.serve(space, {
      isStatic: true,
      poison: ({ id }, { depth }) => (id === poisoned && depth > 0 ? 500 : undefined),
    })
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, apiOnly(space)))
    expect(verification.problems).toEqual([])
    expect(gaps.filter(({ kind }) => kind === 'content')).toEqual([])
    expect(await savedIds('api', 'article')).toEqual([...others(space), poisoned].sort())
  })

  it('is listed as a gap if its fields cannot be read, and saved by the next run', async () => {
    const space = largeSpace(150, 0)
    let isPoisoned = true
    await bench.serve(space, {
      isStatic: true,
      poison: ({ id }, { select }) =>
        isPoisoned && id === poisoned && select?.join() !== '_id,_sys' ? 500 : undefined,
    })
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, apiOnly(space)))
    expect(first.verification.problems).toEqual([])
    expect(first.manifest.status).toBe('partial')
    expect(await savedIds('api', 'article')).toEqual(others(space))
    expect(first.gaps).toContainEqual({
      kind: 'content',
      view: 'api',
      model: 'article',
      id: poisoned,
      saved: false,
    })
    isPoisoned = false
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, apiOnly(space)))
    expect(second.verification).toMatchObject({ status: 'complete', problems: [] })
    expect(await savedIds('api', 'article')).toEqual([...others(space), poisoned].sort())
  })

  it('is counted as missing if not even its id can be read', async () => {
    const space = largeSpace(150, 0)
    await bench.serve(space, {
      isStatic: true,
      poison: ({ id }) => (id === poisoned ? 500 : undefined),
    })
    const { gaps, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, apiOnly(space)))
    expect(manifest.status).toBe('partial')
    expect(await savedIds('api', 'article')).toEqual(others(space))
    expect(gaps).toContainEqual({ kind: 'count', view: 'api', model: 'article', missing: 1 })
  })
})

describe('a content too large for one response', () => {
  /** Creates a space with a content that has a reference and texts with these names and sizes in bytes. */
  function spaceWith(sizes: Record<string, number>): StoredSpace {
    const space = sampleSpace()
    const text = Object.entries(sizes).map(([name, size]) => [name, 'あ'.repeat(size / 3)])
    const draft = { ...Object.fromEntries(text), author: { $ref: ids.author }, number: { $raw: '1.50' } }
    addContent(space, 'article', {
      id: idOf(0xe001),
      createdAt: '2024-02-01T00:00:00.000Z',
      draft: { ...draft },
    })
    return space
  }

  it.each<[string, StandInOptions]>([
    ['at depth 1', { largestAnswer: 20_000 }],
    ['at depth 1 and refused with 413', { largestAnswer: 20_000, tooLargeStatus: 413 }],
    ['at depth 1 and refused with 502', { largestAnswer: 20_000, tooLargeStatus: 502 }],
    ['at any depth', { largestAnswer: 12_000 }],
  ])('is assembled from its fields with unchanged values if it is too large %s', async (_, options) => {
    const space = spaceWith({ one: 6_000, two: 6_000, three: 6_000 })
    const many = Array.from({ length: 12 }, () => ({ $ref: ids.author }))
    const content = space.models.get('article')?.get(idOf(0xe001))
    Object.assign(content?.draft ?? {}, { authors: many })
    // Another content makes the fields of the model known.
    addContent(space, 'article', {
      id: idOf(0xe002),
      createdAt: '2024-02-02T00:00:00.000Z',
      draft: { one: '', two: '', three: '', authors: [], number: 1 },
    })
    await bench.serve(space, options)
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(gaps.filter(({ kind }) => kind === 'content')).toEqual([])
    for (const view of ['api', 'cdn'] as const) {
      const lines = await readNdjson(join(bench.out, `contents/${view}/article.ndjson`))
      const line = lines.find((text) => JSON.parse(text)._id === idOf(0xe001)) ?? ''
      const expected = content ? renderContent(space, content, view, 1) : ''
      expect(JSON.parse(line)).toEqual(JSON.parse(expected))
      expect(line).toContain('"number":1.50')
      expect(line).toHaveLength(expected.length)
    }
  })

  it('is saved completely in its new version if it is edited during the run', async () => {
    const space = spaceWith({ one: 6_000, two: 6_000 })
    const content = space.models.get('article')?.get(idOf(0xe001))
    Object.assign(content?.draft ?? {}, { authors: Array.from({ length: 12 }, () => ({ $ref: ids.author })) })
    let isEdited = false
    await bench.serve(space, {
      largestAnswer: 15_000,
      fault: ({ search, view }) => {
        if (isEdited || view !== 'api' || !/updatedAt/.test(search)) return undefined
        isEdited = true
        Object.assign(content?.draft ?? {}, { one: `編集された${'あ'.repeat(2_000)}` })
        Object.assign(content ?? {}, { updatedAt: new Date().toISOString() })
        return undefined
      },
    })
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(gaps.filter(({ kind }) => kind === 'content')).toEqual([])
    const lines = await readNdjson(join(bench.out, 'contents/api/article.ndjson'))
    const line = lines.find((text) => JSON.parse(text)._id === idOf(0xe001)) ?? ''
    expect(JSON.parse(line)).toEqual(JSON.parse(content ? renderContent(space, content, 'api', 1) : ''))
  })

  it('is saved without the field that is too large', async () => {
    const space = spaceWith({ one: 30_000, two: 300 })
    addContent(space, 'article', {
      id: idOf(0xe002),
      createdAt: '2024-02-02T00:00:00.000Z',
      draft: { one: '', two: '', author: null, number: 1 },
    })
    await bench.serve(space, { largestAnswer: 20_000 })
    const { gaps, manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.status).toBe('gaps')
    const gap = { kind: 'content', model: 'article', id: idOf(0xe001), saved: true, lacks: ['one'] }
    expect(gaps).toContainEqual(expect.objectContaining({ ...gap, view: 'api' }))
    const lines = await readNdjson(join(bench.out, 'contents/cdn/article.ndjson'))
    expect(lines.some((line) => line.includes('"two":"あ') && line.includes('著者'))).toBe(true)
    expect(await readFile(join(bench.out, 'report.md'), 'utf8')).toContain('except for these fields: `one`')
  })
})

describe('a concurrent rescue of several models', () => {
  it.each<[string, StandInOptions]>([
    ['orders by _id', { refuses: /^order=.*_id/ }],
    ['large pages', { refuses: /^limit=(?:[2-9]\d\d|1\d[1-9]|1[1-9]\d|1000)$/ }],
    ['windows, depth and order', { refuses: /^(?:_sys|depth|order)/ }],
  ])('saves all contents from a slow server that refuses %s', async (_, options) => {
    let seed = 3
    const latency = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return 20 + (seed % 60)
    }
    const space = sampleSpace()
    for (let number = 0; number < 4; number++) space.models.set(`more-${number}`, new Map())
    for (const model of ['more-0', 'more-1', 'more-2'])
      addContent(space, model, { id: idOf(0xf00), createdAt: '2024-01-01T00:00:00.000Z', draft: {} })
    await bench.serve(space, { ...options, fault: () => ({ kind: 'slow', ms: latency() }) })
    const { manifest, verification } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: [...space.models.keys()], concurrency: 32 }),
    )
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(manifest.counts.contents).toEqual({ api: 13, cdn: 10 })
  })
})

describe('a rescue with wrong counts or clocks', () => {
  it('reports no missing contents if a count from an outdated cache is too high', async () => {
    const space = sampleSpace()
    await bench.serve(space, { countsMore: 2, countsMoreAt: /limit=1(?:&|$)/ })
    const { gaps, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(gaps.filter(({ kind }) => kind === 'count')).toEqual([])
    expect(manifest.status).toBe('gaps')
  })

  it("saves a change made during the run when the server's clock is hours ahead", async () => {
    const space = sampleSpace()
    const author = space.models.get('author')?.get(ids.author)
    let isEdited = false
    await bench.serve(space, {
      clockAheadMs: 10_800_000,
      afterList: ({ model, search }) => {
        if (isEdited || model !== 'author' || !author || /limit=1(?:&|$)/.test(search)) return
        isEdited = true
        const now = new Date().toISOString()
        const draft = { ...author.draft, name: '編集された' }
        Object.assign(author, { draft, published: draft, updatedAt: now, publishedAt: now })
      },
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(isEdited).toBe(true)
    for (const view of ['api', 'cdn'])
      expect(await readFile(join(bench.out, `contents/${view}/author.ndjson`), 'utf8')).toContain(
        '編集された',
      )
  })
})

describe('requests refused before they reach Newt', () => {
  const page = { kind: 'page', status: 403, html: '<h1>403</h1>' } as const

  it('are repeated with the user agent of the official client', async () => {
    await bench.serve(sampleSpace(), {
      fault: ({ view, userAgent }) => (view !== 'asset' && !/^axios\//.test(userAgent) ? page : undefined),
    })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
  })

  it('do not stop the run if they occur occasionally', async () => {
    let number = 0
    await bench.serve(sampleSpace(), {
      fault: ({ view }) => (view !== 'asset' && ++number % 5 === 0 ? page : undefined),
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
  })

  it('are not reported as a wrong token if all requests are refused', async () => {
    await bench.serve(sampleSpace(), { fault: () => page })
    await expect(rescueAndVerify(optionsFor(bench.standIn, bench.out, all))).rejects.toMatchObject({
      code: 'not_allowed',
      details: { code: '' },
    })
  })
})
