/** @module-tag full */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messagesFor } from '#rescue/messages/messages.ts'
import { all, freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, readNdjson, recorder, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { renderContent } from '#test/newt-stand-in/render.ts'
import { sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import type { Request, StandInOptions } from '#test/newt-stand-in/server.ts'
import { addAsset, addContent, assetsSrc, idOf, type StoredSpace } from '#test/newt-stand-in/space.ts'
import { rescue } from './rescue.ts'

const bench = freshBench()

/**
 * Creates a space with 1,150 articles, which are not in the order of their ids. The last 1,050 (more than a page) have
 * the same creation time. With a larger `count`, each further group of 1,150 shares one creation time.
 */
function importedSpace(count = 1_150): StoredSpace {
  const space = sampleSpace()
  space.models.set('article', new Map())
  for (let number = 0; number < count; number++) {
    const at = number < 100 ? number : 100 + Math.floor(number / 1_150)
    addContent(space, 'article', {
      id: idOf((number * 7_919) % 100_003),
      createdAt: new Date(Date.parse('2023-05-01') + at * 1_000).toISOString(),
      draft: { title: `${number}` },
    })
  }
  return space
}

async function expectEverything(space: StoredSpace): Promise<void> {
  for (const view of ['api', 'cdn'] as const) {
    const lines = await readNdjson(join(bench.out, `contents/${view}/article.ndjson`))
    const visible = [...(space.models.get('article')?.values() ?? [])].filter(
      ({ published }) => view === 'api' || published,
    )
    expect(lines.toSorted()).toEqual(
      visible.map((content) => renderContent(space, content, view, 1)).toSorted(),
    )
  }
}

describe('a rescue from a server that deviates from the contract', () => {
  it.each<[string, StandInOptions]>([
    ['refuses to order by _id', { refuses: /^order=.*_id/ }],
    ['refuses every order', { refuses: /^order/ }],
    ['refuses windows', { refuses: /^_sys\.createdAt\[/ }],
    ['refuses windows and orders', { refuses: /^_sys\.createdAt\[|^order/ }],
    ['refuses more than 100 contents in a page', { refuses: /^limit=(?:[2-9]\d\d|1\d[1-9]|1[1-9]\d|1000)$/ }],
    ['refuses depth', { refuses: /^depth/ }],
    ['refuses every filter, selection, depth and order', { refuses: /^(?:_sys|select|depth|order)/ }],
    ['fails on orders by _id and filters', { breaksAt: /^order=.*_id|^_sys/ }],
    ['ignores orders', { ignores: /^order/ }],
    ['ignores windows', { ignores: /^_sys\.createdAt/ }],
    ['ignores every parameter except skip', { ignores: /^(?!skip)/ }],
    ['returns at most 250 contents in a page', { mostPerPage: 250 }],
    ['returns no total', { rewrite: (text) => text.replace(/"total":\d+,/, '') }],
    ['returns neither total nor limit', { rewrite: (text) => text.replace(/"(?:total|limit)":\d+,/g, '') }],
    ['returns totals as strings', { rewrite: (text) => text.replace(/"total":(\d+)/, '"total":"$1"') }],
    ['returns a total of at most 10', { rewrite: (text) => text.replace(/"total":\d\d+/, '"total":10') }],
    [
      'returns totals that are too large',
      { rewrite: (text) => text.replace(/"total":(\d+)/, '"total":9$1') },
    ],
  ])('reads all contents when the server %s', async (difference, options) => {
    const space = importedSpace()
    await bench.serve(space, { isStatic: true, ...options })
    const { verification, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(verification.problems).toEqual([])
    // Only totals that are too large make the archive partial, because the server counts contents that it never
    // returns.
    expect(manifest.status === 'partial').toBe(difference === 'returns totals that are too large')
    await expectEverything(space)
  })

  it.each<[string, StandInOptions]>([
    ['gzip', { encoding: 'gzip' }],
    ['br', { encoding: 'br' }],
    ['deflate', { encoding: 'deflate' }],
    ['no length that end when the connection closes', { isUnframed: true }],
  ])('reads responses with %s', async (_, options) => {
    await bench.serve(sampleSpace(), options)
    const { verification, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
    expect(manifest.counts.assets.urls).toBe(bench.standIn.space.assets.size)
  })

  it('downloads pictures inside custom fields even if depth 1 does not expand them', async () => {
    await bench.serve(sampleSpace(), { countsNesting: true })
    const { verification, manifest, gaps } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.assets.urls).toBe(bench.standIn.space.assets.size)
    expect(gaps.filter(({ kind }) => kind === 'reference')).toEqual([])
  })

  it('lists an unresolved id as a gap', async () => {
    const space = sampleSpace()
    const draft = { title: 'x', body: { picture: idOf(0xbad) } }
    addContent(space, 'author', { id: idOf(0xe100), createdAt: '2024-01-01T00:00:00.000Z', draft })
    await bench.serve(space)
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'reference', id: idOf(0xbad), uses: 2 }))
  })

  it('keeps contents without a usable id', async () => {
    const rewrite = (text: string) =>
      text.replace(`"_id":"${idOf(0x1006)}",`, '').replace(`"_id":"${idOf(0x1002)}"`, '"_id":1002')
    await bench.serve(sampleSpace(), { rewrite })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents.api).toBe(10)
    expect(await readFile(join(bench.out, 'contents/api/article.ndjson'), 'utf8')).toContain(
      '下書き/odd slug',
    )
  })

  it('stops when the server repeats one page forever, and keeps the received contents', async () => {
    await bench.serve(importedSpace(), { ignores: /^(?:skip|_sys|order)/ })
    const { manifest, gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(manifest.status).toBe('partial')
    expect(manifest.counts.contents.api).toBeGreaterThanOrEqual(1_000)
    expect(gaps).toContainEqual(
      expect.objectContaining({ kind: 'unread', model: 'article', view: 'api', reason: 'strange_answer' }),
    )
    expect(verification.problems).toEqual([])
  })
})

describe('a rescue from a failing server', () => {
  const api = (model: string) => (request: Request) => request.view === 'api' && request.model === model

  it.each<[string, (request: Request) => ReturnType<NonNullable<StandInOptions['fault']>>, string]>([
    ['is refused with 403', () => ({ kind: 'status', status: 403 }), 'not_allowed'],
    ['fails with 500', () => ({ kind: 'status', status: 500 }), 'server_trouble'],
    ['fails with 502, as from a broken proxy', () => ({ kind: 'status', status: 502 }), 'server_trouble'],
    ['returns an HTML page', () => ({ kind: 'page', status: 200, html: '<h1>Sorry</h1>' }), 'strange_answer'],
    ['returns a truncated response', () => ({ kind: 'cut', afterBytes: 50 }), 'no_network'],
  ])(
    'writes a valid partial archive with a report on the model if one model %s',
    async (_, fault, reason) => {
      const isBroken = api('author')
      await bench.serve(sampleSpace(), {
        fault: (request) => (isBroken(request) ? fault(request) : undefined),
      })
      const { manifest, gaps, verification } = await rescueAndVerify(
        optionsFor(bench.standIn, bench.out, all),
      )
      expect(verification.problems).toEqual([])
      expect(manifest.status).toBe('partial')
      const report = await readFile(join(bench.out, 'report.md'), 'utf8')
      expect(report).toContain('`api/author`')
      if (reason === 'no_network') return
      expect(manifest.counts.contents).toEqual({ api: 8, cdn: 7 })
      expect(gaps).toContainEqual({ kind: 'unread', view: 'api', model: 'author', reason, saved: 0 })
    },
  )

  it('saves the contents read so far when the server becomes unreachable, and the rest in a later run', async () => {
    let isAway = false
    await bench.serve(importedSpace(2_300), {
      fault: ({ view }) => (isAway || view === 'asset' ? { kind: 'drop' } : undefined),
      afterList: ({ model, search }) => {
        if (model === 'article' && !/limit=1(&|$)/.test(search)) isAway = true
      },
    })
    const first = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author', 'article'] }),
    )
    expect(first.failure?.code).toBe('no_network')
    expect(first.manifest.status).toBe('partial')
    expect(first.manifest.counts.contents.api).toBeGreaterThan(0)
    expect(first.verification.problems).toEqual([])
    expect(first.gaps).toContainEqual(
      expect.objectContaining({
        kind: 'asset',
        reason: expect.stringMatching(/^(?:UND_ERR_SOCKET|ECONNRESET|host)$/),
      }),
    )
    const report = await readFile(join(bench.out, 'report.md'), 'utf8')
    expect(report).toContain('stopped early')
    // Although no server answers, the run writes the archive again and loses no contents.
    const again = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author', 'article'] }),
    )
    expect(again.manifest.counts.contents).toEqual(first.manifest.counts.contents)
    expect(again.verification.problems).toEqual([])
    isAway = false
    bench.standIn.options.afterList = () => {}
    bench.standIn.options.fault = () => undefined
    const last = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author', 'article'] }),
    )
    expect(last.manifest.status).toBe('complete')
    await expectEverything(bench.standIn.space)
  })

  it('keeps earlier contents when a later run names other models and has no CDN token', async () => {
    let broken = true
    await bench.serve(sampleSpace(), {
      fault: ({ path }) =>
        broken && path.includes('wide.png') ? { kind: 'status', status: 500 } : undefined,
    })
    const known = { models: ['article', 'author', 'category', 'empty'] }
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, known))
    expect(first.manifest.status).toBe('partial')
    broken = false
    const change = { models: ['author', 'staff-member'], tokens: { api: bench.standIn.space.tokens.api } }
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, change))
    const { api, cdn } = first.manifest.counts.contents
    expect(manifest.counts.contents).toEqual({ api: api + 1, cdn })
    expect(verification).toMatchObject({ status: 'gaps', problems: [] })
  })

  it("saves the contents if the app's metadata cannot be read", async () => {
    await bench.serve(sampleSpace(), {
      fault: ({ path }) => (path.includes('/space/apps/') ? { kind: 'status', status: 404 } : undefined),
    })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
  })

  it('saves all contents when a proxy fails at large pages', async () => {
    const space = importedSpace()
    await bench.serve(space, {
      isStatic: true,
      fault: ({ search }) =>
        Number(/limit=(\d+)/.exec(search)?.[1]) > 200 ? { kind: 'status', status: 504 } : undefined,
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(verification.problems).toEqual([])
    await expectEverything(space)
  })

  it('stops when several models in a row fail, and keeps the contents of the others', async () => {
    let asked = 0
    const space = sampleSpace()
    for (let number = 0; number < 50; number++) space.models.set(`model-${number}`, new Map())
    await bench.serve(space, {
      fault: ({ model }) => {
        if (!model?.startsWith('model-')) return undefined
        asked += 1
        return { kind: 'status', status: 500 }
      },
    })
    const options = optionsFor(bench.standIn, bench.out, { models: ['author', ...space.models.keys()] })
    const { failure, manifest, verification } = await rescueAndVerify(options)
    expect(failure?.code).toBe('server_trouble')
    expect(manifest.counts.contents.api).toBe(10)
    expect(verification.problems).toEqual([])
    expect(asked).toBeLessThan(1_000)
  })

  it('downloads all assets although the first 60 requests for assets are dropped', async () => {
    const space = sampleSpace()
    for (let number = 0; number < 40; number++) {
      const id = idOf(0xf000 + number)
      const src = assetsSrc('demo', id, `${number}.png`)
      const bytes = Buffer.from(`picture ${number}`)
      const face = addAsset(space, {
        id,
        fileName: 'x',
        fileType: 'image/png',
        bytes,
        src,
        width: 1,
        height: 1,
      })
      addContent(space, 'author', {
        id: idOf(0xe100 + number),
        createdAt: '2024-01-01T00:00:00.000Z',
        draft: { face },
      })
    }
    let drops = 60
    await bench.serve(space, {
      fault: ({ view }) => (view === 'asset' && drops-- > 0 ? { kind: 'drop' } : undefined),
    })
    const { manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(manifest.counts.assets.urls).toBe(space.assets.size)
  })
})

it.each([['QuotaExceeded'], ['IpAddressNotAllowed']])(
  'a rescue throws `not_allowed` with the code %s, which has its own message',
  async (code) => {
    const html = JSON.stringify({ status: 403, code, message: '' })
    await bench.serve(sampleSpace(), { fault: () => ({ kind: 'page', status: 403, html }) })
    const { reporter, text } = recorder()
    await expect(rescue(optionsFor(bench.standIn, bench.out), reporter, text)).rejects.toMatchObject({
      code: 'not_allowed',
      details: { code },
    })
    for (const language of ['ja', 'en'] as const) {
      const sentence = messagesFor(language).failures.not_allowed({ view: 'api', code })
      expect(sentence).not.toBe(messagesFor(language).failures.not_allowed({ view: 'api', code: '403' }))
    }
  },
)
