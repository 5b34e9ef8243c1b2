import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import yazl from 'yazl'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { picture, sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import type { StateHint } from '../hints.ts'
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

describe('convertSource with a zip of tables', () => {
  const people = Buffer.from('name,age\n花,30\n太郎,41\n')
  const shown = Buffer.from('title,picture\n朝,a.png\n夜,b.png\n')
  it.each([
    ['tables alone as csv', { 'people.csv': people, 'places.csv': people }, [], 'csv'],
    ['tables with the files that they name as csv', { 'shown.csv': shown }, ['a.png', 'b.png'], 'csv'],
    ['tables among other media as an export of Newt', { 'people.csv': people }, ['a.png'], 'newt-export'],
  ])('recognises %s', async (_how, tables, pictures, kind) => {
    const files = new Map<string, Buffer>(Object.entries(tables))
    for (const name of pictures) files.set(name, await picture())
    expect((await convert('files.zip', await zipped(files))).manifest.source.kind).toBe(kind)
  })
})

describe('convertSource', () => {
  it('rejects a DTD and undeclared entities', async () => {
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
    ['an empty file', ''],
    ['a text', 'not a zip at all'],
    ['an HTML page', '<!doctype html><p>x</p>'],
    ['an object in no known format', '{"a":1}'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0', 'latin1')],
    ['an empty list', '[]'],
  ])('rejects %s as unknown', async (_, bytes) => {
    expect(await refusal('x.zip', bytes)).toMatchObject({ reason: 'unknown' })
  })

  it('rejects truncated XML and tar.gz files, and converts the complete items of a truncated JSON list', async () => {
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

  it('rejects a model with 5,100 distinct keys and names the file, but accepts 500 keys', {
    tags: ['full'],
  }, async () => {
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

  it('skips and reports entries that are not plain files, and further entries with the same name', async () => {
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

  it('rejects a zip that contains only a link, and names the link', async () => {
    const zip = new yazl.ZipFile()
    zip.addBuffer(Buffer.from('/etc/passwd'), 'a.md', { mode: 0o120777 })
    zip.end()
    expect(await refusal('x.zip', await bytesOf(zip.outputStream))).toEqual({
      reason: 'broken',
      items: [{ file: 'a.md', why: 'link' }],
    })
  })

  it('finds a picture whose name is in decomposed Unicode', async () => {
    const files = new Map([
      ['post/a.md', Buffer.from('# x\n\n![x](\u30ac.png)\n')],
      ['post/\u30ab\u3099.png', await picture()],
    ])
    const { assets } = await convert('x.zip', await zipped(files))
    expect(assets).toHaveLength(1)
  })

  it('skips an item that is nested too deeply, and jsonParts rejects an endless value', async () => {
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

  it('keeps the key __proto__ without changing prototypes', async () => {
    const { contents } = await convert(
      'x.json',
      '[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":"x","_id":"a","_sys":{"raw":1}}]',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const [content] = await contents('x')
    expect(content._sys.raw.createdAt).toEqual(expect.any(String))
    expect(Object.keys(content)).toContain('__proto__')
  })

  it('converts the default locale of Strapi, and reports contents in other locales as gaps', async () => {
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
    // Without a default locale, the first locale found is imported.
    expect(await authors()).toEqual([['Natsume'], [`${'a'.repeat(24)} ja`]])
  })

  it('reports a link in a tar as a gap, but not a file whose path leads out of the tar', async () => {
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

  it('rejects a zip with a path that leads out of it', async () => {
    const bytes = (
      await zipped(new Map([['aa/aa/evil.md', Buffer.from('---\ntitle: 外\n---\n本文')]]))
    ).toString('latin1')
    const moved = Buffer.from(bytes.replaceAll('aa/aa/evil.md', '../../evil.md'), 'latin1')
    // The zip library refuses such a file.
    await expect(convert('x.zip', moved)).rejects.toThrow()
  })

  it('rejects uploads that unpack to far more than the allowance plus 20 times their size', async () => {
    const table = `title,body\n${'a,b\n'.repeat(3_000_000)}`
    const zip = await zipped(new Map([['x.csv', Buffer.from(table)]]))
    expect(zip.length).toBeLessThan(table.length / 100)
    await expect(convert('x.zip', zip, nothing, 1_000_000)).rejects.toMatchObject({ reason: 'tooLarge' })
    const files = await sourceFixture('strapi')
    files.set('assets/uploads/large', Buffer.alloc(5_000_000))
    const tar = await tarred(files)
    await expect(convert('x.tar.gz', tar, nothing, 1_000_000)).rejects.toMatchObject({ reason: 'tooLarge' })
  })

  it('reports a file whose YAML aliases multiply, and converts the other file', async () => {
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
  ])(
    'reads the states in the column %s, and marks only the published row as published',
    async (name, states) => {
      const rows = states.map((state, index) => `${index},${state},2026-04-02T00:3${index}:00+09:00`)
      const { contents } = await convert('x.csv', [`n,${name},作成日時`, ...rows, ''].join('\n'))
      const found = (await contents('x')).map(({ _sys }) => [_sys.createdAt, _sys.raw.publishedAt !== null])
      expect(found).toEqual([
        ['2026-04-01T15:30:00.000Z', true],
        ['2026-04-01T15:31:00.000Z', false],
        ['2026-04-01T15:32:00.000Z', false],
      ])
    },
  )

  it('rejects a table with an unclosed quote, and names the file', async () => {
    const bytes = `name,text\na,b\nc,"${'x'.repeat(11_000_000)}`
    expect(await refusal('x.csv', bytes)).toMatchObject({
      reason: 'broken',
      items: [{ file: expect.stringMatching(/^x\.csv:/) }],
    })
  })
})

describe('convertSource with pictures on the web', () => {
  it('fetches a picture once for several rows, and reuses it in the next run', async () => {
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

describe('convertSource with texts in Markdown', () => {
  const app = async () =>
    JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'app.json'), 'utf8')) as unknown

  it.each([
    ['blog.zip', 'content/blog', { name: 'blog', uid: 'blog' }],
    ['content.zip', 'content/blog', { name: 'blog', uid: 'blog' }],
    ['content (1).zip', 'blog/2024', { name: 'blog', uid: 'blog' }],
    ['旅の記録.zip', 'content/travel', { name: '旅の記録', uid: 'travel' }],
    ['content.zip', 'content', { name: 'content', uid: 'content' }],
    ['src.zip', 'src/日記', { name: '日記', uid: 'src' }],
  ])('converts %s with texts in %s to the app %j', async (name, place, expected) => {
    const texts = ['a', 'b'].map((text): [string, Buffer] => [
      `${place}/${text}.md`,
      Buffer.from(`# ${text}`),
    ])
    const { manifest } = await convert(name, await zipped(new Map(texts)))
    expect(await app()).toEqual(expected)
    expect(manifest.source.app).toBe(expected.uid)
  })
})

describe('convertSource with a long first content', () => {
  const article = '長い文章です。'.repeat(12_000)
  const object = (body: string) => JSON.stringify({ title: '題', body })
  it.each([
    ['a table', 'x.csv', `title,body\n題,${article.slice(0, 20_000)}\n題,短い\n`],
    ['a table that is longer than the sample of a file', 'x.csv', `title,body\n題,${article}\n題,短い\n`],
    ['a table with the long value in its first column', 'x.csv', `body,title\n"${article}",題\n短い,題\n`],
    ['lines of JSON', 'x.ndjson', `${object(article)}\n\n${object('短い')}\n`],
  ])('reads %s', async (_, name, text) => {
    const { contents } = await convert(name, text)
    expect((await contents('x')).map(({ title }) => title)).toEqual(['題', '題'])
  })

  it.each([
    ['a text', `拝啓, 皆様\n${article}`],
    ['a text with commas', `拝啓, 皆様\n一, 二, 三, ${article}`],
    ['an object that ends too early', object(article).slice(0, -1)],
    ['an object followed by a text', `${object(article)}\n${article}`],
    ['invalid JSON', `{${article}\n{}`],
  ])('does not detect contents in %s', async (_, text) => {
    expect(await refusal('x.txt', text)).toMatchObject({ reason: 'unknown' })
  })
})

describe('convertSource with numbers in tables', () => {
  it('writes the number 12E30 unchanged, also as an example in the hints', async () => {
    const { manifest } = await convert('x.csv', 'code,status\n12E30,draft\n1,draft\n2,draft\n')
    const written = (path = '') => readFile(join(folder.path, 'work', 'archive', path), 'utf8')
    expect(await written(manifest.models[0]?.api.path)).toContain('"code":12E30,')
    const [model] = JSON.parse(await written('hints.json')).models
    expect(model.states[0].examples[0]).toBe('12E30')
  })
})

describe('convertSource with invalid dates', () => {
  const undatedIn = async (model: string) => {
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    return hints.models.find(({ uid }: { uid: string }) => uid === model).undated
  }
  const changed = (bytes: Buffer | undefined, ...edits: [string, string][]) => {
    let text = bytes?.toString('utf8') ?? ''
    for (const [before, after] of edits) {
      expect(text).toContain(before)
      text = text.replace(before, after)
    }
    return Buffer.from(text)
  }

  it('converts zero dates in a column of dates to null, and reports the rows', async () => {
    const table =
      'title,day,note\n朝,2024-01-05,0000-00-00\n夜,0000-00-00 00:00:00,0000-00-00\n昼,0000-00-00,\n'
    const { contents } = await convert('x.csv', table)
    expect((await contents('x')).map(({ title, day, note }) => [title, day, note])).toEqual([
      ['朝', '2024-01-05T00:00:00.000Z', '0000-00-00'],
      ['夜', null, '0000-00-00'],
      ['昼', null, ''],
    ])
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    expect(hints.models[0].undated).toEqual({ count: 2, examples: ['x.csv:3 (day)', 'x.csv:4 (day)'] })
  })

  it('converts zero dates in date fields of front matter to null, and keeps them in text fields', async () => {
    const post = (date: string, due: string, at: string) =>
      Buffer.from(`---\ntitle: ${date}\ndate: ${date}\ndue: ${due}\nevents:\n  - at: ${at}\n---\n本文`)
    const posts = new Map([
      ['posts/a.md', post('2026-04-01', '2026-04-01', '0000-00-00')],
      ['posts/b.md', post('0000-00-00', '近日公開', '2026-04-01 10:00')],
      ['posts/c.md', post('0000-00-00 00:00:00', '0000-00-00', '2026-04-02')],
    ])
    const { contents } = await convert('blog.zip', await zipped(posts))
    const found = (await contents('posts')).map(({ date, due, events }) => [date, due, events[0].at])
    expect(found.sort(([, , one], [, , other]) => (one ?? '').localeCompare(other ?? ''))).toEqual([
      ['2026-04-01T00:00:00.000Z', '2026-04-01', null],
      [null, '近日公開', '2026-04-01T01:00:00.000Z'],
      [null, '0000-00-00', '2026-04-02T00:00:00.000Z'],
    ])
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    expect(hints.models[0].undated).toEqual({
      count: 3,
      examples: ['posts/a.md (events.at)', 'posts/b.md (date)', 'posts/c.md (date)'],
    })
  })

  it('converts zero dates and an invalid `$date` in JSON to null, and keeps a zero date in a text field', async () => {
    const items = [
      { id: 'a', day: '2024-01-05', at: { $date: '2024-01-05T09:00:00Z' }, note: '2024-01-05' },
      { id: 'b', day: '0000-00-00', at: { $date: '2024-02-31T09:00:00Z' }, note: '近日公開' },
      { day: '2024-01-06', seo: { from: '0000-00-00 00:00:00' }, note: '0000-00-00' },
      { day: '2024-01-07', seo: { from: '2024-01-07' }, note: null },
    ]
    const { contents } = await convert('x.json', JSON.stringify(items))
    const found = (await contents('x')).map(({ day, at, note, seo }) => [day, at ?? seo?.from, note])
    expect(found).toEqual([
      ['2024-01-05T00:00:00.000Z', '2024-01-05T09:00:00.000Z', '2024-01-05'],
      [null, undefined, '近日公開'],
      ['2024-01-06T00:00:00.000Z', null, '0000-00-00'],
      ['2024-01-07T00:00:00.000Z', '2024-01-07T00:00:00.000Z', null],
    ])
    const examples = ['b (day)', 'b (at)', 'x.json:3 (seo.from)']
    expect(await undatedIn('x')).toEqual({ count: 3, examples })
  })

  it('converts invalid dates in Directus date fields to null, and reports an invalid system date', async () => {
    const files = await sourceFixture('directus')
    const edits: [string, string][] = [
      ['"held": "2024-07-01"', '"held": "0000-00-00"'],
      ['"held": null', '"held": "2024-02-31"'],
      ['"date_created": "2024-06-02T00:00:00.000Z"', '"date_created": "0000-00-00T00:00:00"'],
    ]
    files.set('news.json', changed(files.get('news.json'), ...edits))
    const before = Date.now()
    const { contents } = await convert('x.zip', await zipped(files))
    const news = await contents('news')
    expect(news.map(({ held }) => held)).toEqual([null, null])
    expect(Date.parse(news[1]._sys.createdAt)).toBeGreaterThanOrEqual(before)
    const examples = ['1 (held)', '2 (held)', '2 (date_created)']
    expect(await undatedIn('news')).toEqual({ count: 3, examples })
  })

  it('keeps dates and invalid dates as texts in fields that Directus declares as texts', async () => {
    const files = await sourceFixture('directus')
    const edits: [string, string][] = [
      ['"title": "開店のお知らせ"', '"title": "2024-4-1"'],
      ['"title": "準備中"', '"title": "0000-00-00"'],
    ]
    files.set('news.json', changed(files.get('news.json'), ...edits))
    const { contents } = await convert('x.zip', await zipped(files))
    expect((await contents('news')).map(({ title }) => title)).toEqual(['2024-4-1', '0000-00-00'])
  })

  it('converts a zero date in a Strapi date field to null, and reports an invalid system date', async () => {
    const files = await sourceFixture('strapi')
    const path = 'entities/entities_00001.jsonl'
    const edits: [string, string][] = [
      ['"held":"2024-05-01"', '"held":"0000-00-00"'],
      ['"createdAt":"2024-03-01T00:00:00.000Z"', '"createdAt":"2024-02-31T00:00:00.000Z"'],
    ]
    files.set(path, changed(files.get(path), ...edits))
    const { contents } = await convert('x.tar.gz', await tarred(files))
    expect((await contents('article')).map(({ held }) => held)).toEqual([null, null])
    expect(await undatedIn('article')).toEqual({ count: 2, examples: ['1 (held)', '2 (createdAt)'] })
  })

  it('reads dates in the format of e-mails, and keeps an invalid date in this format as a text', async () => {
    const { contents } = await convert('x.csv', 'title,day\n朝,"Wed, 31 Jan 2024 10:00:00 GMT"\n')
    expect((await contents('x')).map(({ day }) => day)).toEqual(['2024-01-31T10:00:00.000Z'])
    const other = await convert('x.csv', 'title,day\n朝,"Sat, 31 Feb 2024 10:00:00 GMT"\n')
    expect((await other.contents('x')).map(({ day }) => day)).toEqual(['Sat, 31 Feb 2024 10:00:00 GMT'])
  })
})

describe('convertSource with posts of WordPress', () => {
  const item = (id: number, status: string, more: string) =>
    `<item><title>t${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${status}</wp:status>${more}</item>`
  const zeros = ['post_date', 'post_date_gmt', 'post_modified', 'post_modified_gmt']
    .map((name) => `<wp:${name}>0000-00-00 00:00:00</wp:${name}>`)
    .join('')

  it('dates undated posts by their last change, otherwise by the time of the conversion', async () => {
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
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    const { undated } = hints.models.find(({ uid }: { uid: string }) => uid === 'post')
    expect(undated).toEqual({ count: 2, examples: ['t1', 't2'] })
  })

  it('marks private, password-protected and scheduled posts as unpublished, and records the reason', async () => {
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
    const { states } = hints.models.find(({ uid }: { uid: string }) => uid === 'post')
    expect(states.map(({ key, examples }: StateHint) => [key, examples])).toEqual([
      ['published wp:status: publish', ['t1']],
      ['hidden wp:status: private', ['t2']],
      ['hidden wp:post_password', ['t3']],
      ['scheduled wp:status: future', ['t4']],
    ])
  })
})

describe('convertSource with texts of WordPress', () => {
  const text = (html: string) =>
    `<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/"><![CDATA[${html}]]></content:encoded>`
  const notes = async () => {
    const hints = JSON.parse(await readFile(join(folder.path, 'work', 'archive', 'hints.json'), 'utf8'))
    return hints.models.find(({ uid }: { uid: string }) => uid === 'post')
  }

  it('reports shortcodes, and pictures that stay on the old server', async () => {
    const picture = '<img src="https://blog.example.com/wp-content/uploads/a.jpg" alt="">'
    const html = `${picture}<p>[gallery ids="1,2"] [注] [1] [box]x[/box]</p>`
    await convert('a.xml', post(text(html)))
    expect(await notes()).toMatchObject({
      picturesElsewhere: { count: 1, examples: ['題 (blog.example.com)'] },
      shortcodes: { count: 2, examples: ['題 [gallery]', '題 [box]'] },
    })
  })

  it('does not report pictures whose attachment is in the export', async () => {
    const address = 'https://blog.example.com/wp-content/uploads/a.jpg'
    const attachment = `<item><title>a</title><wp:post_id>2</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>${address}</wp:attachment_url></item>`
    await convert(
      'a.xml',
      post(text(`<img src="${address}">`)).replace('</channel>', `${attachment}</channel>`),
    )
    expect((await notes()).picturesElsewhere).toBeUndefined()
  })
})

describe('convertSource with lists in pages', () => {
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
      'Contentful or Newt, without the last page',
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
    ['a list without a total', { 'e.json': { count: 40, results: plain(0, 5) } }, []],
  ])('compares the number of contents with the total: %s', async (_name, files, expected) => {
    const converted = await convert('a.zip', await zipOf(files))
    expect(missing(converted)).toEqual(expected)
    expect(converted.manifest.status).toBe(expected.length > 0 ? 'partial' : 'complete')
  })
})

describe('jsonParts', () => {
  it.each([1, 2, 7, 1_000])('reads JSON in pieces of %i bytes', async (size) => {
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

  it.each(['[1', '{"a"}', '{"a":1,,}', '[] []', '[1 2]', '{1:2}', ''])('rejects %j', async (text) => {
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
