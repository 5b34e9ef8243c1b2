import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import yazl from 'yazl'
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

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
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

describe('tables in a zip', () => {
  const people = Buffer.from('name,age\n花,30\n太郎,41\n')
  const shown = Buffer.from('title,picture\n朝,a.png\n夜,b.png\n')
  it.each([
    ['alone', { 'people.csv': people, 'places.csv': people }, [], 'csv'],
    ['with the files that they name', { 'shown.csv': shown }, ['a.png', 'b.png'], 'csv'],
    ['among other media', { 'people.csv': people }, ['a.png'], 'newt-export'],
  ])('%s', async (_how, tables, pictures, kind) => {
    const files = new Map<string, Buffer>(Object.entries(tables))
    for (const name of pictures) files.set(name, await picture())
    expect((await convert('files.zip', await zipped(files))).manifest.source.kind).toBe(kind)
  })
})

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

  it('whose contents have other keys each are refused with the file and the limit, and those below it are read', async () => {
    const texts = (count: number) =>
      zipped(
        new Map(
          Array.from({ length: count }, (_, n) => [
            `blog/${n}.md`,
            Buffer.from(`---\ntitle: x\nk${n}: 1\n---\nx\n`),
          ]),
        ),
      )
    expect(await refusal('x.zip', await texts(5_100))).toEqual({
      reason: 'tooComplex',
      items: [{ file: expect.stringMatching(/^blog\/\d+\.md$/), why: 'fields' }],
    })
    const items = Array.from({ length: 5_100 }, (_, n) => ({ name: 'x', [`k${n}`]: 1 }))
    expect(await refusal('x.json', JSON.stringify(items))).toEqual({
      reason: 'tooComplex',
      items: [{ file: 'x.json', why: 'fields' }],
    })
    const { contents } = await convert('x.zip', await texts(500))
    expect(await contents('blog')).toHaveLength(500)
  })

  it('leave out what is no plain file, and a second file of one name, and say so', async () => {
    const zip = new yazl.ZipFile()
    const add = (path: string, mode = 0o100644, text = path) =>
      zip.addBuffer(Buffer.from(`---\ntitle: ${text}\n---\nx\n`), path, { mode })
    add('post/link.md', 0o120777)
    add('post/pipe.md', 0o010644)
    add('post/device.md', 0o020644)
    add('post/twice.md')
    add('post/twice.md', 0o100644, 'second')
    add('post/Case.md')
    add('post/case.md')
    add('post/\u30ac.md')
    add('post/\u30ab\u3099.md')
    zip.end()
    const { contents, gaps } = await convert('x.zip', await bytesOf(zip.outputStream))
    const titles = (await contents('post')).map(({ title }) => title)
    expect(titles.sort()).toEqual(
      ['Case', 'case', 'twice', '\u30ab\u3099', '\u30ac'].map((name) => `post/${name}.md`).sort(),
    )
    const said = gaps.map(({ title }: { title: string }) => title).sort()
    const expected = ['device.md: link', 'link.md: link', 'pipe.md: link', 'twice.md: repeatedName']
    expect(said).toEqual(expected.map((text) => `post/${text}`))
  })

  it('that are links alone are refused with their names', async () => {
    const zip = new yazl.ZipFile()
    zip.addBuffer(Buffer.from('/etc/passwd'), 'a.md', { mode: 0o120777 })
    zip.end()
    expect(await refusal('x.zip', await bytesOf(zip.outputStream))).toEqual({
      reason: 'broken',
      items: [{ file: 'a.md', why: 'link' }],
    })
  })

  it('find pictures whose names a Mac has taken apart', async () => {
    const files = new Map([
      ['post/a.md', Buffer.from('# x\n\n![x](\u30ac.png)\n')],
      ['post/\u30ab\u3099.png', await picture()],
    ])
    const { assets } = await convert('x.zip', await zipped(files))
    expect(assets).toHaveLength(1)
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
    await expect(read()).rejects.toThrow('too much: bytes')
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
    expect(gaps).toMatchObject([
      { kind: 'content', title: 'assets/uploads/cover_abc123.png: link' },
      { kind: 'asset', reason: 'not_found' },
    ])
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

  it.each([
    ['ステータス', ['公開中', '下書き', '公開中（変更あり）']],
    ['Status', ['Published', 'Draft', 'Published (changed)']],
    ['status', ['published', 'draft', 'changed']],
  ])('of tables with states in %s bring what is not published so as drafts', async (name, states) => {
    const rows = states.map((state, index) => `${index},${state},2026-04-02T00:3${index}:00+09:00`)
    const { contents } = await convert('x.csv', [`n,${name},作成日時`, ...rows, ''].join('\n'))
    const found = (await contents('x')).map(({ _sys }) => [_sys.createdAt, _sys.raw.publishedAt !== null])
    expect(found).toEqual([
      ['2026-04-01T15:30:00.000Z', true],
      ['2026-04-01T15:31:00.000Z', false],
      ['2026-04-01T15:32:00.000Z', false],
    ])
  })

  it('of tables whose states are other words keep them as values only', async () => {
    const { contents } = await convert('x.csv', 'n,status\n1,draft\n2,発送済み\n')
    expect((await contents('x')).map(({ _sys }) => _sys.raw.publishedAt !== null)).toEqual([true, true])
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

describe('posts of WordPress', () => {
  const item = (id: number, status: string, more: string) =>
    `<item><title>t${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${status}</wp:status>${more}</item>`
  const zeros = ['post_date', 'post_date_gmt', 'post_modified', 'post_modified_gmt']
    .map((name) => `<wp:${name}>0000-00-00 00:00:00</wp:${name}>`)
    .join('')

  it('that nobody dated are of the day on which they come, or on which they were changed last', async () => {
    const modified = '<wp:post_modified_gmt>2021-02-03 04:05:06</wp:post_modified_gmt>'
    const pubDate = '<pubDate>Mon, 30 Nov -0001 00:00:00 +0000</pubDate>'
    const changed = zeros.replace(/<wp:post_modified_gmt>[^<]*<\/wp:post_modified_gmt>/, modified)
    const before = Date.now()
    const { contents } = await convert(
      'a.xml',
      wxr(item(1, 'draft', pubDate + zeros) + item(2, 'draft', pubDate + changed)),
    )
    const posts = await contents('post')
    const created = Object.fromEntries(posts.map(({ title, _sys }) => [title, _sys.createdAt]))
    expect(created.t2).toBe('2021-02-03T04:05:06.000Z')
    expect(Date.parse(created.t1)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(created.t1)).toBeLessThan(Date.now() + 1_000)
  })

  it('that not everybody could read come as drafts, which the plan is told', async () => {
    const { contents, manifest } = await convert(
      'a.xml',
      wxr(
        item(1, 'publish', '') +
          item(2, 'private', '') +
          item(3, 'publish', '<wp:post_password>secret</wp:post_password>') +
          item(4, 'future', ''),
      ),
    )
    const posts = await contents('post')
    expect(posts.map(({ title, _sys }) => [title, _sys.raw.publishedAt === null])).toEqual([
      ['t1', false],
      ['t2', true],
      ['t3', true],
      ['t4', true],
    ])
    expect(manifest.status).toBe('complete')
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    const { restricted } = hints.models.find(({ uid }: { uid: string }) => uid === 'post')
    expect(restricted).toEqual({ count: 3, examples: ['t2 (private)', 't3 (password)', 't4 (scheduled)'] })
  })
})

describe('lists that come in pages', () => {
  const at = '2024-01-01T00:00:00.000Z'
  const content = (n: number) => ({
    id: `c${n}`,
    createdAt: at,
    updatedAt: at,
    publishedAt: at,
    revisedAt: at,
  })
  const page = (from: number, count: number, more: object) => ({
    contents: Array.from({ length: count }, (_, n) => content(from + n)),
    ...more,
  })
  const plain = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `p${from + n}` }))
  const zipOf = (files: Record<string, unknown>) =>
    zipped(new Map(Object.entries(files).map(([name, value]) => [name, Buffer.from(JSON.stringify(value))])))
  const missing = ({ gaps }: { gaps: { kind: string; model?: string; missing?: number }[] }) =>
    gaps.flatMap(({ kind, model, missing }) => (kind === 'count' ? [[model, missing]] : []))

  it.each<[string, Record<string, unknown>, [string, number][]]>([
    [
      'microCMS, the first page',
      { 'blog.json': page(0, 2, { totalCount: 250, offset: 0, limit: 2 }) },
      [['blog', 248]],
    ],
    [
      'microCMS, two pages of two that overlap',
      {
        'blog-1.json': page(0, 2, { totalCount: 3, offset: 0, limit: 2 }),
        'blog-2.json': page(1, 2, { totalCount: 3, offset: 1, limit: 2 }),
      },
      [],
    ],
    ['Contentful or Newt', { 'a.json': { total: 30, skip: 0, limit: 10, items: plain(0, 10) } }, [['a', 20]]],
    [
      'the same in pages of which the last is missing',
      {
        'a-1.json': { total: 30, skip: 0, items: plain(0, 10) },
        'a-2.json': { total: 30, skip: 10, items: plain(10, 10) },
      },
      [['a-1', 10]],
    ],
    ['Strapi', { 'b.json': { data: plain(0, 5), meta: { pagination: { page: 1, total: 6 } } } }, [['b', 1]]],
    ['Directus', { 'c.json': { data: plain(0, 5), meta: { total_count: 9, filter_count: 7 } } }, [['c', 2]]],
    [
      'Django',
      { 'd.json': { count: 40, next: '?page=2', previous: null, results: plain(0, 5) } },
      [['d', 35]],
    ],
    ['a list that says nothing', { 'e.json': { count: 40, results: plain(0, 5) } }, []],
  ])('%s: what is missing is told', async (_name, files, expected) => {
    const converted = await convert('a.zip', await zipOf(files))
    expect(missing(converted)).toEqual(expected)
    expect(converted.manifest.status).toBe(expected.length > 0 ? 'partial' : 'complete')
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
