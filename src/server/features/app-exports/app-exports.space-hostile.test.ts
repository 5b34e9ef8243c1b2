/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpaceManifest } from '#archive/space-format.ts'
import {
  type ArchiveFiles,
  type Carrying,
  createNeighbour,
  inside,
  startCarrying,
} from '#test/app-archives.ts'
import { ok } from '#test/server.ts'

let archives: Carrying['archives']
let admin: Carrying['admin']
let away: Carrying['away']
let first: Carrying['whole']
let second: { uid: string }
let end: Carrying['end'] | undefined
let zip: Buffer
let files: ArchiveFiles
/** The two apps' folders in the archive. */
let [one, two] = ['', '']

beforeAll(async () => {
  const carrying = await startCarrying()
  ;({ archives, admin, away, whole: first, end } = carrying)
  second = await createNeighbour(carrying)
  zip = await archives.exported(carrying.home)
  ;({ files } = await archives.unpack<SpaceManifest>(zip))
  one = `apps/${first.uid}`
  two = `apps/${second.uid}`
})
afterAll(() => end?.())

const refusalOf = (bytes: Buffer) => archives.refusalOf(away, bytes)
type Change = (files: ArchiveFiles, manifest: SpaceManifest) => void
const changed = (change: Change) => archives.changed<SpaceManifest>(zip, change)
const textOf = (all: ArchiveFiles, path: string) => String(all.get(path))

describe('a tampered archive of a space', () => {
  it('is refused if its manifest or signature was changed', async () => {
    const manifest = inside(textOf(files, 'manifest.json'), (read: SpaceManifest) => {
      read.apps.pop()
    })
    expect(await refusalOf(await archives.pack(new Map(files).set('manifest.json', manifest)))).toMatchObject(
      {
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'signature', what: 'signature.json' }]),
      },
    )
    const other = JSON.parse(textOf(files, 'signature.json'))
    const signature = Buffer.from(
      JSON.stringify({ ...other, signature: Buffer.alloc(64).toString('base64') }),
    )
    expect(
      await refusalOf(await archives.pack(new Map(files).set('signature.json', signature))),
    ).toMatchObject({
      code: 'damaged',
      items: [{ kind: 'signature', what: 'signature.json' }],
    })
  })

  it.each<[string, Change, () => object]>([
    [
      'two apps with the same uid',
      (_files, { apps: [blog, other] }) => {
        if (blog && other) other.uid = blog.uid
      },
      () => ({
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'manifest', what: `apps: ${first.uid} (2)` }]),
      }),
    ],
    [
      'an app in the folder of another',
      (_files, { apps: [blog, other] }) => {
        if (blog && other) other.folder = blog.folder
      },
      () => ({
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'manifest', what: `apps: ${second.uid} → ${one}` }]),
      }),
    ],
    [
      'an app whose file contains another uid',
      (changing) => {
        const path = `${two}/app.json`
        changing.set(
          path,
          inside(textOf(changing, path), ({ app }: { app: { uid: string } }) => {
            app.uid = 'other'
          }),
        )
      },
      () => ({
        code: 'damaged',
        items: [{ kind: 'manifest', what: `apps: ${second.uid} ≠ ${two}/app.json` }],
      }),
    ],
    [
      'a value of an unknown field',
      (changing) => {
        const path = `${two}/documents/article.ndjson`
        changing.set(path, Buffer.from(textOf(changing, path).replace('"title":', '"other":')))
      },
      () => ({
        code: 'damaged',
        count: 1,
        items: [
          { kind: 'model', what: expect.stringMatching(RegExp(`^${two}/article/[0-9a-f]{24}: other$`)) },
        ],
      }),
    ],
    [
      'a model that cannot be created',
      (changing) => {
        const path = `${two}/app.json`
        changing.set(
          path,
          Buffer.from(textOf(changing, path).replace('"type": "IMAGE"', '"type": "NOTHING"')),
        )
      },
      () => ({
        code: 'damaged',
        items: [{ kind: 'schema', what: `${two}/models.0.fields.1.type: NonExistentFieldType` }],
      }),
    ],
    [
      'counts of an app and of the space that differ from the lines',
      (_files, { apps: [blog], counts }) => {
        if (blog) blog.counts.assets.all += 1
        counts.documents = 1
      },
      () => ({
        code: 'damaged',
        count: 2,
        items: [
          { kind: 'count', what: `${one}/counts.assets.all: 3 ≠ 2` },
          { kind: 'count', what: 'counts.documents: 1 ≠ 8' },
        ],
      }),
    ],
    [
      'an asset that differs between two apps',
      (changing) => {
        const path = `${two}/assets.ndjson`
        const [picture = ''] = textOf(changing, path).split('\n')
        const { _id } = JSON.parse(picture)
        const others = textOf(changing, `${one}/assets.ndjson`).split('\n')
        const wrong = others.find((line) => line !== '' && !line.includes(_id)) ?? ''
        changing.set(path, Buffer.from(`${JSON.stringify({ ...JSON.parse(wrong), _id })}\n`))
      },
      () => ({
        code: 'damaged',
        items: expect.arrayContaining([
          { kind: 'repeated', what: expect.stringMatching(RegExp(`^${two}/assets\\.ndjson: `)) },
        ]),
      }),
    ],
    [
      'an app whose files are missing',
      (changing) => {
        for (const path of [...changing.keys()]) if (path.startsWith(`${two}/`)) changing.delete(path)
      },
      () => ({ code: 'damaged', items: expect.arrayContaining([{ kind: 'line', what: `${two}/app.json` }]) }),
    ],
    [
      'files of an unknown app',
      (changing) => changing.set('apps/ghost/app.json', Buffer.from('{}')),
      () => ({ code: 'damaged', items: [{ kind: 'extra', what: 'apps/ghost/app.json' }] }),
    ],
    [
      'an app folder outside the archive',
      (_files, { apps: [blog] }) => {
        if (blog) blog.folder = '../..'
      },
      () => ({ code: 'notAnArchive' }),
    ],
    [
      'no apps',
      (_files, manifest) => Object.assign(manifest, { apps: [] }),
      () => ({ code: 'notAnArchive' }),
    ],
    [
      'more than 1,000 apps',
      (_files, manifest) => {
        const [blog] = manifest.apps
        if (blog) manifest.apps = Array.from({ length: 1001 }, () => blog)
      },
      () => ({ code: 'notAnArchive' }),
    ],
    [
      'a newer format version',
      (_files, manifest) => Object.assign(manifest, { formatVersion: 3 }),
      () => ({ code: 'newerFormat' }),
    ],
  ])('is refused if it contains %s', async (_name, change, expected) => {
    expect(await refusalOf(await changed(change))).toMatchObject(expected())
  })

  it('is refused if its manifest states an unrealistic unpacked size', async () => {
    const lying = inside(textOf(files, 'manifest.json'), (manifest: SpaceManifest) => {
      for (const file of manifest.files) file.bytes = 1e15
    })
    expect(await refusalOf(await archives.pack(new Map(files).set('manifest.json', lying)))).toEqual({
      code: 'tooLarge',
      items: [],
      count: 0,
    })
  })

  it('is refused if a shared file is larger than the manifest states', async () => {
    const shared = [...files.keys()].find((path) => path.startsWith('assets/')) ?? ''
    const bomb = new Map(files).set(shared, Buffer.alloc(50_000_000))
    expect((await refusalOf(await archives.pack(bomb))).items).toEqual(
      expect.arrayContaining([{ kind: 'size', what: shared }]),
    )
  })

  it('is refused at the start if a view of its second app is invalid, and its first app is not created', async () => {
    const bytes = await changed((changing) => {
      const path = `${two}/app.json`
      changing.set(
        path,
        inside(textOf(changing, path), (app: { views: object[] }) => {
          const settings = { columns: [{ id: 'nothing' }] }
          app.views = [{ modelUid: 'article', name: '列', type: 'TABLE', settings }]
        }),
      )
    })
    const id = await archives.upload(away, bytes)
    const before = await archives.countAll()
    const refused = await admin.client.post(`${away.url}/move/${id}/start`)
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [
        expect.objectContaining({
          code: 'UnknownField',
          path: `apps.${second.uid}.views.0.settings.columns.0.id`,
        }),
      ],
    ])
    expect(await archives.countAll()).toEqual(before)
    ok(await admin.client.delete(`${away.url}/move/${id}`))
  })
})
