import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firewall } from '#test/newt-stand-in/firewall.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { lostPictures, sampleSpace } from '#test/newt-stand-in/sample-space.ts'
import { type Fault, type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'
import { type Expected, judgeAsset } from './judge-asset.ts'
import { rescue } from './rescue.ts'
import { optionsFor, readNdjson, recorder, rescueAndVerify, temporaryFolder } from './testing/helpers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let standIn: StandIn
let out: string

beforeEach(async () => {
  folder = await temporaryFolder()
  out = join(folder.path, 'archive')
})
afterEach(async () => {
  await standIn?.close()
  await folder.remove()
})

const all = { models: ['article', 'author', 'category', 'staff-member', 'empty'] }
const isOf = (name: string) => (request: { path: string }) => decodeURIComponent(request.path).includes(name)

async function savedAs(name: string): Promise<Buffer> {
  const lines = (await readNdjson(join(out, 'assets.ndjson'))).map((line) => JSON.parse(line))
  const path = lines.find(({ fileName }) => fileName === name)?.path
  return readFile(join(out, path))
}

describe('an asset host that refuses', () => {
  it('in bursts is asked more slowly, until everything is there', async () => {
    standIn = await startStandIn(largeSpace(120, 120), {
      fault: firewall({ requests: 20, perMs: 100, banMs: 60 }),
    })
    const { manifest, verification } = await rescueAndVerify(optionsFor(standIn, out))
    expect(verification).toMatchObject({ status: 'complete', problems: [] })
    expect(manifest.counts.assets.urls).toBe(120)
  })

  it.each([401, 403, 402, 418])(
    'with %i, always the same file: partial, and the next run asks again',
    async (status) => {
      let isRefusing = true
      const isOne = isOf('wide.png')
      standIn = await startStandIn(sampleSpace(), {
        fault: (request) => (isRefusing && isOne(request) ? { kind: 'status', status } : undefined),
      })
      const first = await rescueAndVerify(optionsFor(standIn, out, all))
      expect(first.manifest.status).toBe('partial')
      expect(first.gaps).toContainEqual(expect.objectContaining({ kind: 'asset', reason: String(status) }))
      isRefusing = false
      const second = await rescueAndVerify(optionsFor(standIn, out, all))
      expect(second.verification).toMatchObject({ status: 'gaps', problems: [] })
      expect(await savedAs('wide.png')).toEqual(Buffer.from('wide'))
    },
  )

  it('a file that is not there is asked for once more, and again by the next run', async () => {
    standIn = await startStandIn(sampleSpace())
    const first = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(first.gaps.filter(({ kind }) => kind === 'asset')).toHaveLength(2)
    // Restored by the owner before the last day.
    for (const [index, src] of lostPictures.entries()) {
      const asset = {
        fileName: 'x',
        fileType: 'image/png',
        bytes: Buffer.from(`${index}`),
        width: 1,
        height: 1,
      }
      standIn.space.assets.set(src, { ...asset, id: src, src })
    }
    const second = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(second.verification).toMatchObject({ status: 'complete', problems: [] })
    await expect(rescueAndVerify(optionsFor(standIn, out, all))).rejects.toMatchObject({
      code: 'folder_complete',
    })
  })
})

describe('a 200 that is not the file', () => {
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
    ['nothing', { kind: 'short', bytes: 0 }],
  ])('but %s is not stored as the file', async (_, fault) => {
    let isWrong = true
    const isOne = isOf('emoji🎾.webp')
    standIn = await startStandIn(sampleSpace(), {
      fault: (request) => (isWrong && isOne(request) ? fault : undefined),
    })
    const first = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(first.manifest.status).toBe('partial')
    expect(first.gaps).toContainEqual(expect.objectContaining({ kind: 'asset', reason: 'not_the_file' }))
    isWrong = false
    const second = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(second.verification).toMatchObject({ status: 'gaps', problems: [] })
    expect(String(await savedAs('emoji🎾.webp'))).toContain('picture 2')
  })

  it('but its beginning is asked for again', async () => {
    let cuts = 1
    const isOne = isOf('emoji🎾.webp')
    standIn = await startStandIn(sampleSpace(), {
      fault: (request) => (isOne(request) && cuts-- > 0 ? { kind: 'short', bytes: 100 } : undefined),
    })
    const { gaps } = await rescueAndVerify(optionsFor(standIn, out, all))
    const asset = [...standIn.space.assets.values()].find(({ fileName }) => fileName === 'emoji🎾.webp')
    expect(await savedAs('emoji🎾.webp')).toEqual(asset?.bytes)
    expect(gaps.some(({ kind }) => kind === 'differs')).toBe(false)
  })

  it('is kept, with a note, when it comes time after time with the same bytes', async () => {
    const isOne = isOf('emoji🎾.webp')
    standIn = await startStandIn(sampleSpace(), {
      fault: (request) => (isOne(request) ? { kind: 'short', bytes: 100 } : undefined),
    })
    const { gaps, manifest, verification } = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(verification.problems).toEqual([])
    expect(manifest.status).toBe('gaps')
    expect(await savedAs('emoji🎾.webp')).toHaveLength(100)
    const asset = [...standIn.space.assets.values()].find(({ fileName }) => fileName === 'emoji🎾.webp')
    expect(gaps).toContainEqual(
      expect.objectContaining({
        kind: 'differs',
        bytes: 100,
        said: asset?.bytes.length,
        url: new URL(asset?.src ?? '').href,
      }),
    )
    expect(await readFile(join(out, 'report.md'), 'utf8')).toContain('emoji')
  })
})

describe('what a 200 holds', () => {
  const png: Expected = { sizes: [10], type: 'image/png' }
  const page = '<!DOCTYPE html><html>'
  it.each<[string, string, Expected | undefined, string, string, string]>([
    ['the size said', 'x.png', png, '0123456789', '', 'as_said'],
    ['a size an older copy said', 'x.png', { ...png, sizes: [3, 5] }, '12345', '', 'as_said'],
    ['another size', 'x.png', png, '01234', '', 'other_size'],
    ['a page for a picture', 'x.png', png, page, 'text/html', 'not_the_file'],
    ['a page for a picture nobody described', 'x.png', undefined, page, 'image/png', 'not_the_file'],
    ['a page after a comment', 'x.jpg', undefined, ' <!-- hi --><html>', '', 'not_the_file'],
    ['an error for a PDF', 'x.pdf', undefined, '<Error>', '', 'not_the_file'],
    ['nothing for a picture', 'x.png', undefined, '', '', 'not_the_file'],
    ['nothing for an empty text', 'x.txt', undefined, '', '', 'as_said'],
    ['nothing for a text that had some', 'x.txt', { sizes: [9], type: 'text/plain' }, '', '', 'not_the_file'],
    ['a page that is one', 'x.html', undefined, page, 'text/html', 'as_said'],
    ['a text that shows HTML', 'x.txt', undefined, page, 'text/plain', 'as_said'],
    ['a page for a text', 'x.csv', undefined, page, 'text/html', 'not_the_file'],
    ['an SVG', 'x.svg', undefined, '<?xml version="1.0"?><svg>', 'image/svg+xml', 'as_said'],
    ['a page for an SVG', 'x.svg', undefined, page, '', 'not_the_file'],
    ['an error for an SVG', 'x.svg', undefined, '<?xml version="1.0"?>\n<Error>', '', 'not_the_file'],
    ['JSON', 'x.json', undefined, '{"error":1}', 'application/json', 'as_said'],
    ['who knows what', 'x', undefined, page, 'text/html', 'as_said'],
  ])('%s', (_, name, expected, body, contentType, verdict) => {
    const head = Buffer.from(body)
    expect(judgeAsset(`https://a.example/${name}`, expected, { bytes: head.length, head, contentType })).toBe(
      verdict,
    )
  })
})

describe('going on', () => {
  it('fetches the pictures it knows of when the API is gone for good', async () => {
    let isStorageAway = true
    let isApiGone = false
    standIn = await startStandIn(sampleSpace(), {
      fault: ({ view }) => {
        if (view === 'asset') return isStorageAway ? { kind: 'status', status: 503 } : undefined
        return isApiGone ? { kind: 'status', status: 404 } : undefined
      },
    })
    const first = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(first.manifest.counts.assets.urls).toBe(0)
    isStorageAway = false
    isApiGone = true
    const second = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(second.failure?.code).toBe('app_not_found')
    expect(second.manifest.counts.assets.urls).toBe(standIn.space.assets.size)
    expect(second.verification.problems).toEqual([])
  })

  it('sees that a picture was changed at equal size, and fetches it again', async () => {
    let broken = true
    const isOne = isOf('wide.png')
    standIn = await startStandIn(sampleSpace(), {
      fault: (request) => (broken && isOne(request) ? { kind: 'status', status: 500 } : undefined),
    })
    await rescueAndVerify(optionsFor(standIn, out, all))
    const line = JSON.parse((await readNdjson(join(out, 'assets.ndjson')))[0] ?? '')
    const bytes = await readFile(join(out, line.path))
    await writeFile(
      join(out, line.path),
      bytes.map((byte) => byte ^ 1),
    )
    broken = false
    const { verification } = await rescueAndVerify(optionsFor(standIn, out, all))
    expect(verification.problems).toEqual([])
  })

  it('leaves nothing behind that waits to try again, once a run has failed', async () => {
    standIn = await startStandIn(largeSpace(2_500, 0), { isStatic: true })
    let asked = 0
    standIn.options.fault = ({ search }) => {
      if (!/createdAt\[gte\]/.test(search)) return undefined
      asked += 1
      return { kind: 'status', status: 500 }
    }
    const { reporter, text } = recorder()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    // The folder goes away while the second page is being asked for.
    const failing = {
      ...reporter,
      step: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      },
    }
    const run = rescue(optionsFor(standIn, out, { backoffMs: 60_000 }), failing, text)
    await expect(run).rejects.toMatchObject({ code: 'disk_full' })
    expect(asked).toBeGreaterThan(0)
    expect(timers()).toBeLessThanOrEqual(before)
  })
})
