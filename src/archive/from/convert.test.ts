import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { picture, sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import { verifyArchive } from '../verify.ts'
import { convertSource } from './convert.ts'
import { type FetchFile, NotFetched } from './fetched-files.ts'
import { jsonParts } from './json-parts.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const nothing: FetchFile = async () => {
  throw new NotFetched('404')
}

/** What becomes of a file: its archive, verified, with the lines of its contents. */
async function convert(
  name: string,
  bytes: Buffer | string,
  fetchFile: FetchFile = nothing,
  allowance = 100_000_000,
) {
  const path = join(folder.path, 'upload')
  const work = join(folder.path, 'work')
  await writeFile(path, bytes)
  const manifest = await convertSource(path, {
    name,
    folder: work,
    zone: '+09:00',
    renderMarkdown: (source) => `<p>${source}</p>`,
    fetchFile,
    allowance,
    onProgress: () => {},
  })
  const { problems } = await verifyArchive(join(work, 'archive'))
  expect(problems).toEqual([])
  const lines = async (file: string) =>
    (await readFile(join(work, 'archive', file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const contents = async (model: string) => {
    const path = manifest.models.find(({ uid }) => uid === model)?.api.path
    return path === undefined ? [] : lines(path)
  }
  return { manifest, contents, gaps: await lines('gaps.ndjson'), assets: await lines('assets.ndjson') }
}

const refusal = (name: string, bytes: Buffer | string) =>
  convert(name, bytes).then(
    () => undefined,
    (error: { reason?: string; items?: unknown }) => ({ reason: error.reason, items: error.items }),
  )

const wxr = (inside: string, head = '') =>
  `<?xml version="1.0"?>${head}<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>x</title>${inside}</channel></rss>`
const post = (inside: string) =>
  wxr(
    `<item><title>題</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status>${inside}</item>`,
  )

describe('hostile files', () => {
  it('with entities that expand are refused before anything is read', async () => {
    const bomb = `<!DOCTYPE lolz [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;">]>`
    expect(await refusal('x.xml', wxr('<item><title>&b;</title></item>', bomb))).toMatchObject({
      reason: 'broken',
      items: [{ why: 'doctype' }],
    })
    expect(await refusal('x.xml', wxr('<item><title>&file;</title></item>'))).toMatchObject({
      reason: 'broken',
    })
  })

  it.each([
    ['nothing', ''],
    ['a text', 'not a zip at all'],
    ['a page', '<!doctype html><p>x</p>'],
    ['an object of no kind', '{"a":1}'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0', 'latin1')],
    ['an empty list', '[]'],
  ])('that are %s are nothing that moves in', async (_, bytes) => {
    expect(await refusal('x.zip', bytes)).toMatchObject({ reason: 'unknown' })
  })

  it('that end too early are refused, or brought as far as they go', async () => {
    expect(await refusal('x.xml', post('<content:encoded>x').slice(0, -40))).toMatchObject({
      reason: 'broken',
    })
    const { contents, gaps } = await convert('x.json', '[{"name":"一"},{"name":"二"},{"na')
    expect(await contents('x')).toHaveLength(2)
    expect(gaps).toMatchObject([{ kind: 'content', id: 'x.json:3' }])
    expect(
      await refusal('x.tar.gz', (await tarred(await sourceFixture('strapi'))).subarray(0, 700)),
    ).toMatchObject({
      reason: 'broken',
    })
  })

  it('nested deeply, or of one endless value, take neither stack nor memory', async () => {
    const deep = `[{"name":"x"},${'['.repeat(100_000)}${']'.repeat(100_000)}]`
    const { contents, gaps } = await convert('deep.json', deep)
    expect(await contents('deep')).toHaveLength(1)
    expect(gaps).toHaveLength(1)
    async function* endless() {
      for (;;) yield Buffer.alloc(1 << 20, 0x61)
    }
    const read = async () => {
      for await (const _ of jsonParts(withStart(endless()))) break
    }
    await expect(read()).rejects.toThrow('too large')
  })

  it('do not touch what objects are made of', async () => {
    const { contents } = await convert(
      'x.json',
      '[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":"x","_id":"a","_sys":{"raw":1}}]',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const [content] = await contents('x')
    expect(content._sys.raw.publishedAt).toEqual(expect.any(String))
    expect(Object.keys(content)).toContain('__proto__')
  })

  it('of several languages bring the default one, and name what stays behind', async () => {
    const entity = (id: number, locale: string, title: string) => ({
      type: 'api::author.author',
      id,
      data: { documentId: 'a'.repeat(24), locale, name: title, createdAt: '2024-01-01T00:00:00.000Z' },
    })
    const lines = (...items: object[]) =>
      Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''))
    const authors = async (locale?: string) => {
      const files = await sourceFixture('strapi')
      const value = { key: 'plugin_i18n_default_locale', value: locale }
      if (locale) files.set('configuration/configuration_00001.jsonl', lines({ type: 'core-store', value }))
      files.set('entities/entities_00001.jsonl', lines(entity(1, 'en', 'Natsume'), entity(2, 'ja', '夏目')))
      const { contents, gaps } = await convert('x.tar.gz', await tarred(files))
      return [(await contents('author')).map(({ name }) => name), gaps.map((gap) => gap.id)]
    }
    expect(await authors('ja')).toEqual([['夏目'], [`${'a'.repeat(24)} en`]])
    // Where it is not said, the first one.
    expect(await authors()).toEqual([['Natsume'], [`${'a'.repeat(24)} ja`]])
  })

  it('of tars may hold links and names of other places, which are not followed', async () => {
    const files = await sourceFixture('strapi')
    files.set('../../etc/evil.jsonl', Buffer.from('{}'))
    const bytes = await tarred(files, (tar) => {
      tar.entry({ name: 'assets/uploads/cover_abc123.png', type: 'symlink', linkname: '/etc/passwd' })
    })
    const { assets, gaps } = await convert('x.tar.gz', bytes)
    expect(assets).toEqual([])
    expect(gaps).toMatchObject([{ kind: 'asset', reason: 'not_found' }])
  })

  it('of zips may have names of other places, which stay data', async () => {
    const bytes = (
      await zipped(new Map([['aa/aa/evil.md', Buffer.from('---\ntitle: 外\n---\n本文')]]))
    ).toString('latin1')
    const moved = Buffer.from(bytes.replaceAll('aa/aa/evil.md', '../../evil.md'), 'latin1')
    // The library refuses such a zip as a whole.
    await expect(convert('x.zip', moved)).rejects.toThrow()
  })

  it('that unpack to far more than they are, are refused', async () => {
    const table = `title,body\n${'a,b\n'.repeat(3_000_000)}`
    const zip = await zipped(new Map([['x.csv', Buffer.from(table)]]))
    expect(zip.length).toBeLessThan(table.length / 100)
    await expect(convert('x.zip', zip, nothing, 1_000_000)).rejects.toMatchObject({ reason: 'tooLarge' })
    const files = await sourceFixture('strapi')
    files.set('assets/uploads/large', Buffer.alloc(5_000_000))
    const tar = await tarred(files)
    await expect(convert('x.tar.gz', tar, nothing, 1_000_000)).rejects.toMatchObject({ reason: 'tooLarge' })
  })

  it('of YAML whose aliases multiply are told', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, index) => {
        const last = 'abcdefgh'[index]
        return `${name}: &${name} [*${last},*${last},*${last},*${last},*${last},*${last},*${last},*${last},*${last}]`
      }),
    ].join('\n')
    const files = new Map([
      ['a/bomb.md', Buffer.from(`---\n${bomb}\n---\nx`)],
      ['a/good.md', Buffer.from('---\ntitle: 良\n---\nx')],
    ])
    const { gaps, contents } = await convert('x.zip', await zipped(files))
    expect(gaps).toMatchObject([{ id: 'a/bomb.md' }])
    expect(await contents('a')).toHaveLength(1)
  })

  it('of tables with a quote that is never closed say where', async () => {
    const bytes = `name,text\na,b\nc,"${'x'.repeat(11_000_000)}`
    expect(await refusal('x.csv', bytes)).toMatchObject({
      reason: 'broken',
      items: [{ file: expect.stringMatching(/^x\.csv:/) }],
    })
  })
})

describe('pictures on the web', () => {
  it('are asked for once each, and what an earlier run had is not asked for again', async () => {
    const bytes = await picture()
    const asked: string[] = []
    const isDown = { value: true }
    const fetchFile: FetchFile = async (url) => {
      asked.push(url)
      if (isDown.value && url.endsWith('b.png')) throw new Error('the process ends')
      if (url.endsWith('page.png'))
        return { chunks: one(Buffer.from('<html>')), type: 'text/html; charset=utf-8' }
      return { chunks: one(bytes), type: 'image/png' }
    }
    const table = [
      'name,cover',
      ...['a', 'b', 'a', 'page'].map((name) => `${name},https://cdn.example.jp/${name}.png`),
    ].join('\n')
    await expect(convert('x.csv', table, fetchFile)).rejects.toThrow('the process ends')
    isDown.value = false
    const { assets, gaps } = await convert('x.csv', table, fetchFile)
    expect(assets.map(({ url }) => url)).toEqual([
      'https://cdn.example.jp/a.png',
      'https://cdn.example.jp/b.png',
    ])
    expect(gaps).toMatchObject([
      { kind: 'asset', url: 'https://cdn.example.jp/page.png', reason: 'not_the_file' },
    ])
    expect(asked.filter((url) => url.endsWith('a.png'))).toHaveLength(1)
  })
})

describe('JSON in parts', () => {
  it.each([1, 2, 7, 1_000])('is read in pieces of %i bytes', async (size) => {
    const text = Buffer.from(' {"a":[1, "二]\\"",{"b":[]}] ,"c":null,"d":{"e":"}"},"f":[]}\n')
    async function* pieces() {
      for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size)
    }
    const parts = []
    for await (const { key, isItem, text: part } of jsonParts(pieces()))
      parts.push([key, isItem, JSON.parse(part.toString())])
    expect(parts).toEqual([
      ['a', true, 1],
      ['a', true, '二]"'],
      ['a', true, { b: [] }],
      ['c', false, null],
      ['d', false, { e: '}' }],
    ])
  })

  it.each(['[1', '{"a"}', '{"a":1,,}', '[] []', '[1 2]', '{1:2}', ''])('refuses %s', async (text) => {
    const read = async () => {
      for await (const _ of jsonParts(one(Buffer.from(text)))) {
      }
    }
    await expect(read()).rejects.toThrow()
  })
})

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function* withStart(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('["')
  yield* chunks
}
