/** @module-tag full */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { all, freshBench } from '#rescue/testing/bench.ts'
import { optionsFor, readNdjson, recorder, rescueAndVerify } from '#rescue/testing/helpers.ts'
import { firewall } from '#test/newt-stand-in/firewall.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { ids, lostPictures, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import type { Fault } from '#test/newt-stand-in/server.ts'
import { addAsset, addContent, assetsSrc, idOf } from '#test/newt-stand-in/space.ts'
import { type Expected, judgeAsset } from './judge-asset.ts'
import { rescue } from './rescue.ts'

const bench = freshBench()

const isOf = (name: string) => (request: { path: string }) => decodeURIComponent(request.path).includes(name)

function plainAsset(number: number, src: string) {
  const shape = { fileName: 'x', fileType: 'image/png', width: 1, height: 1 }
  return { ...shape, id: idOf(number), src, bytes: Buffer.from(`picture ${number}`) }
}

async function savedAs(name: string): Promise<Buffer> {
  const lines = (await readNdjson(join(bench.out, 'assets.ndjson'))).map((line) => JSON.parse(line))
  const path = lines.find(({ fileName }) => fileName === name)?.path
  return readFile(join(bench.out, path))
}

describe('a rescue with refused or missing files', () => {
  it('downloads all files if the host refuses bursts of requests', async () => {
    await bench.serve(largeSpace(120, 120), {
      fault: firewall({ requests: 20, perMs: 100, banMs: 60 }),
    })
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(verification).toMatchObject({ status: 'complete', problems: [] })
    expect(manifest.counts.assets.urls).toBe(120)
  })

  it.each([401, 403, 402, 418])(
    'writes a partial archive if one file is refused with %i, and downloads the file in the next run',
    async (status) => {
      let isRefusing = true
      const isOne = isOf('wide.png')
      await bench.serve(sampleSpace(), {
        fault: (request) => (isRefusing && isOne(request) ? { kind: 'status', status } : undefined),
      })
      const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
      expect(first.manifest.status).toBe('partial')
      expect(first.gaps).toContainEqual(expect.objectContaining({ kind: 'asset', reason: String(status) }))
      isRefusing = false
      const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
      expect(second.verification).toMatchObject({ status: 'gaps', problems: [] })
      expect(await savedAs('wide.png')).toEqual(Buffer.from('wide'))
    },
  )

  it('downloads missing files in the next run after the host restores them', async () => {
    await bench.serve(sampleSpace())
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(first.gaps.filter(({ kind }) => kind === 'asset')).toHaveLength(2)
    for (const [index, src] of lostPictures.entries()) {
      const asset = {
        fileName: 'x',
        fileType: 'image/png',
        bytes: Buffer.from(`${index}`),
        width: 1,
        height: 1,
      }
      bench.standIn.space.assets.set(src, { ...asset, id: src, src })
    }
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(second.verification).toMatchObject({ status: 'complete', problems: [] })
    await expect(rescueAndVerify(optionsFor(bench.standIn, bench.out, all))).rejects.toMatchObject({
      code: 'folder_complete',
    })
  })
})

describe('an asset with a wrong response', () => {
  it.each<[string, Fault]>([
    ['a log-in page', { kind: 'page', status: 200, html: '<!doctype html><title>Log in</title>' }],
    [
      'an error in XML',
      {
        kind: 'page',
        status: 200,
        html: '<?xml version="1.0"?><Error><Code>Denied</Code></Error>',
        type: 'application/xml',
      },
    ],
    ['an error in JSON', { kind: 'page', status: 200, html: '{"error":"x"}', type: 'application/json' }],
    ['empty', { kind: 'short', bytes: 0 }],
  ])('is listed as a gap if the response is %s, and stored by the next run', async (_, fault) => {
    let isWrong = true
    const isOne = isOf('emoji🎾.webp')
    await bench.serve(sampleSpace(), {
      fault: (request) => (isWrong && isOne(request) ? fault : undefined),
    })
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(first.manifest.status).toBe('partial')
    expect(first.gaps).toContainEqual(expect.objectContaining({ kind: 'asset', reason: 'not_the_file' }))
    isWrong = false
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(second.verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(String(await savedAs('emoji🎾.webp'))).toContain('picture 2')
  })

  it('is requested again if the response is truncated', async () => {
    let cuts = 1
    const isOne = isOf('emoji🎾.webp')
    await bench.serve(sampleSpace(), {
      fault: (request) => (isOne(request) && cuts-- > 0 ? { kind: 'short', bytes: 100 } : undefined),
    })
    const { gaps } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    const asset = [...bench.standIn.space.assets.values()].find(({ fileName }) => fileName === 'emoji🎾.webp')
    expect(await savedAs('emoji🎾.webp')).toEqual(asset?.bytes)
    expect(gaps.some(({ kind }) => kind === 'differs')).toBe(false)
  })

  it('is kept and listed as a gap if its size repeatedly differs from the listed size', async () => {
    const isOne = isOf('emoji🎾.webp')
    await bench.serve(sampleSpace(), {
      fault: (request) => (isOne(request) ? { kind: 'short', bytes: 100 } : undefined),
    })
    const { gaps, manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.status).toBe('gaps')
    expect(await savedAs('emoji🎾.webp')).toHaveLength(100)
    const asset = [...bench.standIn.space.assets.values()].find(({ fileName }) => fileName === 'emoji🎾.webp')
    expect(gaps).toContainEqual(
      expect.objectContaining({
        kind: 'differs',
        bytes: 100,
        said: asset?.bytes.length,
        url: new URL(asset?.src ?? '').href,
      }),
    )
    expect(await readFile(join(bench.out, 'report.md'), 'utf8')).toContain('emoji')
  })
})

it('a rescue keeps all files if the stated sizes are never correct, and requests most files once', async () => {
  const space = largeSpace(60, 60)
  await bench.serve(space, {
    rewrite: (text) => text.replaceAll(/"fileSize":(\d+)/g, '"fileSize":1$1'),
  })
  const { gaps, verification } = await rescueAndVerify(
    optionsFor(bench.standIn, bench.out, { concurrency: 2 }),
  )
  expect(verification).toMatchObject({ status: 'complete', problems: [] })
  expect(gaps).toEqual([])
  const answers = [...bench.standIn.served].filter(([url]) => url.includes('.assets.'))
  expect(answers.filter(([, times]) => times === 1).length).toBeGreaterThan(30)
})

describe('judgeAsset', () => {
  const png: Expected = { sizes: [10], type: 'image/png' }
  const page = '<!DOCTYPE html><html>'
  it.each<[string, string, Expected | undefined, string, string, string]>([
    ['a file of the listed size', 'x.png', png, '0123456789', '', 'as_said'],
    [
      'a file of a size that an older copy listed',
      'x.png',
      { ...png, sizes: [3, 5] },
      '12345',
      '',
      'as_said',
    ],
    ['a file of another size', 'x.png', png, '01234', '', 'other_size'],
    ['an HTML page instead of a picture', 'x.png', png, page, 'text/html', 'not_the_file'],
    [
      'an HTML page instead of a picture without a listed type',
      'x.png',
      undefined,
      page,
      'image/png',
      'not_the_file',
    ],
    ['an HTML page that begins with a comment', 'x.jpg', undefined, ' <!-- hi --><html>', '', 'not_the_file'],
    ['an XML error instead of a PDF', 'x.pdf', undefined, '<Error>', '', 'not_the_file'],
    ['an empty picture', 'x.png', undefined, '', '', 'not_the_file'],
    ['an empty text file', 'x.txt', undefined, '', '', 'as_said'],
    [
      'an empty text file whose listed size is larger',
      'x.txt',
      { sizes: [9], type: 'text/plain' },
      '',
      '',
      'not_the_file',
    ],
    ['an HTML file', 'x.html', undefined, page, 'text/html', 'as_said'],
    ['a text file that contains HTML', 'x.txt', undefined, page, 'text/plain', 'as_said'],
    ['an HTML page instead of a text file', 'x.csv', undefined, page, 'text/html', 'not_the_file'],
    ['an SVG', 'x.svg', undefined, '<?xml version="1.0"?><svg>', 'image/svg+xml', 'as_said'],
    ['an HTML page instead of an SVG', 'x.svg', undefined, page, '', 'not_the_file'],
    [
      'an XML error instead of an SVG',
      'x.svg',
      undefined,
      '<?xml version="1.0"?>\n<Error>',
      '',
      'not_the_file',
    ],
    ['a JSON file', 'x.json', undefined, '{"error":1}', 'application/json', 'as_said'],
    ['a file of an unknown type', 'x', undefined, page, 'text/html', 'as_said'],
  ])('judges %s as $5', (_, name, expected, body, contentType, verdict) => {
    const head = Buffer.from(body)
    expect(judgeAsset(`https://a.example/${name}`, expected, { bytes: head.length, head, contentType })).toBe(
      verdict,
    )
  })
})

describe('the assets to download', () => {
  it("include an app cover that is stored in Newt's bucket", async () => {
    const space = sampleSpace()
    const src = 'https://storage.googleapis.com/newt-images/apps/1/cover.jpg'
    space.app.cover = { type: 'image', value: src }
    space.assets.set(src, { ...plainAsset(0xd001, src), bytes: Buffer.from('cover') })
    await bench.serve(space)
    await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(String(await savedAs('cover.jpg'))).toBe('cover')
  })

  it('include files that HTML embeds from the host of an asset object, but not linked pages', async () => {
    const space = sampleSpace()
    const host = 'https://storage.googleapis.com/owners-bucket'
    for (const [index, name] of ['object.png', 'html.png', 'page'].entries())
      space.assets.set(name, { ...plainAsset(0xd000 + index, `${host}/${name}`), bytes: Buffer.from(name) })
    const face = { $asset: 'object.png' }
    const text = `<img src="${host}/html.png"><a href="${host}/page">`
    // This content is read before the bucket is known to belong to the space.
    addContent(space, 'article', { id: idOf(0xd100), createdAt: '2020-01-01T00:00:00.000Z', draft: { text } })
    addContent(space, 'author', { id: idOf(0xd101), createdAt: '2024-01-01T00:00:00.000Z', draft: { face } })
    await bench.serve(space)
    const { manifest, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.learntHosts).toEqual(['storage.googleapis.com/owners-bucket'])
    expect(String(await savedAs('html.png'))).toBe('html.png')
    expect(manifest.counts.assets.urls).toBe(space.assets.size - 1)
    // The sample embeds one picture from an unrelated host.
    expect(manifest.foreignImages).toEqual([{ host: 'example.com', images: 1 }])
  })

  it('do not include a content whose fields have the names of asset properties', async () => {
    const space = sampleSpace()
    const target = idOf(0xd200)
    const draft = { src: 'chapter one', fileName: 'x', width: 1 }
    addContent(space, 'staff-member', { id: target, createdAt: '2024-01-01T00:00:00.000Z', draft })
    const editor = { $ref: target }
    addContent(space, 'author', {
      id: idOf(0xd201),
      createdAt: '2024-01-01T00:00:00.000Z',
      draft: { editor },
    })
    await bench.serve(space)
    const { gaps, verification } = await rescueAndVerify(
      optionsFor(bench.standIn, bench.out, { models: ['author'] }),
    )
    expect(verification.problems).toEqual([])
    expect(gaps.filter(({ kind }) => kind === 'asset')).toEqual([])
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'reference', id: target }))
  })

  it('include the pictures of a referenced content whose model was not found', async () => {
    const space = sampleSpace()
    const photo = plainAsset(0xd300, assetsSrc('demo', idOf(0xd300), 'portrait.png'))
    addContent(space, 'staff-member', {
      id: ids.person,
      createdAt: '2023-01-01T00:00:00.000Z',
      draft: { name: '編集者', photo: addAsset(space, photo), lost: idOf(0xbad) },
    })
    await bench.serve(space)
    const { gaps, verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out))
    expect(verification.problems).toEqual([])
    expect(await savedAs('portrait.png')).toEqual(photo.bytes)
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'reference', id: idOf(0xbad) }))
    const article = await readFile(join(bench.out, 'contents/api/article.ndjson'), 'utf8')
    expect(article).toContain('portrait.png')
  })
})

describe('a rescue after an interruption or failure', () => {
  it('fetches the known pictures when the API is permanently unavailable', async () => {
    let isStorageAway = true
    let isApiGone = false
    await bench.serve(sampleSpace(), {
      fault: ({ view }) => {
        if (view === 'asset') return isStorageAway ? { kind: 'status', status: 503 } : undefined
        return isApiGone ? { kind: 'status', status: 404 } : undefined
      },
    })
    const first = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(first.manifest.counts.assets.urls).toBe(0)
    isStorageAway = false
    isApiGone = true
    const second = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(second.failure?.code).toBe('app_not_found')
    expect(second.manifest.counts.assets.urls).toBe(bench.standIn.space.assets.size)
    expect(second.verification.problems).toEqual([])
  })

  it('fetches a picture again if its stored file was changed but has the same size', async () => {
    let broken = true
    const isOne = isOf('wide.png')
    await bench.serve(sampleSpace(), {
      fault: (request) => (broken && isOne(request) ? { kind: 'status', status: 500 } : undefined),
    })
    await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    const line = JSON.parse((await readNdjson(join(bench.out, 'assets.ndjson')))[0] ?? '')
    const bytes = await readFile(join(bench.out, line.path))
    await writeFile(
      join(bench.out, line.path),
      bytes.map((byte) => byte ^ 1),
    )
    broken = false
    const { verification } = await rescueAndVerify(optionsFor(bench.standIn, bench.out, all))
    expect(verification.problems).toEqual([])
  })

  it('leaves no timers of pending retries', async () => {
    await bench.serve(largeSpace(2_500, 0), { isStatic: true })
    let asked = 0
    bench.standIn.options.fault = ({ search }) => {
      if (!/createdAt\[gte\]/.test(search)) return undefined
      asked += 1
      return { kind: 'status', status: 500 }
    }
    const { reporter, text } = recorder()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    // Writing fails while the second page is being requested.
    const failing = {
      ...reporter,
      step: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      },
    }
    const run = rescue(optionsFor(bench.standIn, bench.out, { backoffMs: 60_000 }), failing, text)
    await expect(run).rejects.toMatchObject({ code: 'disk_full' })
    expect(asked).toBeGreaterThan(0)
    expect(timers()).toBeLessThanOrEqual(before)
  })
})
