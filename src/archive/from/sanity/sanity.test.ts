import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { picture, sourceFixture, tarred, zipped } from '#test/source-fixtures.ts'
import { verifyArchive } from '../../verify.ts'
import { convertSource } from '../convert.ts'
import { type FetchFile, NotFetched } from '../fetched-files.ts'
import { SourceFiles } from '../source-files.ts'
import { madeId } from '../values.ts'
import { sanity } from './sanity.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const nothing: FetchFile = async () => {
  throw new NotFetched('404')
}

async function convert(name: string, bytes: Buffer | string, fetchFile: FetchFile = nothing) {
  const path = join(folder.path, 'upload')
  const archive = join(folder.path, 'work', 'archive')
  await writeFile(path, bytes)
  const manifest = await convertSource(path, {
    name,
    folder: join(folder.path, 'work'),
    zone: '+09:00',
    renderMarkdown: (source) => source,
    fetchFile,
    allowance: 100_000_000,
    onProgress: () => {},
  })
  const { problems } = await verifyArchive(archive)
  expect(problems).toEqual([])
  const lines = async (file: string) =>
    (await readFile(join(archive, file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const view = async (kind: 'api' | 'cdn', model: string) => {
    const path = manifest.models.find(({ uid }) => uid === model)?.[kind]?.path
    return path === undefined ? [] : lines(path)
  }
  const [hints] = await lines('hints.json')
  const statesOf = (model: string): [string, string, number][] =>
    hints.models
      .find(({ uid }: { uid: string }) => uid === model)
      .states.map(({ state, statement, count }: Record<string, unknown>) => [state, statement, count])
  return {
    manifest,
    view,
    hints,
    statesOf,
    gaps: await lines('gaps.ndjson'),
    assets: await lines('assets.ndjson'),
  }
}

const lines = (...documents: object[]) => documents.map((one) => JSON.stringify(one)).join('\n')
const document = (_id: string, values: object = {}) => ({
  _id,
  _type: 'post',
  _rev: 'r',
  _createdAt: '2024-01-01T00:00:00Z',
  _updatedAt: '2024-01-02T00:00:00Z',
  ...values,
})
const idOf = (model: string, id: string) => madeId('sanity', model, id)
const image = 'a1'.repeat(20)
const paper = 'b2'.repeat(20)

async function fixture() {
  const files = await sourceFixture('sanity')
  files.set(`images/${image}-64x48.png`, await picture())
  files.set(`files/${paper}.pdf`, Buffer.from('%PDF-1.4 '))
  files.set(`images/${'d4'.repeat(20)}-64x48.png`, Buffer.concat([await picture(), Buffer.from(' ')]))
  return new Map([...files].map(([path, bytes]) => [`production-export-2024/${path}`, bytes]))
}

describe('convertSource with documents of Sanity', () => {
  it('converts a published document with its newer draft, and a document that has only a draft', async () => {
    const one = lines(
      document('p1', { title: 'before' }),
      document('drafts.p1', { title: 'after', _updatedAt: '2024-02-02T00:00:00Z' }),
      document('drafts.p2', { title: 'draft' }),
    )
    const { manifest, view, statesOf } = await convert('x.ndjson', one)
    expect(manifest.source.kind).toBe('sanity')
    const api = await view('api', 'post')
    expect(api.map(({ _id, title, sourceId, _sys }) => [_id, title, sourceId, _sys.raw.publishedAt])).toEqual(
      expect.arrayContaining([
        [idOf('post', 'p1'), 'after', 'p1', '2024-01-02T00:00:00.000Z'],
        [idOf('post', 'p2'), 'draft', 'p2', null],
      ]),
    )
    expect(api).toHaveLength(2)
    const cdn = await view('cdn', 'post')
    expect(cdn).toMatchObject([
      {
        _id: idOf('post', 'p1'),
        title: 'before',
        _sys: { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' },
      },
    ])
    expect(manifest.asked.views).toEqual(['api', 'cdn'])
    expect(manifest.counts.contents).toEqual({ api: 2, cdn: 1 })
    expect(statesOf('post').sort()).toEqual([
      ['draft', 'drafts.', 1],
      ['published', '_id + drafts.', 1],
    ])
  })

  it.each([
    ['in lines', (list: object[]) => lines(...list)],
    ['in one line', ([first]: object[]) => JSON.stringify(first)],
    ['in a list', (list: object[]) => JSON.stringify(list, null, 2)],
    ['in a response of the query API', (result: object[]) => JSON.stringify({ query: '*', result, ms: 3 })],
    [
      'after a long first line',
      (list: object[]) => lines(document('p0', { text: 'x'.repeat(70_000) }), ...list),
    ],
    [
      'without times, if an id has a prefix',
      () => lines({ _id: 'p1', _type: 'post' }, { _id: 'drafts.p2', _type: 'post' }),
    ],
  ])('recognises documents %s', async (_how, write) => {
    const { manifest, view } = await convert('export', write([document('p1'), document('p2')]))
    expect(manifest.source.kind).toBe('sanity')
    expect(await view('api', 'post')).not.toHaveLength(0)
  })

  it.each([
    ['objects without a type', { _id: 'p1', name: 'x' }],
    ['documents of Elasticsearch', { _index: 'i', _type: '_doc', _id: '1', _rev: '1', _source: { a: 1 } }],
    ['documents of MongoDB', { _id: { $oid: '0123456789abcdef01234567' }, _type: 'User' }],
  ])('does not recognise %s as a Sanity dataset', async (_name, value) => {
    const path = join(folder.path, 'data.ndjson')
    await writeFile(path, lines(value, value))
    const files = await SourceFiles.open(path, 'data.ndjson', folder.path)
    expect(await sanity.recognise(files)).toBeUndefined()
  })

  it('marks as published only documents that visitors receive without a token', async () => {
    const { statesOf, view, hints, gaps } = await convert('x.tar.gz', await tarred(await fixture()))
    expect(statesOf('post').sort()).toEqual([
      ['archived', 'status: archived', 1],
      ['draft', 'drafts.', 1],
      ['draft', 'versions.rOld.', 1],
      ['hidden', 'private.', 1],
      ['published', '_id + drafts.', 1],
      ['scheduled', 'versions.rSpring.', 1],
    ])
    expect((await view('cdn', 'post')).map(({ title }) => title)).toEqual(['公開の題'])
    expect(gaps).toContainEqual(
      expect.objectContaining({ model: 'post', title: 'versions.rSpring.p1: version' }),
    )
    const published = (await view('api', 'post')).filter(({ _sys }) => _sys.raw.publishedAt !== null)
    expect(published.map(({ title }) => title)).toEqual(['新しい題'])
    expect(hints.leftOut).toEqual([
      { kind: 'system', name: 'system.release', count: 1 },
      { kind: 'account', name: 'system.group', count: 1 },
      { kind: 'secret', name: 'mux.apiKey', count: 1 },
      { kind: 'secret', name: 'sanity.previewUrlSecret', count: 1 },
    ])
    for (const file of ['hints.json', 'gaps.ndjson', 'report.md', 'contents/api/post.ndjson'])
      expect(await readFile(join(folder.path, 'work', 'archive', file), 'utf8')).not.toMatch(
        /hana@example|tok-123|key-456|shh-789/,
      )
  })

  it('converts only the draft of a hidden or scheduled document with a newer draft', async () => {
    const { statesOf, view, gaps, manifest } = await convert(
      'x.ndjson',
      lines(
        document('private.a', { title: '1' }),
        document('drafts.private.a', { title: '2' }),
        document('b', { title: '3', publishedAt: '9999-01-01' }),
        document('drafts.b', { title: '4' }),
      ),
    )
    expect(statesOf('post').sort()).toEqual([
      ['hidden', 'private. + drafts.', 1],
      ['scheduled', 'publishedAt + drafts.', 1],
    ])
    expect((await view('api', 'post')).map(({ title }) => title).sort()).toEqual(['2', '4'])
    expect(manifest.models[0]?.cdn).toBeNull()
    expect(gaps.map(({ title }) => title).sort()).toEqual(['b: version', 'private.a: version'])
  })

  it.each([
    ['unknown words', { status: 'shipping', state: 'Ohio' }, 'published'],
    ['a word that publishes', { status: 'published' }, 'published'],
    ['a past time', { publishedAt: '2020-01-01' }, 'published'],
    ['a future time', { publishedAt: '9999-01-01' }, 'scheduled'],
    ['a word that restricts', { status: 'draft' }, 'draft'],
    ['a flag', { private: true }, 'hidden'],
    ['the id of a draft', { _originalId: 'drafts.p1' }, 'draft'],
  ])('reads a document with %s (%j) as %s', async (_name, values, state) => {
    const { statesOf } = await convert('x.ndjson', lines(document('p1', values)))
    expect(statesOf('post').map(([found]) => found)).toEqual([state])
  })

  it('reads a draft as a draft even if its fields state that it is published', async () => {
    const { statesOf } = await convert(
      'x.ndjson',
      lines(document('drafts.p1', { status: 'published', public: true })),
    )
    expect(statesOf('post')).toEqual([['draft', 'drafts.', 1]])
  })

  it('converts the last changed version of a document that has only versions', async () => {
    const { view, gaps } = await convert(
      'x.ndjson',
      lines(
        document('versions.r1.p', { title: 'old' }),
        document('versions.r2.p', { title: 'new', _updatedAt: '2024-03-01T00:00:00Z' }),
        document('versions.r3.p', { title: 'older', _updatedAt: '2023-01-01T00:00:00Z' }),
      ),
    )
    expect((await view('api', 'post')).map(({ title }) => title)).toEqual(['new'])
    expect(gaps.map(({ title }) => title)).toEqual(['versions.r1.p: version', 'versions.r3.p: version'])
  })
})

describe('convertSource with values of Sanity', () => {
  it('converts slugs, dates, coordinates, references, files, objects and translations', async () => {
    const { view, gaps, assets } = await convert('x.zip', await zipped(await fixture()))
    const [post] = await view('cdn', 'post')
    expect(post).toMatchObject({
      slug: 'first',
      held: '2024-05-01T00:00:00.000Z',
      at: { lat: 35.6, lng: 139.7 },
      author: idOf('author', 'author-hana'),
      related: [idOf('post', 'p2'), idOf('document', 'gone')],
      cover: { fileName: '港.png', altText: '表紙', width: 64, height: 48, fileType: 'image/png' },
      paper: { fileName: '案内.pdf', title: '案内' },
      sections: [
        { type: 'hero', data: { heading: '大見出し' } },
        { type: 'quote_block', data: { words: '言葉' } },
      ],
      summary: { ja: '要約', en: 'summary' },
      sourceId: 'p1',
    })
    expect(JSON.stringify(post)).not.toMatch(/"_(?:type|key|ref|rev)"/)
    expect(assets.map(({ url }) => url.split('/').at(-1)).sort()).toEqual([
      `${image}-64x48.png`,
      `${paper}.pdf`,
      `${'d4'.repeat(20)}-64x48.png`,
    ])
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'reference', id: idOf('document', 'gone') }))
    const missing = gaps.filter(({ kind }) => kind === 'asset')
    expect(missing).toMatchObject([{ reason: 'not_found', url: expect.stringContaining('c3c3') }])
  })

  it('converts Portable Text to HTML, and reports blocks of unknown types', async () => {
    const { view, gaps } = await convert('x.tar.gz', await tarred(await fixture()))
    const [{ body }] = await view('cdn', 'post')
    const picture = `https://upload.invalid/production-export-2024/images/${image}-64x48.png`
    expect(body).toBe(
      [
        '<h2>見出し</h2>',
        '<p>前 <strong>太字</strong> と <a href="https://example.com/?a=1&amp;b=2">外の<em>リンク</em></a>と',
        `<a data-document="${idOf('post', 'p2')}" data-model="post">記事</a></p>`,
        '<ul><li>一<ol><li>一の一</li></ol></li><li>二</li></ul>',
        '<blockquote>引用<br>二行目</blockquote>',
        `<figure><img src="${picture}" alt="港"><figcaption>朝の港</figcaption></figure>`,
        `<p><a data-document="${idOf('author', 'author-hana')}" data-model="author">花</a></p>`,
        '<p>覚えておくこと</p>',
      ].join(''),
    )
    expect(gaps).toContainEqual(expect.objectContaining({ title: '1 × post.body (callout): block' }))
  })

  it('omits the title of a hidden document in a link', async () => {
    const link = [
      { _type: 'block', children: [] },
      { _type: 'reference', _ref: 'x.secret' },
    ]
    const { view } = await convert(
      'x.ndjson',
      lines(document('p1', { body: link }), document('x.secret', { title: 'hush' })),
    )
    const [post] = (await view('api', 'post')).filter(({ sourceId }) => sourceId === 'p1')
    expect(post.body).toBe(
      `<p></p><p><a data-document="${idOf('post', 'x.secret')}" data-model="post">post</a></p>`,
    )
  })

  it('converts pictures in a field to HTML if the field contains Portable Text in another document', async () => {
    const picture = { _type: 'image', _sanityAsset: 'image@https://cdn.example.com/a.png', alt: 'a"' }
    const { view } = await convert(
      'x.ndjson',
      lines(
        document('a', { body: [picture] }),
        document('b', { body: [{ _type: 'block', children: [{ _type: 'span', text: '<b>' }] }] }),
        document('c', { body: [] }),
      ),
    )
    expect((await view('api', 'post')).map(({ body }) => body).sort()).toEqual([
      '<p>&lt;b&gt;</p>',
      '<p><img src="https://cdn.example.com/a.png" alt="a&quot;"></p>',
      null,
    ])
  })

  it('finds files of raw exports by asset ids and by the addresses in asset documents', async () => {
    const id = `image-${image}-64x48-png`
    const video = `file-${paper}-mp4`
    const data = lines(
      {
        ...document(id, { url: 'https://cdn.sanity.io/images/x/y/a.png', originalFilename: '海.png' }),
        _type: 'sanity.imageAsset',
      },
      document('a', {
        cover: { _type: 'image', asset: { _type: 'reference', _ref: id }, link: 'x' },
        video: { _type: 'file', asset: { _ref: video } },
        none: { _type: 'image', hotspot: {} },
        bad: { _type: 'image', _sanityAsset: 'image@not an address' },
      }),
    )
    const asked: string[] = []
    const fetchFile: FetchFile = async (url) => {
      asked.push(url)
      throw new NotFetched('404')
    }
    const files = new Map([
      ['data.ndjson', Buffer.from(data)],
      [`files/${paper}-mp4.bin`, Buffer.from('video')],
    ])
    const { view, gaps } = await convert('x.zip', await zipped(files), fetchFile)
    expect(asked).toEqual(['https://cdn.sanity.io/images/x/y/a.png'])
    expect(await view('api', 'post')).toMatchObject([
      {
        cover: { fileName: '海.png', width: 64 },
        video: { src: expect.stringContaining('mp4.bin'), fileType: 'video/mp4' },
        none: null,
        bad: null,
      },
    ])
    expect(await view('api', 'sanity.imageAsset')).toEqual([])
    expect(gaps).toContainEqual(expect.objectContaining({ title: '1 × post.cover.link: value' }))
  })

  it('keeps long numbers in documents with drafts', async () => {
    const line = (id: string) =>
      JSON.stringify(document(id, { n: 0 })).replace('"n":0', '"n":12345678901234567890')
    const { manifest } = await convert('x.ndjson', `${line('p1')}\n${line('drafts.p1')}`)
    for (const kind of ['api', 'cdn'] as const) {
      const path = manifest.models[0]?.[kind]?.path ?? ''
      const text = await readFile(join(folder.path, 'work', 'archive', path), 'utf8')
      expect(text).toContain('"n":12345678901234567890')
    }
  })
})

describe('convertSource with hostile datasets of Sanity', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

  it('reports objects that are not documents, and different documents with the same id', async () => {
    const { view, gaps } = await convert(
      'x.ndjson',
      [
        lines(document('a', { title: '1' }), document('a', { title: '1' }), document('a', { title: '2' })),
        lines(
          document('b', { n: 1 }),
          document('drafts.b', { n: 2 }),
          document('b', { n: 3 }),
          document('b', { n: 1 }),
        ),
        lines({ _id: 7, _type: 'post' }, { _id: 'c', _type: {} }, { _type: 'post' }),
        '{"_id":"d"',
        `{"_id":"e","_type":"post","x":${nested(300)}}`,
        '[]',
      ].join('\n'),
    )
    expect((await view('api', 'post')).map(({ sourceId }) => sourceId)).toEqual(
      expect.arrayContaining(['a', 'b']),
    )
    expect(await view('cdn', 'post')).toMatchObject([{ n: 1 }])
    expect(gaps.map(({ title }) => title).sort()).toEqual(
      [
        '3 × x.ndjson: json',
        'a: repeated',
        'b: repeated',
        'x.ndjson:11: json',
        'x.ndjson:12: depth',
        'x.ndjson:13: json',
      ].sort(),
    )
  })

  it('converts at least 12 of 14 documents with values of wrong types', async () => {
    const wrong = [
      null,
      0,
      '',
      'x',
      [],
      {},
      [null],
      [{}],
      [[]],
      { _ref: 1 },
      { _ref: '' },
      { asset: 1 },
      { _type: 1 },
    ]
    const values = (value: unknown) => ({
      a: { _type: 'slug', current: value },
      b: { _type: 'image', asset: value, alt: value },
      c: { _type: 'image', _sanityAsset: value },
      d: { _ref: value, _type: value },
      e: { _type: 'geopoint', lat: value, lng: value },
      f: [{ _type: 'block', children: value, markDefs: value, style: value, listItem: value, level: value }],
      g: [
        {
          _type: 'block',
          children: [value, { _type: 'span', text: value, marks: value }],
          markDefs: [value],
        },
        value,
      ],
      h: [{ _type: 'internationalizedArrayX', _key: value, value }],
      i: [{ _type: value, _key: value }, { _type: 'other' }],
      __proto__x: value,
      _createdAt: value,
      _updatedAt: value,
      _originalId: value,
    })
    const all = wrong.flatMap((value, n) => [
      document(`p${n}`, values(value)),
      document(`drafts.p${n}`, values(value)),
      {
        ...document(`image-${n}`, { url: value, originalFilename: value, metadata: value }),
        _type: 'sanity.imageAsset',
      },
      {
        ...document(`_.releases.r${n}`, { state: value, publishAt: value, metadata: value }),
        _type: 'system.release',
      },
    ])
    const files = new Map([
      ['data.ndjson', Buffer.from(lines(document('p'), ...all))],
      ['assets.json', Buffer.from(`{"image-${image}":[1,{}],"x":{"metadata":{"dimensions":7}},"y":`)],
    ])
    const { view } = await convert('x.zip', await zipped(files))
    expect((await view('api', 'post')).length).toBeGreaterThan(wrong.length - 2)
  })

  it('converts Portable Text of 6,000 blocks, and reports a text of 100,000 blocks', async () => {
    const blocks = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        _type: 'block',
        listItem: n % 2 ? 'bullet' : 'number',
        level: (n % 40) - 5,
        children: [{ _type: 'span', text: 'x' }],
      }))
    const { view, gaps } = await convert(
      'x.ndjson',
      lines(
        document('a', { body: blocks(6_000) }),
        document('b', { body: Array.from({ length: 100_000 }, () => ({ _type: 'block', children: [] })) }),
      ),
    )
    const [{ body }] = await view('api', 'post')
    expect(body.match(/<li>x/g)).toHaveLength(6_000)
    expect(body.match(/<\/li>/g)).toHaveLength(6_000)
    expect(gaps.map(({ title }) => title)).toEqual(['x.ndjson:2: parts'])
  })

  it('converts the complete documents of a truncated list', async () => {
    const list = JSON.stringify([document('a'), document('drafts.a'), document('b')])
    const { view, gaps } = await convert('x.json', list.slice(0, -20))
    expect((await view('api', 'post')).map(({ sourceId }) => sourceId)).toEqual(['a'])
    expect(gaps.map(({ title }) => title)).toEqual(['x.json:3: json'])
  })

  it('converts at most 500 types, and reports the documents of the remaining types', {
    tags: ['full'],
  }, async () => {
    const all = Array.from({ length: 520 }, (_, n) => ({ ...document(`p${n}`), _type: `type-${n}` }))
    const { manifest, gaps } = await convert(
      'x.ndjson',
      lines(...all, { ...document('q'), _type: 't'.repeat(300) }),
    )
    expect(manifest.models).toHaveLength(500)
    expect(gaps).toHaveLength(21)
  })

  it('omits drafts, versions and private documents that are embedded in other documents', async () => {
    const author = (_id: string, name: string) => ({ ...document(_id, { name }), _type: 'author' })
    const found = await convert(
      'x.json',
      JSON.stringify([
        document('p1', { author: author('drafts.a', 'SECRET'), editor: author('e', 'Ann') }),
        document('p2', { author: author('versions.r1.a', 'SECRET'), editor: author('secret.e', 'SECRET') }),
      ]),
    )
    const text = JSON.stringify(await found.view('api', 'post'))
    expect(text).not.toContain('SECRET')
    expect(text).toContain('Ann')
    expect(found.gaps).toHaveLength(2)
  })
})
