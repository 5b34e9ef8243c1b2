/** @module-tag full */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NotAnArchive } from '#archive/errors.ts'
import { verifyArchive } from '#archive/verify.ts'
import { all, freshBench } from '#rescue/testing/bench.ts'
import {
  optionsFor,
  readNdjson,
  readZip,
  recorder,
  rescueAndVerify,
  snapshot,
  timelessSnapshot,
} from '#rescue/testing/helpers.ts'
import { renderContent } from '#test/newt-stand-in/render.ts'
import { ids, lostPictures, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import { addAsset, addContent, idOf, type StoredSpace } from '#test/newt-stand-in/space.ts'
import { rescue } from './rescue.ts'

const bench = freshBench()

/** Returns the expected lines of the archive: every visible content, oldest first, as the stand-in renders it. */
function expectedLines(space: StoredSpace, view: 'api' | 'cdn', model: string): string[] {
  const key = (content: { createdAt: string; firstPublishedAt: string | null; id: string }) =>
    `${view === 'api' ? content.createdAt : content.firstPublishedAt} ${content.id}`
  return [...(space.models.get(model)?.values() ?? [])]
    .filter(({ published }) => view === 'api' || published)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map((content) => renderContent(space, content, view, 1))
}

describe('a rescue without failures', () => {
  it('saves every content of both views byte for byte, in an archive without problems', async () => {
    await bench.serve(sampleSpace())
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    for (const model of all.models) {
      for (const view of ['api', 'cdn'] as const) {
        const lines = await readNdjson(join(bench.out, `contents/${view}/${model}.ndjson`))
        expect(lines).toEqual(expectedLines(bench.standIn.space, view, model))
      }
    }
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
    // Numbers that JSON.parse would change are preserved.
    const article = await readFile(join(bench.out, 'contents/api/article.ndjson'), 'utf8')
    expect(article).toContain('"number":1.50,"big":9007199254740993,"huge":1e2')
    const edited = (view: string) => readFile(join(bench.out, `contents/${view}/article.ndjson`), 'utf8')
    expect(await edited('api')).toContain('編集中の新しい題')
    expect(await edited('cdn')).toContain('公開中の古い題')
    expect(await edited('cdn')).not.toContain(ids.draft)
  })

  it('downloads every asset in fields, HTML and app metadata once, under a safe file name', async () => {
    await bench.serve(sampleSpace())
    const { manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    const lines = (await readNdjson(join(bench.out, 'assets.ndjson'))).map((line) => JSON.parse(line))
    const assets = [...bench.standIn.space.assets.values()]
    expect(lines.map(({ url }) => url).sort()).toEqual(assets.map(({ src }) => new URL(src).href).sort())
    for (const { url, path, fileName } of lines) {
      const asset = assets.find(({ src }) => new URL(src).href === url)
      expect(fileName).toBe(asset?.fileName)
      expect(await readFile(join(bench.out, path))).toEqual(asset?.bytes)
    }
    expect(manifest.counts.assets.files).toBe(lines.length - 1)
    for (const path of (await snapshot(bench.out)).keys()) expect(path).toMatch(/^[a-z0-9/_-]+(\.[a-z]+)?$/)
    const assetAnswers = [...bench.standIn.served].filter(([url]) => /\.assets\.|^\/p_/.test(url))
    expect(assetAnswers.every(([, times]) => times === 1)).toBe(true)
  })

  it('lists lost pictures and unknown references with the contents that use them', async () => {
    await bench.serve(sampleSpace())
    const { gaps, manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(manifest.status).toBe('gaps')
    expect(verification.problems).toEqual([])
    const user = { model: 'article', content: ids.everything, title: expect.stringMatching(/^すべての/) }
    expect(gaps.filter(({ kind }) => kind === 'asset')).toEqual(
      [...lostPictures].sort().map((url) => ({
        kind: 'asset',
        url,
        reason: '404',
        uses: 2,
        usedBy: [
          { view: 'api', ...user },
          { view: 'cdn', ...user },
        ],
      })),
    )
    expect(gaps.filter(({ kind }) => kind === 'reference')).toMatchObject([{ id: ids.person, uses: 2 }])
    const report = await readFile(join(bench.out, 'report.md'), 'utf8')
    expect(report).toContain(lostPictures[0])
    expect(report).toContain('`article.editor`')
  })

  it('finds models through references, and adds a model named later without reading the others again', async () => {
    await bench.serve(sampleSpace())
    const { manifest, printed } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(manifest.models.map(({ uid, foundBy }) => [uid, foundBy])).toEqual([
      ['article', null],
      ['author', 'article.author'],
      ['category', 'article.category'],
    ])
    expect(printed).toContain('Found the model "category"')
    const before = new Map(bench.standIn.served)
    const second = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['article', 'staff-member'] }),
    )
    expect(second.manifest.models.map(({ uid }) => uid)).toEqual([
      'article',
      'author',
      'category',
      'staff-member',
    ])
    expect(second.verification.problems).toEqual([])
    expect(second.gaps.some(({ kind }) => kind === 'reference')).toBe(false)
    for (const [url, times] of bench.standIn.served) {
      // A completed first reading and completed assets are not requested again. Only checks and counts are repeated.
      const isLook = /updatedAt|limit=1(&|$)|apps|staff-member|select/.test(url)
      if (!isLook) expect([url, times]).toEqual([url, before.get(url)])
    }
    const third = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(third.verification).toMatchObject({ status: 'gaps', problems: [] })
  })

  it('writes no token to the archive, the journal or the output', async () => {
    await bench.serve(sampleSpace(), {
      fault: ({ number }) => (number === 4 ? { kind: 'status', status: 500 } : undefined),
    })
    const { printed } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { tokens: { ...bench.standIn.space.tokens } }),
    )
    const everything = [...(await snapshot(bench.folder)).values(), printed].join()
    const journal = await readFile(join(bench.out, '.rescue/journal.ndjson'), 'utf8')
    for (const token of Object.values(bench.standIn.space.tokens)) {
      expect(everything).not.toContain(token)
      expect(journal).not.toContain(token)
    }
  })

  it('creates the same archive twice, and a zip of exactly its files', async () => {
    await bench.serve(sampleSpace(), { pretty: false })
    const again = join(bench.folder, 'again')
    await rescueAndVerify(optionsFor(bench.standIn, bench.out, { ...all, zip: true }))
    await rescueAndVerify(optionsFor(bench.standIn, again, { ...all, zip: true, concurrency: 1 }))
    expect(await timelessSnapshot(again)).toEqual(await timelessSnapshot(bench.out))
    expect(await readZip(`${bench.out}.zip`)).toEqual(await snapshot(bench.out))
    const zips = await Promise.all([bench.out, again].map((dir) => readZip(`${dir}.zip`)))
    expect([...(zips[0] ?? [])].map(([name]) => name)).toEqual([...(zips[1] ?? [])].map(([name]) => name))
  })

  it('reads indented responses, and saves only the `api` view without a CDN token', async () => {
    await bench.serve(sampleSpace(), { pretty: true })
    const { manifest, verification } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { ...all, tokens: { api: bench.standIn.space.tokens.api } }),
    )
    expect(verification.problems).toEqual([])
    expect(manifest.asked.views).toEqual(['api'])
    expect(manifest.models.every(({ cdn }) => cdn === null)).toBe(true)
  })
})

describe('a rescue with failures', () => {
  it('saves the same contents and assets despite frequent errors, dropped connections and delays', async () => {
    let seed = 7
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    const calm = await startStandIn(sampleSpace())
    const calmOut = join(bench.folder, 'calm')
    await rescueAndVerify(optionsFor(calm, calmOut, all))
    await calm.close()
    await bench.serve(sampleSpace(), {
      fault: () => {
        const dice = random()
        if (dice < 0.1) return { kind: 'status', status: 429, retryAfter: '0' }
        if (dice < 0.2) return { kind: 'status', status: 500 }
        if (dice < 0.25) return { kind: 'status', status: 503 }
        if (dice < 0.35) return { kind: 'cut', afterBytes: Math.floor(random() * 300) }
        if (dice < 0.4) return { kind: 'drop' }
        return dice < 0.5 ? { kind: 'slow', ms: 30 } : undefined
      },
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    const withoutOrigin = async (dir: string, origin: string) =>
      JSON.parse(JSON.stringify([...(await timelessSnapshot(dir))]).replaceAll(origin, 'ORIGIN'))
    const strip = (files: [string, string][]) =>
      files.filter(([name]) => !['manifest.json', 'report.md'].includes(name)).sort()
    expect(strip(await withoutOrigin(bench.out, bench.standIn.origin))).toEqual(
      strip(await withoutOrigin(calmOut, calm.origin)),
    )
  })

  it('waits for the time in `Retry-After`', async () => {
    let refusedAt = 0
    let nextAt = 0
    await bench.serve(sampleSpace(), {
      fault: ({ model, view }) => {
        if (model !== 'article' || view !== 'api') return undefined
        if (refusedAt === 0) {
          refusedAt = Date.now()
          return { kind: 'status', status: 429, retryAfter: '1' }
        }
        nextAt ||= Date.now()
        return undefined
      },
    })
    await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(nextAt - refusedAt).toBeGreaterThanOrEqual(990)
  })

  it('saves all contents when the server refuses large responses', async () => {
    const space = sampleSpace()
    await bench.serve(space, { largestAnswer: 5_000 })
    const { verification, gaps, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
    // The content with all fields is too large even alone, so it is read field by field.
    expect(gaps.filter(({ kind }) => kind === 'content')).toEqual([])
    for (const view of ['api', 'cdn'] as const) {
      const lines = await readNdjson(join(bench.out, `contents/${view}/article.ndjson`))
      const parsed = (all: string[]) => all.map((line) => JSON.parse(line))
      expect(parsed(lines)).toEqual(parsed(expectedLines(space, view, 'article')))
    }
  })

  it('saves the other files when one asset keeps failing, and fetches only this asset in the next run', async () => {
    let broken = true
    await bench.serve(sampleSpace(), {
      fault: ({ path }) =>
        broken && path.includes('wide.png') ? { kind: 'status', status: 500 } : undefined,
    })
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(first.manifest.status).toBe('partial')
    expect(first.verification.problems).toEqual([])
    broken = false
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(second.manifest.status).toBe('gaps')
    expect(second.verification.problems).toEqual([])
    const assetAnswers = [...bench.standIn.served].filter(([url]) => /\.assets\.|^\/p_/.test(url))
    expect(assetAnswers.every(([, times]) => times === 1)).toBe(true)
  })

  it('reads all contents from a server that refuses `_id` orders, `select` and filters by change time', async () => {
    await bench.serve(sampleSpace(), {
      fault: ({ search }) =>
        /order=[^&]*_id|select=|updatedAt/.test(search) ? { kind: 'status', status: 400 } : undefined,
    })
    const { verification, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.counts.contents).toEqual({ api: 10, cdn: 7 })
  })

  it('saves all contents when filters use other times than the responses', async () => {
    const space = sampleSpace()
    const draft = { name: 'x' }
    for (let number = 0; number < 1_200; number++) {
      const shown = new Date(Date.parse('2024-01-01') + number * 1_000).toISOString()
      const createdAt = new Date(Date.parse('2023-12-31') + ((number * 7) % 1_200) * 1_000).toISOString()
      const times = { createdAt, updatedAt: shown, firstPublishedAt: shown, publishedAt: shown }
      addContent(space, 'author', { id: idOf(0x7000 + number), draft, published: draft, ...times })
    }
    await bench.serve(space, { filtersRawTimes: true })
    const { verification } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author'] }),
    )
    expect(verification).toMatchObject({ status: 'complete', problems: [] })
    expect(await readNdjson(join(bench.out, 'contents/cdn/author.ndjson'))).toEqual(
      expectedLines(space, 'cdn', 'author'),
    )
  })

  it('reports a gap when the server counts more contents than it returns', async () => {
    await bench.serve(sampleSpace(), { countsMore: 2 })
    const { gaps, manifest } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(manifest.status).toBe('partial')
    expect(gaps).toContainEqual({ kind: 'count', view: 'cdn', model: 'author', missing: 2 })
    expect(await readFile(join(bench.out, 'report.md'), 'utf8')).toContain('`cdn/author`')
  })

  it('does not request a private address that a content names', async () => {
    let asked = 0
    const inside = createServer((_, response) => {
      asked += 1
      response.end('secret')
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/latest/meta-data`
    const space = sampleSpace()
    for (const [index, src] of [
      address,
      'http://[::1]/x',
      'https://localhost/x',
      'file:///etc/passwd',
    ].entries()) {
      const id = idOf(0xe000 + index)
      const asset = {
        id,
        fileName: 'x',
        fileType: 'image/png',
        bytes: Buffer.alloc(0),
        src,
        width: 1,
        height: 1,
      }
      const draft = { face: addAsset(space, asset) }
      addContent(space, 'author', { id: idOf(0xe100 + index), createdAt: '2024-01-01T00:00:00.000Z', draft })
    }
    await bench.serve(space)
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    inside.close()
    expect(asked).toBe(0)
    expect(verification.problems).toEqual([])
    const blocked = gaps.filter((gap) => gap.kind === 'asset' && gap.reason === 'blocked_address')
    expect(blocked).toHaveLength(3)
  })

  it('lists assets over the size limit as gaps', async () => {
    await bench.serve(sampleSpace())
    const { gaps } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { ...all, maxAssetBytes: 2_000 }),
    )
    const reasons = gaps.flatMap((gap) =>
      gap.kind === 'asset' && gap.reason === 'too_large' ? [gap.url] : [],
    )
    const large = [...bench.standIn.space.assets.values()].filter(({ bytes }) => bytes.length > 2_000)
    expect(reasons.sort()).toEqual(large.map(({ src }) => new URL(src).href).sort())
  })

  it.each([
    ['token_refused', { tokens: { api: 'wrong' } }],
    ['token_refused', { tokens: { api: 'api-token-for-tests', cdn: 'wrong' } }],
    ['app_not_found', { app: 'nothing' }],
    ['app_not_found', { space: 'nobody' }],
    ['model_not_found', { models: ['nothing'] }],
    ['no_network', { origin: 'http://127.0.0.1:9' }],
  ])('throws %s for the options %j', async (code, change) => {
    await bench.serve(sampleSpace())
    const { reporter, text } = recorder()
    await expect(rescue(optionsFor(bench.standIn, bench.out, change), reporter, text)).rejects.toMatchObject({
      code,
    })
  })

  it('throws server_trouble if every response is a 500', async () => {
    await bench.serve(sampleSpace(), { fault: () => ({ kind: 'status', status: 500 }) })
    const { reporter, text } = recorder()
    await expect(rescue(optionsFor(bench.standIn, bench.out), reporter, text)).rejects.toMatchObject({
      code: 'server_trouble',
    })
  })

  it("rejects folders with another app's run, other files or a running process", async () => {
    await bench.serve(sampleSpace())
    const { reporter, text } = recorder()
    const busy = join(bench.folder, 'busy')
    const run = rescue(optionsFor(bench.standIn, busy), reporter, text)
    await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    await run
    bench.standIn.space.app.uid = 'other'
    await expect(rescue(optionsFor(bench.standIn, bench.out), reporter, text)).rejects.toMatchObject({
      code: 'folder_of_another',
    })
    await writeFile(join(bench.folder, 'mine.txt'), 'x')
    await expect(rescue(optionsFor(bench.standIn, bench.folder), reporter, text)).rejects.toMatchObject({
      code: 'folder_not_ours',
    })
    // Process 1 always exists and never belongs to the test.
    await writeFile(join(busy, '.rescue/lock'), '1')
    await expect(rescue(optionsFor(bench.standIn, busy), reporter, text)).rejects.toMatchObject({
      code: 'folder_in_use',
    })
  })
})

describe('a rescue while editors keep working', () => {
  const at = (number: number) => new Date(Date.parse('2023-05-01T00:00:00Z') + number * 1_000).toISOString()

  function manyContents(count: number, sameTime: (number: number) => number): StoredSpace {
    const space = sampleSpace()
    const contents = new Map()
    for (let number = 0; number < count; number++) {
      const createdAt = at(sameTime(number))
      const draft = { title: `${number}` }
      contents.set(idOf(number), {
        id: idOf(number),
        createdAt,
        updatedAt: createdAt,
        firstPublishedAt: createdAt,
        publishedAt: createdAt,
        draft,
        published: draft,
      })
    }
    space.models.set('article', contents)
    return space
  }

  it('neither misses nor repeats contents when editors add, change and delete some between pages', async () => {
    const space = manyContents(3_500, (number) => Math.floor(number / 30))
    const article = space.models.get('article')!
    let lists = 0
    await bench.serve(space, {
      afterList: ({ view, model }) => {
        if (model !== 'article' || view !== 'api') return
        lists += 1
        if (lists > 6) return
        const now = new Date().toISOString()
        // Changes one content that was already read and one that was not, deletes a later one, and adds a new one.
        for (const number of [lists, 3_400 + lists]) {
          const content = article.get(idOf(number))!
          const draft = { title: `${number} edited ${lists}` }
          article.set(content.id, { ...content, updatedAt: now, publishedAt: now, draft, published: draft })
        }
        article.delete(idOf(2_000 + lists))
        const draft = { title: `new ${lists}` }
        article.set(idOf(9_000 + lists), {
          id: idOf(9_000 + lists),
          createdAt: now,
          updatedAt: now,
          firstPublishedAt: now,
          publishedAt: now,
          draft,
          published: draft,
        })
      },
    })
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(verification.problems).toEqual([])
    for (const view of ['api', 'cdn'] as const) {
      const lines = await readNdjson(join(bench.out, `contents/${view}/article.ndjson`))
      const kept = lines.filter((line) => article.has(JSON.parse(line)._id))
      expect(kept).toEqual(expectedLines(space, view, 'article'))
      expect(lines.length - kept.length).toBeLessThanOrEqual(6)
    }
  })

  it('saves the new version of a content that is edited after its page was read', async () => {
    const space = manyContents(1_500, (number) => number)
    const article = space.models.get('article')!
    const early = article.get(idOf(3))!
    await bench.serve(space, {
      afterList: ({ view }) => {
        if (view !== 'api' || early.draft.title !== '3') return
        early.draft = { title: 'edited after its page went out' }
        early.updatedAt = new Date().toISOString()
      },
    })
    await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    const lines = await readNdjson(join(bench.out, 'contents/api/article.ndjson'))
    expect(lines).toEqual(expectedLines(space, 'api', 'article'))
    // The published state did not change.
    expect((await readNdjson(join(bench.out, 'contents/cdn/article.ndjson')))[3]).toContain('"title":"3"')
  })

  it('reads all contents when 3,100 of them share a creation time, even if some are deleted', async () => {
    const space = manyContents(3_200, (number) => (number < 100 ? number : 500))
    const article = space.models.get('article')!
    let lists = 0
    await bench.serve(space, {
      afterList: ({ view }) => {
        lists += 1
        // The deleted contents are before the reading position, so the following contents move up by ten positions.
        if (view === 'api' && lists === 3)
          for (let number = 200; number < 210; number++) article.delete(idOf(number))
      },
    })
    const options = optionsFor(bench.standIn, bench.out, { tokens: { api: space.tokens.api } })
    const { verification, printed } = await rescueAndVerify(options)
    expect(verification.problems).toEqual([])
    const lines = await readNdjson(join(bench.out, 'contents/api/article.ndjson'))
    const kept = lines.filter((line) => article.has(JSON.parse(line)._id))
    expect(kept).toEqual(expectedLines(space, 'api', 'article'))
    expect(printed).not.toContain('Error')
  })
})

describe('verifyArchive', () => {
  it('reports changed, missing, additional and inconsistent files', async () => {
    await bench.serve(sampleSpace())
    await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    // The archive is now like a copy, without the working folder.
    await rm(join(bench.out, '.rescue'), { recursive: true })
    const kinds = async () => (await verifyArchive(bench.out)).problems.map(({ kind }) => kind)
    const damage = async (path: string, change: (text: string) => string | undefined) => {
      const original = await readFile(join(bench.out, path), 'latin1')
      const changed = change(original)
      if (changed === undefined) await rm(join(bench.out, path))
      else await writeFile(join(bench.out, path), changed, 'latin1')
      const found = await kinds()
      await writeFile(join(bench.out, path), original, 'latin1')
      return found
    }
    const [asset = ''] = [...(await snapshot(bench.out)).keys()].filter((path) => path.startsWith('assets/'))
    const articles = 'contents/api/article.ndjson'
    expect(await damage(asset, (text) => `${text}x`)).toEqual(['size'])
    expect(await damage(asset, (text) => text.slice(1))).toEqual(['size'])
    expect(
      await damage('contents/cdn/author.ndjson', (text) => text.replace('2023-01-01', '2023-01-02')),
    ).toEqual(['hash'])
    expect(await damage(asset, () => undefined)).toEqual(['lost'])
    expect(await damage(articles, (text) => text.split('\n').slice(1).join('\n'))).toContain('count')
    expect(
      await damage(articles, (text) =>
        text
          .split('\n')
          .with(0, text.split('\n')[1] ?? '')
          .join('\n'),
      ),
    ).toContain('repeated')
    expect(await damage(articles, (text) => text.replace('{', '['))).toContain('line')
    expect(await damage('gaps.ndjson', () => '')).toContain('asset')
    expect(await damage('assets.ndjson', (text) => text.split('\n').slice(2).join('\n'))).toContain('asset')
    expect(await damage('contents/api/author.ndjson', () => '')).toContain('reference')
    await writeFile(join(bench.out, 'stray.txt'), 'x')
    expect(await kinds()).toEqual(['extra'])
    await rm(join(bench.out, 'stray.txt'))
    expect(await kinds()).toEqual([])
    const leaving = (text: string) => text.replace(/"path": "app.json"/, '"path": "../../etc/passwd"')
    await expect(damage('manifest.json', leaving)).rejects.toThrow(NotAnArchive)
  })
})
