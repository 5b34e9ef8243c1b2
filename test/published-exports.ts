import { type FixtureFiles, tarred, zipped } from './source-fixtures.ts'

/** One way in which a source states the visibility of a content. */
export interface Statement {
  /** Whether the source shows the content to all visitors, and says so. */
  isPublic: boolean
  of: Record<string, unknown>
}
const shown = (...list: Record<string, unknown>[]): Statement[] => list.map((of) => ({ isPublic: true, of }))
const notShown = (...list: Record<string, unknown>[]): Statement[] =>
  list.map((of) => ({ isPublic: false, of }))

export interface Item {
  title: string
  statement: Statement
}

/** A service whose exports are generated. */
export interface ExportingSource {
  name: string
  statements: Statement[]
  write(items: readonly Item[]): Promise<{ fileName: string; bytes: Buffer }>
}

const past = '2025-01-02T03:04:05.000Z'
const future = '2999-01-02T03:04:05.000Z'
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const file = (fileName: string, bytes: Buffer) => ({ fileName, bytes })
const lines = (values: readonly unknown[]) =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))

const wordpress: ExportingSource = {
  name: 'WordPress',
  statements: [
    ...shown(
      { status: 'publish' },
      { status: 'publish', type: 'page' },
      { status: 'publish', type: 'book', link: 'https://a.example/book/x' },
    ),
    ...notShown(
      ...['draft', 'pending', 'private', 'future', 'trash', 'wc-completed', ''].map((status) => ({ status })),
      { status: 'publish', password: 'x' },
      {
        status: 'publish',
        type: 'flamingo_inbound',
        link: 'https://a.example/?post_type=flamingo_inbound&#038;p=3',
      },
    ),
  ],
  async write(items) {
    const texts = items.map(({ title, statement: { of } }, index) => {
      const { status, type = 'post', password = '', link = `https://a.example/${index}` } = of
      return `<item><title>${title}</title><link>${link}</link><wp:post_id>${index + 1}</wp:post_id><wp:post_type>${type}</wp:post_type><wp:status>${status}</wp:status><wp:post_password>${password}</wp:post_password></item>`
    })
    return file(
      'export.xml',
      Buffer.from(
        `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>x</title>${texts.join('')}</channel></rss>`,
      ),
    )
  },
}

const contentful: ExportingSource = {
  name: 'Contentful',
  statements: [
    ...shown({ version: 2, publishedVersion: 1 }, { version: 8, publishedVersion: 7, publishedAt: past }),
    ...notShown(
      { version: 1 },
      { version: 9, publishedVersion: 7 },
      { version: 3, archivedVersion: 2, archivedAt: past },
      { publishedVersion: 3 },
    ),
  ],
  write: async (items) =>
    file(
      'contentful.json',
      json({
        contentTypes: [
          {
            sys: { id: 'page' },
            name: 'Page',
            displayField: 'title',
            fields: [{ id: 'title', type: 'Symbol' }],
          },
        ],
        entries: items.map(({ title, statement: { of } }, index) => ({
          sys: {
            id: `e${index}`,
            createdAt: past,
            updatedAt: past,
            contentType: { sys: { id: 'page' } },
            ...of,
          },
          fields: { title: { 'en-US': title } },
        })),
        locales: [{ code: 'en-US', default: true }],
      }),
    ),
}

const strapi = (hasDrafts: boolean | undefined): ExportingSource => ({
  name: `Strapi, draftAndPublish ${hasDrafts}`,
  statements:
    hasDrafts === true
      ? [...shown({ publishedAt: past }), ...notShown({ publishedAt: null }, {}, { publishedAt: future })]
      : [...shown({}, { publishedAt: past }), ...notShown({ publishedAt: future })],
  write: async (items) => {
    const schema = {
      uid: 'api::page.page',
      kind: 'collectionType',
      options: hasDrafts === undefined ? {} : { draftAndPublish: hasDrafts },
      attributes: { title: { type: 'string' } },
    }
    const entities = items.map(({ title, statement: { of } }, index) => ({
      type: 'api::page.page',
      id: index + 1,
      data: { title, createdAt: past, ...of },
    }))
    return file(
      'export.tar.gz',
      await tarred(
        new Map([
          ['schemas/schemas_00001.jsonl', lines([schema])],
          ['entities/entities_00001.jsonl', lines(entities)],
        ]),
      ),
    )
  },
})

const directus: ExportingSource = {
  name: 'Directus',
  statements: [
    ...shown({ status: 'published' }, { status: 'published', state: 'live' }),
    ...notShown(
      { status: 'draft' },
      { status: 'archived' },
      { status: 'in-stock' },
      { status: null },
      { status: 'published', state: 'gone' },
      { status: 'published', state: 'other' },
      {},
    ),
  ],
  write: async (items) =>
    file(
      'directus.zip',
      await zipped(
        new Map([
          [
            'snapshot.json',
            json({
              directus: '11.0.0',
              version: 1,
              collections: [
                {
                  collection: 'pages',
                  schema: {},
                  meta: { archive_field: 'state', archive_value: 'gone', unarchive_value: 'live' },
                },
              ],
              fields: [
                { collection: 'pages', field: 'id', type: 'integer', schema: { is_primary_key: true } },
                { collection: 'pages', field: 'title', type: 'string', schema: {} },
              ],
              relations: [],
            }),
          ],
          [
            'pages.json',
            json(items.map(({ title, statement: { of } }, index) => ({ id: index + 1, title, ...of }))),
          ],
        ]),
      ),
    ),
}

const microcms: ExportingSource = {
  name: 'microCMS',
  statements: [
    ...shown({ publishedAt: past }, { publishedAt: past, status: ['PUBLISH'], draftKey: null }),
    ...notShown(
      {},
      { publishedAt: null },
      { publishedAt: past, closedAt: past },
      { publishedAt: past, status: ['CLOSED'], draftKey: null },
      { publishedAt: past, status: ['CLOSED'] },
      { publishedAt: past, status: ['PUBLISH_AND_DRAFT'] },
      { publishedAt: past, status: ['PUBLISH', 'DRAFT'], draftKey: 'x' },
      { publishedAt: future },
      { status: ['DRAFT'], draftKey: 'x', reservationTime: { publishTime: future, stopTime: null } },
    ),
  ],
  write: async (items) =>
    file(
      'pages.json',
      json({
        contents: items.map(({ title, statement: { of } }, index) => ({
          id: `c${index}`,
          createdAt: past,
          updatedAt: past,
          revisedAt: past,
          title,
          ...of,
        })),
        totalCount: items.length,
        offset: 0,
        limit: 100,
      }),
    ),
}

const newt: ExportingSource = {
  name: 'Newt',
  statements: [
    ...shown({ _sys: { raw: { publishedAt: past } } }, { publishedAt: past }, { status: 'published' }),
    ...notShown(
      { _sys: { raw: { publishedAt: null } } },
      { _sys: { raw: { publishedAt: past } }, status: 'draft' },
      { _sys: { raw: { publishedAt: past }, status: 'draft' } },
      { _sys: { raw: { publishedAt: past }, isDraft: true } },
      { _sys: { raw: { publishedAt: past, updatedAt: future } } },
      { publishedAt: past, status: 'published', deletedAt: past },
      { _sys: { raw: { publishedAt: past } }, draft: { title: 'x' } },
      { status: 'archived' },
      {},
    ),
  ],
  write: async (items) =>
    file(
      'newt.json',
      json({
        models: [{ uid: 'page', name: 'Page', fields: [{ uid: 'title', type: 'TEXT' }] }],
        contents: items.map(({ title, statement: { of } }, index) => ({
          id: `n${index}`,
          modelUid: 'page',
          title,
          ...of,
        })),
      }),
    ),
}

/** Words and flags in tables, lists and front matter. */
const generic: Statement[] = [
  ...shown(
    ...['published', 'Publish', 'PUBLIC', '公開', '公開中', '公開済み'].map((status) => ({ status })),
    ...['true', 'TRUE', 'yes', '1', 'はい'].map((published) => ({ published })),
    { draft: 'false' },
    { published_at: past },
    { status: 'published', private: 'no' },
  ),
  ...notShown(
    ...['draft', 'archived', 'Future', '下書き', '公開終了', '予約', '非公開', 'trash', '???', ''].map(
      (status) => ({
        status,
      }),
    ),
    ...['false', 'no', '0', 'いいえ', 'maybe'].map((published) => ({ published })),
    ...['true', 'Yes', 'on', '1'].map((draft) => ({ draft })),
    { published_at: future },
    { published_at: past, status: 'draft' },
    { status: 'published', private: 'true' },
    { status: 'published', visibility: 'members' },
    {},
  ),
]

const keysOf = (items: readonly Item[]) => [
  ...new Set(items.flatMap(({ statement: { of } }) => Object.keys(of))),
]

const csv: ExportingSource = {
  name: 'CSV',
  // In a table with a column of times, a row that has neither a time nor a status counts as never published, even with
  // `draft: false`.
  statements: generic.filter(({ isPublic, of }) => !isPublic || !('draft' in of)),
  async write(items) {
    const keys = keysOf(items)
    const row = (cells: unknown[]) => cells.map((cell) => `"${cell ?? ''}"`).join(',')
    const rows = items.map(({ title, statement: { of } }) => row([title, 'x', ...keys.map((key) => of[key])]))
    return file('pages.csv', Buffer.from([row(['title', 'text', ...keys]), ...rows, ''].join('\n')))
  },
}

const list: ExportingSource = {
  name: 'JSON',
  statements: [
    ...generic,
    ...shown({ published: true }),
    ...notShown({ draft: true }, { deleted_at: past }, { status: 3 }),
  ],
  write: async (items) =>
    file('pages.json', json(items.map(({ title, statement: { of } }) => ({ title, ...of })))),
}

const markdown = (format: 'yaml' | 'toml' | 'json'): ExportingSource => ({
  name: `Markdown, front matter in ${format}`,
  statements: [
    ...generic,
    ...shown({ folder: '_posts' }, { draft: false }, { published: true }, { draft: false, date: past }),
    ...notShown(
      { folder: '_drafts' },
      { folder: '_drafts', published: true },
      { folder: '_posts', published: false },
      { draft: false, date: future },
      { Draft: true },
      { private: true, published: true },
      { unlisted: true, published: true },
      { draft: false, expiryDate: past },
    ),
  ],
  async write(items) {
    const files: FixtureFiles = new Map()
    for (const [index, { title, statement }] of items.entries()) {
      const { folder = 'posts', ...of } = statement.of
      const front = Object.entries({ title, ...of })
      const yaml = front.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      const toml = front.map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
      const text = {
        yaml: `---\n${yaml.join('\n')}\n---\n`,
        toml: `+++\n${toml.join('\n')}\n+++\n`,
        json: `${JSON.stringify(Object.fromEntries(front), null, 2)}\n`,
      }[format]
      files.set(`${folder}/${index}.md`, Buffer.from(`${text}\n本文\n`))
    }
    return file('site.zip', await zipped(files))
  },
})

const ghost: ExportingSource = {
  name: 'Ghost',
  statements: [
    ...shown(
      { status: 'published', visibility: 'public' },
      { status: 'published', visibility: 'public', type: 'page' },
    ),
    ...notShown(
      ...['draft', 'scheduled', 'sent', 'other'].map((status) => ({ status, visibility: 'public' })),
      ...['members', 'paid', 'tiers', 'other'].map((visibility) => ({ status: 'published', visibility })),
      { status: 'published', visibility: 'public', published_at: future },
    ),
  ],
  write: async (items) =>
    file(
      'ghost.json',
      json({
        db: [
          {
            meta: { exported_on: 1, version: '5.80.0' },
            data: {
              posts: items.map(({ title, statement: { of } }, index) => ({
                id: `${index}`,
                title,
                slug: `s${index}`,
                html: '<p>a</p>',
                type: 'post',
                created_at: past,
                published_at: past,
                ...of,
              })),
              tags: [],
              users: [],
            },
          },
        ],
      }),
    ),
}

const sanity: ExportingSource = {
  name: 'Sanity',
  statements: [
    ...shown({ ids: ['x'] }, { ids: ['x', 'drafts.x'] }, { ids: ['x'], status: 'on sale' }),
    ...notShown(
      { ids: ['drafts.x'] },
      { ids: ['versions.r1.x'] },
      { ids: ['private.x'] },
      { ids: ['x'], status: 'archived' },
      { ids: ['x'], hidden: true },
      { ids: ['x'], publishedAt: future },
    ),
  ],
  write: async (items) =>
    file(
      'data.ndjson',
      lines(
        items.flatMap(({ title, statement }, index) => {
          const { ids, ...of } = statement.of
          return (ids as string[]).map((id) => ({
            _id: id.replace(/x$/, `p${index}`),
            _type: 'page',
            _rev: 'a',
            _createdAt: past,
            _updatedAt: past,
            title,
            ...of,
          }))
        }),
      ),
    ),
}

/** The services whose exports are generated. */
export const exportingSources: readonly ExportingSource[] = [
  wordpress,
  contentful,
  strapi(true),
  strapi(false),
  strapi(undefined),
  directus,
  microcms,
  newt,
  ghost,
  sanity,
  csv,
  list,
  markdown('yaml'),
  markdown('toml'),
  markdown('json'),
]
