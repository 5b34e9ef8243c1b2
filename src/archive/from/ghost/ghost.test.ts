import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { picture, sourceFixture, zipped } from '#test/source-fixtures.ts'
import { verifyArchive } from '../../verify.ts'
import { convertSource } from '../convert.ts'
import { NotFetched } from '../fetched-files.ts'
import { jsonParts } from '../json-parts.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

interface State {
  state: string
  statement: string
  count: number
}

async function convert(name: string, bytes: Buffer | string) {
  const path = join(folder.path, 'upload')
  const archive = join(folder.path, 'work', 'archive')
  await writeFile(path, bytes)
  const manifest = await convertSource(path, {
    name,
    folder: join(folder.path, 'work'),
    zone: '+09:00',
    renderMarkdown: (source) => `<p>${source}</p>`,
    fetchFile: async () => {
      throw new NotFetched('404')
    },
    onProgress: () => {},
  })
  expect((await verifyArchive(archive)).problems).toEqual([])
  const linesOf = async (file: string) =>
    (await readFile(join(archive, file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const contents: Record<string, Record<string, unknown>[]> = {}
  for (const { uid, api } of manifest.models) contents[uid] = await linesOf(api.path)
  const [hints] = await linesOf('hints.json')
  const states = (model: string): State[] =>
    hints.models.find(({ uid }: { uid: string }) => uid === model)?.states ?? []
  const entries = await readdir(archive, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const all = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
  return {
    manifest,
    contents,
    states,
    leftOut: hints.leftOut as { kind: string; name: string; count: number }[],
    gaps: await linesOf('gaps.ndjson'),
    assets: await linesOf('assets.ndjson'),
    bytes: all.join('\n'),
  }
}

const refusal = (bytes: string) =>
  convert('x.json', bytes).then(
    () => undefined,
    (error: Error & { reason?: string }) => ({ name: error.name, reason: error.reason }),
  )

async function fixture() {
  return (await sourceFixture('ghost')).get('export.json') ?? Buffer.alloc(0)
}

const db = (data: object) => JSON.stringify({ db: [{ meta: { version: '5.82.0' }, data }] })
const postOf = (values: object) => ({
  id: '1',
  title: 't',
  slug: 't',
  status: 'published',
  visibility: 'public',
  published_at: '2024-01-01T00:00:00.000Z',
  ...values,
})

async function rendered(values: object) {
  const found = await convert('x.json', db({ posts: [postOf(values)] }))
  return { ...found, html: found.contents.post?.[0]?.content }
}
const lexical = (...children: object[]) => rendered({ lexical: JSON.stringify({ root: { children } }) })
const text = (text: string, format = 0) => ({ type: 'extended-text', text, format })
const mobiledoc = (document: object) =>
  rendered({
    mobiledoc: JSON.stringify({
      version: '0.3.1',
      atoms: [],
      cards: [],
      markups: [],
      sections: [],
      ...document,
    }),
  })

describe('convertSource with an export of Ghost', () => {
  it('marks as published only content that every visitor could read', async () => {
    const { manifest, states, contents } = await convert('export.json', await fixture())
    expect(manifest.source.kind).toBe('ghost')
    const published = (model: string) =>
      (contents[model] ?? []).flatMap(({ slug, _sys }) =>
        (_sys as { raw: { publishedAt: unknown } }).raw.publishedAt === null ? [] : [slug],
      )
    expect(published('post').sort()).toEqual(['lexical', 'mobiledoc', 'open-house'])
    expect(published('page')).toEqual(['about'])
    expect(published('tag').sort()).toEqual(['events', 'news'])
    expect(published('author')).toEqual(['hanako'])
    const statement = (model: string) =>
      states(model)
        .map(({ state, statement, count }) => `${state} ${statement} ${count}`)
        .sort()
    expect(statement('post')).toEqual([
      'draft status: draft 1',
      'hidden email_only: 1 1',
      'hidden status: sent 1',
      'hidden visibility: label:vip 1',
      'hidden visibility: members 2',
      'hidden visibility: paid 1',
      'hidden visibility: tiers 1',
      'published status: published 3',
      'scheduled published_at 1',
      'scheduled status: scheduled 1',
      'unknown status: reviewed 1',
    ])
    expect(statement('page')).toEqual(['draft status: draft 1', 'published status: published 1'])
    expect(statement('tag')).toEqual([
      'draft no published post 1',
      'hidden visibility: internal 1',
      'published visibility: public 2',
    ])
    expect(statement('author')).toEqual(['draft no published post 1', 'published visibility: public 1'])
  })

  it('omits accounts, settings, secrets and parts for members, and reports them as omitted', async () => {
    const { bytes, leftOut } = await convert('export.json', await fixture())
    expect(bytes).not.toMatch(
      /SECRET|HASHHASH|@secret\.example|secret\.example|MEMBERS-ONLY|SUBJECT-OF|last_seen|2024-05-05|silent-admin|Silent Admin|<script/,
    )
    expect(leftOut.map(({ kind, name, count }) => `${kind} ${name} ${count}`).sort()).toEqual([
      'account email_recipients 1',
      'account members 2',
      'account users 3',
      'private kg-gated-block 1',
      'private post_revisions 1',
      'secret api_keys 1',
      'secret invites 1',
      'secret sessions 1',
      'secret tokens 1',
      'setting custom_theme_settings 1',
      'setting settings 4',
      'system integrations 1',
      'system newsletters 1',
      'system posts.codeinjection_head 1',
      'system posts.email_subject 1',
      'system products 1',
      'system roles 1',
      'system roles_users 1',
      'system webhooks 1',
    ])
  })

  it('converts posts with their references, times, pictures and texts', async () => {
    const files = new Map([
      ['site/data/export.json', await fixture()],
      ['site/content/images/2024/01/house.png', await picture()],
      ['site/content/files/2024/01/map.pdf', Buffer.from('%PDF-1.4')],
    ])
    const { contents, assets, gaps } = await convert('x.zip', await zipped(files))
    const { post = [], tag = [], author = [] } = contents
    const idOf = (list: typeof post, slug: string) => list.find((one) => one.slug === slug)?._id
    const open = post.find(({ slug }) => slug === 'open-house')
    expect(open).toMatchObject({
      _id: '000000006500000000000001',
      title: '見学会のお知らせ',
      excerpt: '春の見学会',
      featured: true,
      tags: [idOf(tag, 'news'), idOf(tag, 'events'), idOf(tag, 'hash-internal-note')],
      authors: [idOf(author, 'hanako')],
      published_at: '2024-01-15T09:00:00.000Z',
      meta_title: '見学会 | 例',
      canonical_url: 'https://example.com/open-house/',
      feature_image: { altText: '家の外観', fileName: 'house.png' },
      feature_image_caption: '写真: <a href="https://example.com/">例</a>',
      _sys: {
        createdAt: '2024-01-01T00:00:00.000Z',
        updatedAt: '2024-02-01T00:00:00.000Z',
        raw: { firstPublishedAt: '2024-01-15T09:00:00.000Z' },
      },
    })
    const place = 'https://upload.invalid/site/content'
    expect(open?.content).toBe(
      `<p>見学会</p><figure class="kg-card kg-image-card"><img src="${place}/images/2024/01/house.png" class="kg-image" alt="家"></figure>` +
        `<p><a href="/about/">案内</a> <a href="${place}/files/2024/01/map.pdf">地図</a></p><p>ようこそ</p>`,
    )
    expect(post.find(({ slug }) => slug === 'lexical')?.content).toBe(
      '<p><strong>太字</strong> と <em>斜体</em></p>',
    )
    expect(post.find(({ slug }) => slug === 'mobiledoc')?.content).toBe('<p><strong>太い</strong>文</p>')
    expect(Object.keys(open ?? {})).not.toContain('og_title')
    expect(tag.find(({ slug }) => slug === 'news')).toMatchObject({
      name: 'お知らせ',
      accent_color: '#ff0000',
    })
    expect(author.find(({ slug }) => slug === 'hanako')).toEqual({
      _id: expect.any(String),
      _sys: expect.any(Object),
      name: '山田 花子',
      slug: 'hanako',
      bio: '書く人',
      location: '京都',
      website: 'https://example.com/hanako',
      profile_image: expect.objectContaining({ src: 'https://media.example.com/hanako.png' }),
      cover_image: null,
      sourceId: expect.any(String),
    })
    expect(assets.map(({ url }) => url)).toEqual([
      `${place}/files/2024/01/map.pdf`,
      `${place}/images/2024/01/house.png`,
    ])
    expect(gaps).toMatchObject([
      { kind: 'asset', url: 'https://media.example.com/hanako.png', reason: '404' },
    ])
  })

  it('reports files that are neither in the upload nor on the web', async () => {
    const { gaps } = await convert('export.json', await fixture())
    const missing = gaps.map(({ url, reason }) => `${url} ${reason}`).sort()
    expect(missing).toEqual([
      'https://media.example.com/hanako.png 404',
      'https://upload.invalid/content/files/2024/01/map.pdf not_found',
      'https://upload.invalid/content/images/2024/01/house.png not_found',
    ])
  })

  it('requests pictures on the web, unless the upload contains them', async () => {
    const site = 'https://blog.example.com/content/images'
    const html = `<img src="${site}/size/w600/a.png"><img src="${site}/b.png?v=1"><img src="https://cdn.example/c.png">`
    const files = new Map([
      ['ghost.json', Buffer.from(db({ posts: [postOf({ html, feature_image: `${site}/a.png` })] }))],
      ['images/a.png', await picture()],
    ])
    const { contents, assets, gaps } = await convert('x.zip', await zipped(files))
    const own = 'https://upload.invalid/images/a.png'
    expect(contents.post).toMatchObject([
      { feature_image: { src: own }, content: html.replace(/^<img src="[^"]*"/, `<img src="${own}"`) },
    ])
    expect(assets.map(({ url }) => url)).toEqual([own])
    expect(gaps.map(({ url, reason }) => `${url} ${reason}`).sort()).toEqual([
      `${site}/b.png 404`,
      'https://cdn.example/c.png 404',
    ])
  })

  it('reads an export of an old version, with integer ids and times in milliseconds', async () => {
    const old = {
      meta: { exported_on: 1388805572000, version: '003' },
      data: {
        posts: [
          {
            id: 5,
            title: 'Old',
            slug: 'old',
            html: '<p><img src="/content/images/2014/a.png"></p>',
            image: '/content/images/2014/a.png',
            page: 0,
            status: 'published',
            author_id: 1,
            published_at: 1388805572000,
          },
          { id: 6, title: 'P', slug: 'p', html: '', markdown: 'x', page: 1, status: 'draft', author_id: 2 },
        ],
        tags: [
          { id: 3, name: 'Used', slug: 'used' },
          { id: 4, name: 'Unused', slug: 'unused' },
          { id: 7, name: '#hash', slug: 'hash' },
        ],
        posts_tags: [
          { post_id: 5, tag_id: 3 },
          { post_id: 5, tag_id: 7 },
        ],
        users: [{ id: 1, name: 'A', slug: 'a', email: 'a@example.com' }],
      },
    }
    const { contents, states, gaps } = await convert('x.json', JSON.stringify(old))
    const [post] = contents.post ?? []
    expect(post).toMatchObject({ sourceId: '5', published_at: '2014-01-04T03:19:32.000Z' })
    expect(post?.content).toBe('<p><img src="https://upload.invalid/content/images/2014/a.png"></p>')
    expect(contents.page).toMatchObject([{ content: '<p>x</p>' }])
    expect(post?.authors).toEqual([contents.author?.[0]?._id])
    expect(states('tag').map(({ state, statement }) => `${state} ${statement}`)).toEqual([
      'published published post',
      'draft no published post',
      'hidden name: #',
    ])
    expect(gaps.map(({ kind }) => kind).sort()).toEqual(['asset', 'reference'])
  })

  it.each<[string, object, string, string]>([
    ['without a status', { status: undefined }, 'unknown', 'status: –'],
    ['with an empty visibility', { visibility: null }, 'unknown', 'visibility: –'],
    ['with an object as visibility', { visibility: { a: 1 } }, 'unknown', 'visibility: {"a":1}'],
    ['with a filter as visibility', { visibility: 'filter' }, 'hidden', 'visibility: filter'],
    ['with an unreadable publication date', { published_at: 'soon' }, 'unknown', 'published_at: soon'],
    ['of an unknown type', { type: 'landing' }, 'unknown', 'type: landing'],
  ])('does not mark a post %s as published', async (_name, values, state, statement) => {
    const { states } = await convert('x.json', db({ posts: [postOf(values)] }))
    expect(states('post')).toMatchObject([{ state, statement, count: 1 }])
  })
})

describe("convertSource with texts of Ghost's Lexical editor", () => {
  it.each<[string, object, string]>([
    [
      'formats',
      { type: 'paragraph', children: [text('a<b', 1 | 2 | 16), text('x', 4 | 8 | 128)] },
      '<p><em><strong><code>a&lt;b</code></strong></em><mark><u><s>x</s></u></mark></p>',
    ],
    ['headings', { type: 'extended-heading', tag: 'h3', children: [text('a')] }, '<h3>a</h3>'],
    ['headings of an unknown level', { type: 'heading', tag: 'script', children: [text('a')] }, '<h2>a</h2>'],
    [
      'quotes',
      { type: 'extended-quote', children: [text('a'), { type: 'linebreak' }, text('b')] },
      '<blockquote>a<br>b</blockquote>',
    ],
    [
      'asides',
      { type: 'aside', children: [text('a')] },
      '<blockquote class="kg-blockquote-alt">a</blockquote>',
    ],
    [
      'lists',
      { type: 'list', listType: 'number', start: 3, children: [{ type: 'listitem', children: [text('a')] }] },
      '<ol start="3"><li>a</li></ol>',
    ],
    [
      'links',
      {
        type: 'paragraph',
        children: [{ type: 'link', url: 'https://a.example/?a=1&b="', children: [text('a')] }],
      },
      '<p><a href="https://a.example/?a=1&amp;b=&quot;">a</a></p>',
    ],
    ['horizontal lines', { type: 'horizontalrule' }, '<hr>'],
    [
      'images',
      {
        type: 'image',
        src: 'https://a.example/a.png',
        alt: '"',
        width: 3,
        height: 2,
        caption: '<b>c</b>',
        href: '/x',
      },
      '<figure class="kg-card kg-image-card"><a href="/x"><img src="https://a.example/a.png" alt="&quot;" width="3" height="2"></a><figcaption><b>c</b></figcaption></figure>',
    ],
    [
      'galleries',
      { type: 'gallery', images: [{ src: 'https://a.example/a.png' }, { src: 'https://a.example/b.png' }] },
      '<figure class="kg-card kg-gallery-card"><img src="https://a.example/a.png" alt=""><img src="https://a.example/b.png" alt=""></figure>',
    ],
    [
      'code',
      { type: 'codeblock', language: 'js', code: 'a < b\n\nc' },
      '<pre><code class="language-js">a &lt; b\n\nc</code></pre>',
    ],
    ['HTML', { type: 'html', html: '<b>a</b>' }, '<b>a</b>'],
    ['Markdown', { type: 'markdown', markdown: '*a*' }, '<p>*a*</p>'],
    [
      'bookmarks',
      { type: 'bookmark', url: 'https://a.example/', metadata: { title: 'A & B', description: 'd' } },
      '<figure class="kg-card kg-bookmark-card"><a href="https://a.example/">A &amp; B</a><p>d</p></figure>',
    ],
    [
      'embeds',
      { type: 'embed', url: 'https://v.example/1', html: '<iframe src="https://v.example/e"></iframe>' },
      '<figure data-embed="https://v.example/1"><iframe src="https://v.example/e"></iframe></figure>',
    ],
    [
      'callouts',
      { type: 'callout', calloutEmoji: '💡', calloutText: '<b>a</b>' },
      '<div class="kg-card kg-callout-card"><div>💡</div><div><b>a</b></div></div>',
    ],
    [
      'toggles',
      { type: 'toggle', heading: 'h', content: '<p>c</p>' },
      '<details class="kg-card kg-toggle-card"><summary>h</summary><p>c</p></details>',
    ],
    ['buttons', { type: 'button', buttonUrl: '/x', buttonText: 'a' }, '<p><a href="/x">a</a></p>'],
    [
      'videos',
      { type: 'video', src: 'https://a.example/a.mp4', width: 3, height: 2 },
      '<figure class="kg-card kg-video-card"><video src="https://a.example/a.mp4" width="3" height="2" controls></video></figure>',
    ],
    [
      'audio',
      { type: 'audio', src: 'https://a.example/a.mp3', title: 'a' },
      '<figure class="kg-card kg-audio-card"><audio src="https://a.example/a.mp3" controls></audio><figcaption>a</figcaption></figure>',
    ],
    [
      'files',
      { type: 'file', src: 'https://a.example/a.pdf', fileTitle: 'a' },
      '<figure class="kg-card kg-file-card"><a href="https://a.example/a.pdf">a</a></figure>',
    ],
    [
      'headers',
      { type: 'header', header: 'a', subheader: 'b', buttonEnabled: true, buttonUrl: '/x', buttonText: 'c' },
      '<h2>a</h2><p>b</p><p><a href="/x">c</a></p>',
    ],
    [
      'products',
      { type: 'product', productTitle: 'a', productDescription: '<p>b</p>' },
      '<div class="kg-card kg-product-card"><h4>a</h4><p>b</p></div>',
    ],
    [
      'calls to action',
      { type: 'call-to-action', textValue: '<p>a</p>', showButton: true, buttonUrl: '/x', buttonText: 'b' },
      '<div class="kg-card kg-cta-card"><p>a</p><p><a href="/x">b</a></p></div>',
    ],
  ])('renders %s', async (_name, node, html) => {
    const found = await lexical(node)
    expect(found.html).toBe(html)
    expect(found.leftOut).toEqual([])
  })

  it('omits cards for e-mail and members, and keeps texts of unknown cards', async () => {
    const gated = { web: { nonMember: false, memberSegment: 'status:free' }, email: { memberSegment: '' } }
    const shown = { web: { nonMember: true, memberSegment: '' }, email: { memberSegment: '' } }
    const { html, leftOut } = await lexical(
      { type: 'paywall' },
      { type: 'email', html: 'MAIL' },
      { type: 'email-cta', html: 'MAIL' },
      { type: 'signup', header: 'JOIN' },
      { type: 'html', html: 'GATED', visibility: gated },
      { type: 'html', html: 'GATED', visibility: { showOnWeb: false } },
      { type: 'html', html: 'GATED', visibility: { showOnEmail: true } },
      { type: 'html', html: 'GATED', visibility: {} },
      { type: 'markdown', markdown: 'GATED', visibility: gated },
      { type: 'new-card', html: 'GATED', visibility: gated },
      { type: 'html', html: '<p>shown</p>', visibility: shown },
      { type: 'html', html: '<p>on the web</p>', visibility: { showOnWeb: true } },
      { type: 'html', html: '<p>not only in mails</p>', visibility: { emailOnly: false } },
      { type: 'poll', title: 'Which <one>?', color: 'red', children: [] },
      { type: 'columns', children: [{ type: 'paragraph', children: [text('in')] }] },
    )
    expect(html).toBe('<p>shown</p><p>on the web</p><p>not only in mails</p><p>Which ?</p><p>in</p>')
    expect(leftOut.map(({ kind, name, count }) => `${kind} ${name} ${count}`)).toEqual([
      'private card: email 1',
      'private card: email-cta 1',
      'system card: signup 1',
      'private kg-gated-block 6',
      'system card: poll 1',
      'system card: columns 1',
    ])
  })
})

describe("convertSource with texts of Ghost's Mobiledoc editor", () => {
  it('renders markups, atoms, lists, images and cards', async () => {
    const { html } = await mobiledoc({
      markups: [['strong'], ['a', ['href', '/x?a&b']], ['script']],
      atoms: [['soft-return', '', {}]],
      cards: [
        ['hr', {}],
        ['card-markdown', { markdown: 'md' }],
        ['code', { code: '<a>' }],
        ['email', { html: 'MAIL' }],
      ],
      sections: [
        [
          1,
          'h2',
          [
            [0, [0, 1], 1, 'a'],
            [0, [], 1, '<b>'],
          ],
        ],
        [
          1,
          'script',
          [
            [0, [2], 1, 'x'],
            [1, [], 0, 0],
            [0, [0], 0, 'open'],
          ],
        ],
        [1, 'aside', [[0, [], 0, 'q']]],
        [3, 'ul', [[[0, [], 0, 'i']]]],
        [2, 'https://a.example/a.png'],
        [10, 0],
        [10, 1],
        [10, 2],
        [10, 3],
        [10, 99],
      ],
    })
    expect(html).toBe(
      '<h2><strong><a href="/x?a&amp;b">a</a>&lt;b&gt;</strong></h2><p>x<br><strong>open</strong></p>' +
        '<blockquote class="kg-blockquote-alt">q</blockquote><ul><li>i</li></ul>' +
        '<figure class="kg-card kg-image-card"><img src="https://a.example/a.png" alt=""></figure>' +
        '<hr><p>md</p><pre><code>&lt;a&gt;</code></pre>',
    )
  })

  it('omits and reports a text whose repeated cards exceed 10 million characters of HTML', async () => {
    const { html, gaps } = await mobiledoc({
      cards: [['html', { html: 'x'.repeat(1_000_000) }]],
      sections: new Array(5_000).fill([10, 0]),
    })
    expect(html).toBe('')
    expect(gaps).toMatchObject([{ kind: 'content', title: 't (mobiledoc): bytes' }])
  })
})

describe('convertSource with hostile exports of Ghost', () => {
  const nested = (depth: number) =>
    `{"root":{"children":[${'{"type":"quote","children":['.repeat(depth)}${']}'.repeat(depth)}]}}`

  it.each<[string, unknown, string | undefined]>([
    ['broken JSON', '{"root":', 'json'],
    ['a JSON list', '[]', 'json'],
    ['100,000 levels', nested(100_000), 'depth'],
    ['90 levels', nested(90), undefined],
    ['100,000 nodes', JSON.stringify({ root: { children: new Array(100_000).fill(text('a')) } }), 'values'],
    [
      'children of wrong types',
      '{"root":{"children":[1,null,[],{"type":{}},{"type":"list","children":"x"},{"type":"__proto__"},{"type":"constructor"}]}}',
      undefined,
    ],
  ])(
    'converts a post with a Lexical text of %s, and reports the reason if the text is unreadable',
    async (_name, lexical, why) => {
      const { contents, gaps } = await convert('x.json', db({ posts: [postOf({ lexical, html: null })] }))
      expect(contents.post).toHaveLength(1)
      expect(gaps).toMatchObject(why ? [{ title: `t (lexical): ${why}` }] : [])
    },
  )

  it('converts the readable posts of an export with tables and values of wrong types', async () => {
    const { contents, gaps, leftOut } = await convert(
      'x.json',
      db({
        posts: [
          1,
          'x',
          null,
          { title: ['a'], html: { a: 1 }, featured: 'maybe', published_at: [] },
          postOf({}),
        ],
        tags: 'none',
        users: null,
        posts_meta: [{ post_id: '1', meta_title: { a: 1 } }],
        posts_tags: [{ post_id: {}, tag_id: 1 }],
        settings: { key: 'SECRET' },
      }),
    )
    expect(contents.post).toHaveLength(2)
    expect(gaps.map(({ title }) => title)).toEqual([
      'x.json: posts: json',
      'x.json: posts: json',
      'x.json: tags: json',
    ])
    expect(leftOut).toEqual([{ kind: 'setting', name: 'settings', count: 1 }])
  })

  it('converts the complete posts of a truncated export', async () => {
    const whole = db({ posts: [postOf({}), postOf({ id: '2' })], users: [{ id: 1, email: 'SECRET' }] })
    const { contents, gaps, bytes } = await convert('x.json', whole.slice(0, -20))
    expect(contents.post).toHaveLength(2)
    expect(gaps).toMatchObject([{ title: 'x.json: json' }])
    expect(bytes).not.toContain('SECRET')
  })

  it('converts an export without posts to an empty model, and names the omitted table', async () => {
    const { contents, leftOut, bytes } = await convert('x.json', db({ settings: [{ value: 'SECRET' }] }))
    expect(contents).toEqual({ post: [] })
    expect(leftOut).toEqual([{ kind: 'setting', name: 'settings', count: 1 }])
    expect(bytes).not.toContain('SECRET')
  })

  it('recognises an export without a version, but not another format with similar keys', async () => {
    const found = await convert(
      'x.json',
      JSON.stringify({ db: [{ meta: {}, data: { posts: [postOf({})] } }] }),
    )
    expect(found.manifest.source.kind).toBe('ghost')
    expect(await refusal('{"data":{"posts":[{"id":"1"}]}}')).toEqual({
      name: 'BrokenSource',
      reason: 'unknown',
    })
  })

  it.each([
    ['pictures without an end', '<img src="/'],
    ['addresses', ' src=https://a/b/c/content/images'],
    ['`srcset` attributes without an end', ' srcset="'],
    ['placeholders', '__GHOST_URL__'],
    ['comments without an end', '<!--kg-card-begin '],
  ])('converts a post with a text of a million characters that repeats %s', async (_name, part) => {
    const html = part.repeat(Math.ceil(1_000_000 / part.length))
    const { contents } = await rendered({ html, canonical_url: html })
    expect(contents.post).toHaveLength(1)
  })

  it('omits the text after an unclosed gated block', async () => {
    const gate = '<!--kg-gated-block:begin nonMember:false -->'
    const { html } = await rendered({ html: `<p>a</p>${gate}<p>SECRET</p>${gate.repeat(50_000)}` })
    expect(html).toBe('<p>a</p>')
  })
})

describe('jsonParts with opened objects', () => {
  it.each([1, 7, 1_000])('reads members of nested objects in pieces of %i bytes', async (size) => {
    const json = Buffer.from('{"db":[{"m":{"a":[1]},"data":{"p":[{"x":1},2],"q":{},"r":[]}},3],"z":[[4]]}')
    async function* pieces() {
      for (let at = 0; at < json.length; at += size) yield json.subarray(at, at + size)
    }
    const parts = []
    const isOpened = (keys: readonly string[]) => /^db(?: data)?$/.test(keys.join(' '))
    for await (const { keys, isItem, text } of jsonParts(pieces(), isOpened))
      parts.push(`${keys.join(' ')} ${isItem} ${text}`)
    expect(parts).toEqual([
      'db m false {"a":[1]}',
      'db data p true {"x":1}',
      'db data p true 2',
      'db data q false {}',
      'db true 3',
      'z true [4]',
    ])
  })
})
