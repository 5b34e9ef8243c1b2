import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { lengthOf } from '#test/full-length.ts'
import { exportingSources, type Item } from '#test/published-exports.ts'
import { tarred, zipped } from '#test/source-fixtures.ts'
import type { HintsInput } from '../../hints.ts'
import { verifyArchive } from '../../verify.ts'
import { convertSource } from '../convert.ts'
import { NotFetched } from '../fetched-files.ts'
import { isSecretKey } from '../secret-keys.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

interface Converted {
  /** States of the contents by title. */
  states: Record<string, string>
  published: string[]
  hints: HintsInput
  /** All files that the manifest lists, as text. */
  text: string
  assets: string
}

let number = 0
async function convert(fileName: string, bytes: Buffer | string): Promise<Converted> {
  const path = join(folder.path, `upload-${++number}`)
  const work = `${path}.work`
  await writeFile(path, bytes)
  const manifest = await convertSource(path, {
    name: fileName,
    folder: work,
    zone: '+09:00',
    renderMarkdown: (source) => `<p>${source}</p>`,
    fetchFile: async () => {
      throw new NotFetched('404')
    },
    onProgress: () => {},
  })
  expect((await verifyArchive(join(work, 'archive'))).problems).toEqual([])
  const read = (file: string) => readFile(join(work, 'archive', file), 'utf8')
  const files = await Promise.all(manifest.files.map(({ path }) => read(path)))
  const hints: HintsInput = JSON.parse(await read('hints.json'))
  const contents = await Promise.all(
    manifest.models
      .filter(({ uid }) => !['author', 'category'].includes(uid))
      .map(async ({ uid, api }) =>
        (await read(api.path))
          .trim()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => {
            const { title, name, Name, _sys } = JSON.parse(line)
            const model = hints.models.find((model) => model.uid === uid)
            const state = model?.states?.find(({ key }) => key === _sys.state)?.state ?? 'missing'
            expect(_sys.raw.publishedAt !== null).toBe(state === 'published')
            return [title ?? name ?? Name, state] as const
          }),
      ),
  )
  const states = Object.fromEntries(contents.flat())
  const published = Object.keys(states).filter((title) => states[title] === 'published')
  return {
    states,
    published: published.sort(),
    hints,
    text: files.join('\n'),
    assets: await read('assets.ndjson'),
  }
}

const leftOutOf = ({ hints }: Converted) =>
  hints.leftOut?.map(({ kind, name, count }) => `${kind} ${name} ${count}`)

describe('convertSource with a table', () => {
  it.each([
    ['archived', 'archived'],
    ['Future', 'scheduled'],
    ['公開終了', 'archived'],
    ['発送済み', 'unknown'],
    ['', 'unknown'],
  ])('reads the status %j of a row as %s', async (word, state) => {
    const text = `title,status\nPublic,published\nNot yet,draft\nOther,${word}\n`
    expect((await convert('x.csv', text)).states).toEqual({
      Public: 'published',
      'Not yet': 'draft',
      Other: state,
    })
  })

  it('reads true in the column `published` as published, and false as a draft', async () => {
    const { states } = await convert('x.csv', 'title,published\nPublic,true\nNot yet,false\n')
    expect(states).toEqual({ Public: 'published', 'Not yet': 'draft' })
  })

  it('marks no row as published if the table states no visibility', async () => {
    expect((await convert('x.csv', 'title,price\na,1\nb,2\n')).published).toEqual([])
  })

  it('reads Webflow items as published, drafts or archived', async () => {
    const time = 'Thu Feb 01 2024 10:00:00 GMT+0000 (Coordinated Universal Time)'
    const rows = [
      'Name,Archived,Draft,Published On',
      `Public,false,false,${time}`,
      'Staged,false,false,',
      `Edited,false,true,${time}`,
      `Old,true,false,${time}`,
      '',
    ]
    expect((await convert('items.csv', rows.join('\n'))).states).toMatchObject({
      Public: 'published',
      Staged: 'draft',
      Edited: 'draft',
      Old: 'archived',
    })
  })

  it('omits passwords and API keys', async () => {
    const found = await convert('x.csv', 'title,password_hash,API Key\na,$2b$10$abc,sk_live_1\nb,,\n')
    expect(found.text).not.toMatch(/\$2b\$10|sk_live_1/)
    expect(leftOutOf(found)).toEqual(['secret x.password_hash 1', 'secret x.API Key 1'])
  })
})

describe('convertSource with tables of a dump', () => {
  const tables = {
    posts: [{ id: 1, title: 'a', published: 'true', smtp_password: 'SECRET1', stripe_secret_key: 'SECRET2' }],
    users: [{ id: 1, name: 'ann', email: 'SECRET3', twoFactorSecret: 'SECRET4' }],
    api_keys: [{ id: 1, value: 'SECRET5', user: 1 }],
    sessions: [{ id: 1, title: 'Keynote' }],
    authors: [{ id: 1, title: 'Ann', email: 'ann@example.com' }],
  }
  const csvOf = (rows: Record<string, unknown>[]) =>
    [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
      .map((row) => row.join(','))
      .join('\n')
  const lists = Object.entries(tables)
  it.each([
    ['json', lists.map(([name, rows]) => [`${name}.json`, JSON.stringify(rows)] as const)],
    ['csv', lists.map(([name, rows]) => [`${name}.csv`, `${csvOf(rows)}\n`] as const)],
  ])('omits accounts and secrets in %s files', async (_kind, files) => {
    const zip = await zipped(new Map(files.map(([name, text]) => [name, Buffer.from(text)])))
    const found = await convert('dump.zip', zip)
    expect(found.text).not.toContain('SECRET')
    expect(found.text).toContain('ann@example.com')
    expect(found.text).toContain('Keynote')
    expect(leftOutOf(found)?.sort()).toEqual([
      'account users 1',
      'secret api_keys 1',
      'secret posts.smtp_password 1',
      'secret posts.stripe_secret_key 1',
    ])
  })

  it('converts a table `users` that contains neither e-mail addresses nor passwords', async () => {
    const files = new Map([
      ['posts.csv', Buffer.from('id,title\n1,a\n')],
      ['users.csv', Buffer.from('id,name\n1,Ann\n')],
    ])
    expect((await convert('dump.zip', await zipped(files))).states).toMatchObject({ Ann: 'unknown' })
  })
})

describe('isSecretKey', () => {
  it.each([
    ...['password', 'password_hash', 'smtp_password', 'dbPass', 'API Key', 'awsSecretAccessKey', 'apiキー'],
    ...['stripe_secret_key', 'refresh_token', 'twoFactorSecret', 'recovery_codes', 'github_access_token'],
  ])('returns true for %s', (key) => {
    expect(isSecretKey(key)).toBe(true)
  })

  it.each([
    ...['title', 'key', 'keyword', 'token', 'tokens', 'bypass', 'compass', 'passport', 'pass', 'monkey'],
    ...[
      'salt',
      'credentials',
      'secretary',
      'secret_recipe',
      'answer_key',
      'design tokens',
      'saltiness',
      'accessibility',
    ],
  ])('returns false for %s', (key) => {
    expect(isSecretKey(key)).toBe(false)
  })
})

describe('convertSource with a text', () => {
  const text = (front: string) => `---\ntitle: t\n${front}\n---\n本文\n`
  it.each([
    ['draft: yes', 'draft'],
    ['draft: "true"', 'draft'],
    ['Draft: true', 'draft'],
    ['published: no', 'draft'],
    ['private: true', 'hidden'],
    ['date: 2999-01-01', 'scheduled'],
    ['published: true\npublished_at: 2999-01-01 10:00', 'scheduled'],
    ['draft: false', 'published'],
    ['published: true', 'published'],
    ['build:\n  render: never\npublished: true', 'hidden'],
    ['tags: [a]', 'unknown'],
  ])('reads the front matter %j as %s', async (front, state) => {
    expect((await convert('a.md', text(front))).states).toEqual({ t: state })
  })

  it('converts a text in the folder `_drafts` to a draft in the model `_posts`', async () => {
    const files = new Map([
      ['site/_drafts/x.md', Buffer.from('---\ntitle: 下書き\n---\na\n')],
      ['site/_posts/2026-01-05-y.md', Buffer.from('---\ntitle: 公開\n---\na\n')],
      ['site/_posts/2026-01-06-z.md', Buffer.from('---\ntitle: 伏せた\npublished: false\n---\na\n')],
      ['site/_posts/2999-01-06-later.md', Buffer.from('---\ntitle: 予定\n---\na\n')],
    ])
    const { states, hints } = await convert('site.zip', await zipped(files))
    expect(states).toEqual({ 下書き: 'draft', 公開: 'published', 伏せた: 'draft', 予定: 'scheduled' })
    expect(hints.models.map(({ uid }) => uid)).toEqual(['_posts'])
  })

  it('reads a Jekyll text with a future date in its name as scheduled', async () => {
    const files = new Map([
      ['site/_posts/2999-01-05-later.md', Buffer.from('---\ntitle: later\n---\na\n')],
      ['site/_posts/2026-01-05-now.md', Buffer.from('---\ntitle: now\n---\na\n')],
    ])
    const found = await convert('site.zip', await zipped(files))
    expect(found.states).toEqual({ later: 'scheduled', now: 'published' })
    expect(found.text).toContain('"createdAt":"2026-01-05T00:00:00.000Z"')
  })

  it('reads a text in a Hugo section that cascades `draft: true` as a draft', async () => {
    const text = (front: string) => Buffer.from(`---\n${front}\n---\na\n`)
    const files = new Map([
      ['content/lab/_index.md', text('title: Lab\ncascade:\n  draft: true')],
      ['content/lab/a/x.md', text('title: x\npublished: true')],
      ['content/blog/y.md', text('title: y\npublished: true')],
    ])
    expect((await convert('site.zip', await zipped(files))).states).toMatchObject({
      x: 'draft',
      y: 'published',
    })
  })

  it('does not mark Jekyll texts with misplaced front matter or a merged draft state as published', async () => {
    const files = new Map([
      ['_posts/2024-01-01-a.md', Buffer.from('\n---\ntitle: x\npublished: false\n---\na\n')],
      ['_posts/2024-01-02-b.md', Buffer.from('---\ntitle: y\nbase: &b {draft: true}\n<<: *b\n---\na\n')],
    ])
    expect((await convert('site.zip', await zipped(files))).published).toEqual([])
  })

  it('reads front matter in TOML', async () => {
    const found = await convert(
      'a.md',
      '+++\ntitle = "t"\ndraft = true\ndate = 2024-05-01T10:00:00Z\n+++\n\n本文\n',
    )
    expect(found.states).toEqual({ t: 'draft' })
    expect(found.text).not.toContain('+++')
    expect(found.text).toContain('2024-05-01T10:00:00.000Z')
  })

  it('keeps a line without a key between two lines of dashes as text', async () => {
    const found = await convert('a.md', '---\njust words\n---\nmore\n')
    expect(found.text).toContain('just words')
  })

  it('reads a text with a password as hidden, and omits the password', async () => {
    const found = await convert('a.md', text('published: true\npassword: hunter2'))
    expect(found.states).toEqual({ t: 'hidden' })
    expect(found.text).not.toContain('hunter2')
    expect(leftOutOf(found)).toEqual(['secret posts.password 1'])
  })
})

describe('convertSource with an export of Strapi', () => {
  it('omits private attributes, passwords, users and tokens', async () => {
    const schema = {
      uid: 'api::page.page',
      kind: 'collectionType',
      options: { privateAttributes: ['margin'] },
      attributes: {
        title: { type: 'string' },
        margin: { type: 'integer' },
        note: { type: 'string', private: true },
        secret: { type: 'password' },
        seo: { type: 'component', component: 'shared.seo' },
      },
    }
    const component = {
      uid: 'shared.seo',
      modelType: 'component',
      attributes: { text: { type: 'string' }, internal: { type: 'string', private: true } },
    }
    const entities = [
      {
        type: 'api::page.page',
        id: 1,
        data: {
          title: 'a',
          note: 'SECRET1',
          margin: 'SECRET9',
          secret: 'SECRET2',
          seo: { id: 1, text: 'b', internal: 'SECRET3' },
        },
      },
      { type: 'admin::user', id: 1, data: { email: 'SECRET4', password: 'SECRET5' } },
      { type: 'plugin::users-permissions.user', id: 1, data: { email: 'SECRET6' } },
      { type: 'admin::api-token', id: 1, data: { accessKey: 'SECRET7' } },
    ]
    const lines = (values: unknown[]) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
    const found = await convert(
      'x.tar.gz',
      await tarred(
        new Map([
          ['schemas/schemas_1.jsonl', lines([schema, component])],
          ['entities/entities_1.jsonl', lines(entities)],
          [
            'configuration/configuration_1.jsonl',
            lines([{ type: 'core-store', value: { key: 'x', value: 'SECRET8' } }]),
          ],
        ]),
      ),
    )
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)?.sort()).toEqual([
      'account admin::user 1',
      'account plugin::users-permissions.user 1',
      'private page.margin 1',
      'private page.note 1',
      'private seo.internal 1',
      'secret admin::api-token 1',
      'secret page.secret 1',
      'setting core-store 1',
    ])
  })
})

describe('convertSource with files of Strapi', () => {
  it('omits files that only private fields use', async () => {
    const schema = {
      uid: 'api::page.page',
      kind: 'collectionType',
      attributes: {
        title: { type: 'string' },
        open: { type: 'media' },
        scan: { type: 'media', private: true },
      },
    }
    const lines = (values: unknown[]) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
    const file = (id: number, hash: string) => ({
      type: 'plugin::upload.file',
      id,
      data: { name: `${hash}.pdf`, hash, ext: '.pdf', mime: 'application/pdf', url: `/uploads/${hash}.pdf` },
    })
    const link = (ref: number, field: string) => ({
      left: { type: 'plugin::upload.file', ref, field: 'related' },
      right: { type: 'api::page.page', ref: 1, field },
    })
    const found = await convert(
      'x.tar.gz',
      await tarred(
        new Map([
          ['schemas/schemas_1.jsonl', lines([schema])],
          [
            'entities/entities_1.jsonl',
            lines([
              { type: 'api::page.page', id: 1, data: { title: 'a' } },
              ...['secret', 'open', 'both', 'unused'].map((hash, index) => file(index + 1, hash)),
            ]),
          ],
          [
            'links/links_1.jsonl',
            lines([link(1, 'scan'), link(2, 'open'), link(3, 'scan'), link(3, 'open')]),
          ],
          ...['secret', 'open', 'both', 'unused'].map(
            (hash) => [`assets/uploads/${hash}.pdf`, Buffer.from(`%PDF-1.4 ${hash}`)] as const,
          ),
        ]),
      ),
    )
    const names = [...found.assets.matchAll(/(\w+)\.pdf/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['open', 'both', 'unused']))
    expect(leftOutOf(found)).toContain('private plugin::upload.file 1')
  })
})

describe('convertSource with an export of Contentful', () => {
  it("omits fields that Contentful's delivery API omits", async () => {
    const found = await convert(
      'x.json',
      JSON.stringify({
        contentTypes: [
          {
            sys: { id: 'page' },
            displayField: 'title',
            fields: [
              { id: 'title', type: 'Symbol' },
              { id: 'cost', type: 'Symbol', omitted: true },
            ],
          },
        ],
        entries: [
          {
            sys: { id: 'a', version: 2, publishedVersion: 1, contentType: { sys: { id: 'page' } } },
            fields: { title: { 'en-US': 'a' }, cost: { 'en-US': 'SECRET' } },
          },
        ],
      }),
    )
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)).toEqual(['private page.cost 1'])
  })
})

describe('convertSource with published entries of Contentful', () => {
  const link = (linkType: string, id: string) => ({ sys: { type: 'Link', linkType, id } })
  const asset = (id: string, sys: object) => ({
    sys: { id, ...sys },
    fields: {
      title: { ja: id },
      file: { ja: { url: `//assets.example/${id}.png`, fileName: `${id}.png`, contentType: 'image/png' } },
    },
  })
  const embedded = (nodeType: string, target: object) => ({ nodeType, data: { target }, content: [] })
  const entry = (id: string, sys: object, fields: object) => ({
    sys: { id, version: 2, publishedVersion: 1, contentType: { sys: { id: 'page' } }, ...sys },
    fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, { ja: value }])),
  })
  const space = (entries: unknown[], assets: unknown[] = []) => ({
    contentTypes: [
      {
        sys: { id: 'page' },
        displayField: 'title',
        fields: [
          { id: 'title', type: 'Symbol' },
          { id: 'body', type: 'RichText' },
          { id: 'image', type: 'Link', linkType: 'Asset' },
        ],
      },
    ],
    entries,
    assets,
    locales: [{ code: 'ja', default: true }],
  })

  it('omits the titles of unpublished entries in links', async () => {
    const content = ['a', 'b'].map((id) => embedded('embedded-entry-block', link('Entry', id)))
    const body = { nodeType: 'document', content }
    const found = await convert(
      'x.json',
      JSON.stringify(
        space([
          entry('c', {}, { title: 'C', body }),
          entry('a', {}, { title: 'Shown' }),
          entry('b', { publishedVersion: undefined }, { title: 'SECRET' }),
        ]),
      ),
    )
    expect(found.text).toContain('Shown</a>')
    expect(found.text).not.toContain('SECRET</a>')
  })

  it('omits unpublished files, unless an unpublished entry uses them', async () => {
    const content = ['secret', 'open'].map((id) => embedded('embedded-asset-block', link('Asset', id)))
    const body = { nodeType: 'document', content }
    const found = await convert(
      'x.json',
      JSON.stringify(
        space(
          [
            entry('c', {}, { title: 'C', body, image: link('Asset', 'gone') }),
            entry('d', { publishedVersion: undefined }, { title: 'D', image: link('Asset', 'mine') }),
          ],
          [
            asset('secret', { version: 1 }),
            asset('gone', { version: 4, publishedVersion: 2, archivedVersion: 3 }),
            asset('mine', { version: 1 }),
            asset('unused', { version: 1 }),
            asset('open', { version: 2, publishedVersion: 1 }),
          ],
        ),
      ),
    )
    expect(found.text).not.toMatch(/(?:secret|gone|unused)\.png/)
    expect(found.text).toMatch(/open\.png/)
    expect(found.text).toMatch(/mine\.png/)
  })

  it('reads an entry as a draft if its default locale is not published', async () => {
    const status = (ja: string, en: string) => ({ fieldStatus: { '*': { ja, 'en-US': en } } })
    const foreign = entry('c', status('published', 'draft'), {})
    const found = await convert(
      'x.json',
      JSON.stringify(
        space([
          entry('a', status('draft', 'published'), { title: 'A' }),
          entry('b', status('published', 'changed'), { title: 'B' }),
          { ...foreign, fields: { title: { 'en-US': 'SECRET' } } },
        ]),
      ),
    )
    expect(found.states).toMatchObject({ A: 'draft', B: 'published' })
    expect(found.text).not.toContain('SECRET')
  })
})

describe('convertSource with an export of Directus', () => {
  it('omits hashed and concealed fields, users and settings', async () => {
    const snapshot = {
      directus: '11',
      version: 1,
      collections: [{ collection: 'pages', schema: {} }],
      fields: [
        { collection: 'pages', field: 'id', type: 'integer', schema: { is_primary_key: true } },
        { collection: 'pages', field: 'pin', type: 'hash', meta: { special: ['hash', 'conceal'] } },
        { collection: 'pages', field: 'key', type: 'string', meta: { special: ['conceal'] } },
      ],
      relations: [],
    }
    const json = (value: unknown) => Buffer.from(JSON.stringify(value))
    const found = await convert(
      'x.zip',
      await zipped(
        new Map([
          ['snapshot.json', json(snapshot)],
          ['pages.json', json([{ id: 1, title: 'a', status: 'published', pin: 'SECRET1', key: 'SECRET2' }])],
          ['directus_users.json', json([{ id: 'u', email: 'SECRET3', password: 'SECRET4' }])],
          ['directus_settings.json', json([{ id: 1, openai_key: 'SECRET5' }])],
        ]),
      ),
    )
    expect(found.published).toEqual(['a'])
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)?.sort()).toEqual([
      'account directus_users 1',
      'secret pages.key 1',
      'secret pages.pin 1',
      'setting directus_settings 1',
    ])
  })
})

describe('convertSource with an export of WordPress', () => {
  it('omits comments, and reports them as omitted', async () => {
    const comment =
      '<wp:comment><wp:comment_author_email>SECRET@example.com</wp:comment_author_email></wp:comment></item>'
    const found = await convert('x.xml', wxr(post(1, 'publish', 'ann', 'open').replace('</item>', comment)))
    expect(found.text).not.toContain('SECRET@')
    expect(leftOutOf(found)).toContain('account wp:comment 1')
  })

  const wxr = (inside: string) =>
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>x</title><wp:author><wp:author_login>ann</wp:author_login><wp:author_email>SECRET@example.com</wp:author_email></wp:author><wp:author><wp:author_login>bob</wp:author_login></wp:author>${inside}</channel></rss>`
  const post = (id: number, status: string, author: string, term: string) =>
    `<item><title>t${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${status}</wp:status><dc:creator>${author}</dc:creator><category domain="topic" nicename="${term}">${term}</category></item>`

  const revision =
    '<item><title>old</title><wp:post_id>9</wp:post_id><wp:post_type>revision</wp:post_type><wp:status>inherit</wp:status></item>'

  it.each([
    '<wp:postmeta><wp:meta_key>_members_access_role</wp:meta_key><wp:meta_value>editor</wp:meta_value></wp:postmeta>',
    '<wp:postmeta><wp:meta_key>_jetpack_newsletter_access</wp:meta_key><wp:meta_value>paid_subscribers</wp:meta_value></wp:postmeta>',
    '<content:encoded><![CDATA[a <!-- wp:premium-content/container --> b]]></content:encoded>',
    '<content:encoded><![CDATA[a [members_only]b[/members_only]]]></content:encoded>',
  ])('reads posts for members, or with parts for members, as hidden: %s', async (inside) => {
    const open =
      '<wp:postmeta><wp:meta_key>_jetpack_newsletter_access</wp:meta_key><wp:meta_value>everybody</wp:meta_value></wp:postmeta><content:encoded>[gallery]</content:encoded>'
    const posts = [inside, open].map((text, index) =>
      post(index + 1, 'publish', 'ann', 'open').replace('</item>', `${text}</item>`),
    )
    const { states } = await convert('x.xml', wxr(posts.join('')))
    expect(states).toMatchObject({ t1: 'hidden', t2: 'published' })
  })

  it('omits secrets in custom fields', async () => {
    const meta =
      '<wp:postmeta><wp:meta_key>mailer_api_key</wp:meta_key><wp:meta_value>SECRET</wp:meta_value></wp:postmeta></item>'
    const found = await convert('x.xml', wxr(post(1, 'publish', 'ann', 'open').replace('</item>', meta)))
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)).toContain('secret post.mailer_api_key 1')
  })

  it("marks authors and terms of a plugin's taxonomy as published only if a published post uses them", async () => {
    const found = await convert(
      'x.xml',
      wxr(post(1, 'publish', 'ann', 'open') + post(2, 'private', 'bob', 'inside') + revision),
    )
    expect(found.states).toEqual({ t1: 'published', t2: 'hidden', open: 'published', inside: 'unknown' })
    const authors = found.hints.models.find(({ uid }) => uid === 'author')?.states
    expect(authors?.map(({ state, examples }) => [state, examples])).toEqual([
      ['published', ['ann']],
      ['unknown', ['bob']],
    ])
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)).toEqual(['account wp:author_email 1', 'system wp:post_type: revision 1'])
  })
})

describe('convertSource with an export of microCMS', () => {
  it('does not copy drafts into published contents', async () => {
    const times = { createdAt: '2024-01-01T00:00:00Z', updatedAt: '2024-01-02T00:00:00Z' }
    const published = { ...times, publishedAt: times.updatedAt, revisedAt: times.updatedAt }
    const contents = [{ id: 'a', ...published, title: 'a', related: { id: 'b', ...times, title: 'SECRET' } }]
    const found = await convert(
      'pages.json',
      JSON.stringify({ contents, totalCount: 1, offset: 0, limit: 10 }),
    )
    expect(found.states).toEqual({ a: 'published', SECRET: 'draft' })
    expect(found.text.split('\n').find((line) => line.includes('"title":"a"'))).not.toContain('SECRET')
  })
})

describe('convertSource with a generic list', () => {
  it.each([
    [{ sys: { publishedAt: '2024-01-01T00:00:00Z', publishedVersion: 3, version: 5 } }, 'draft'],
    [{ sys: { publishedAt: '2024-01-01T00:00:00Z', publishedVersion: 3, version: 4 } }, 'published'],
    [{ _sys: { raw: { publishedAt: '2024-01-01T00:00:00Z', updatedAt: '2024-01-02T00:00:00Z' } } }, 'draft'],
    [
      { _sys: { raw: { publishedAt: '2024-01-01T00:00:00Z', updatedAt: '2024-01-01T00:00:00Z' } } },
      'published',
    ],
  ])('compares the last edit with the publication: %j is read as %s', async (content, state) => {
    const list = JSON.stringify([{ title: 'a', ...content }])
    expect((await convert('pages.json', list)).states).toEqual({ a: state })
  })

  it('reads a content with parts for members as hidden', async () => {
    const html = '<p>a</p><!--members-only--><p>SECRET</p>'
    const posts = [{ title: 'a', status: 'published', visibility: 'public', html }]
    expect((await convert('posts.json', JSON.stringify({ posts, meta: {} }))).states).toEqual({ a: 'hidden' })
  })

  it.each([
    ['published', 'draft', 'draft'],
    ['draft', 'published', 'draft'],
    ['published', 'sold', 'unknown'],
    ['published', 'public', 'published'],
  ])('reads a content that occurs with the statuses %s and %s as %s', async (first, second, state) => {
    const page = (status: string) =>
      `{ "id": 1, "title": "a", "price": 1234567890.123456789, "status": "${status}" }`
    const other = '{ "id": 2, "title": "b", "status": "published" }'
    const files = new Map([
      ['a/pages.json', Buffer.from(`[${page(first)}, ${other}]`)],
      ['b/pages.json', Buffer.from(`[${page(second)}]`)],
    ])
    const found = await convert('x.zip', await zipped(files))
    expect(found.states).toEqual({ a: state, b: 'published' })
    expect(found.text).toContain('1234567890.123456789')
    const counts = found.hints.models[0]?.states?.map(({ state, count, examples }) => [
      state,
      count,
      examples,
    ])
    expect(counts).toEqual(
      state === 'published'
        ? [['published', 2, ['a', 'b']]]
        : expect.arrayContaining([
            [state, 1, ['a']],
            ['published', 1, ['b']],
          ]),
    )
  })

  it.each([
    [{ id: 2, title: 'x', status: 'draft' }, 'draft'],
    [[{ documentId: 'x', publishedAt: null }], 'draft'],
    [{ data: { id: 2, attributes: { title: 'x', publishedAt: null } } }, 'draft'],
    [{ slug: 'x', deleted_at: '2020-01-01' }, 'draft'],
    [{ id: 2, title: 'x', status: 'published' }, 'published'],
    [{ id: 2, name: 'x', status: 'shipped', expiresAt: '2020-01-01', password: 'x' }, 'published'],
    [{ street: 'x', state: 'closed' }, 'published'],
  ])('reads a published content that contains %j as %s', async (related, state) => {
    const list = [{ id: 1, title: 'a', published: true, related }]
    expect((await convert('pages.json', JSON.stringify(list))).states).toEqual({ a: state })
  })

  it('marks the source as generic, and omits accounts, settings, passwords and keys', async () => {
    const found = await convert(
      'dump.json',
      JSON.stringify({
        pages: [{ title: 'a', published: true, seo: { apiKey: 'SECRET1' }, author: { password: 'SECRET2' } }],
        users: [{ email: 'SECRET3', name: 'x' }],
        settings: [{ key: 'smtp', value: 'SECRET4' }],
      }),
    )
    expect(found.hints.isGeneric).toBe(true)
    expect(found.published).toEqual(['a'])
    expect(found.text).not.toContain('SECRET')
    expect(leftOutOf(found)?.sort()).toEqual([
      'account users 1',
      'secret pages.author.password 1',
      'secret pages.seo.apiKey 1',
      'setting settings 1',
    ])
  })
})

/** Returns a generator of numbers below 1. The same seed yields the same numbers. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

describe('convertSource with random exports', () => {
  it.each(exportingSources)(
    'marks exactly the public contents of $name as published',
    async ({ statements, write }) => {
      const rounds = lengthOf(2, 60)
      for (let seed = 1; seed <= rounds; seed++) {
        const random = randomFrom(seed)
        // Each statement occurs in the first round.
        const items = Array.from({ length: statements.length + 10 }, (_, index): Item => {
          const at =
            seed === 1 && index < statements.length ? index : Math.floor(random() * statements.length)
          return { title: `t${index}`, statement: statements[at] ?? { isPublic: false, of: {} } }
        }).sort(() => random() - 0.5)
        const { fileName, bytes } = await write(items)
        const { published } = await convert(fileName, bytes)
        const expected = items.flatMap(({ title, statement }) => (statement.isPublic ? [title] : []))
        expect({ seed, published }).toEqual({ seed, published: expected.sort() })
      }
    },
  )
})
