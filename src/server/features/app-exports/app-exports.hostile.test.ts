/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppManifest } from '#archive/app-format.ts'
import { importMoveJob, undoMoveJob } from '#server/features/moves/moves.jobs.ts'
import { nameProblem } from '#shared/unicode.ts'
import { type ArchiveFiles, type Carrying, comparable, inside, startCarrying } from '#test/app-archives.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok } from '#test/server.ts'

let installation: Carrying['installation']
let archives: Carrying['archives']
let admin: Carrying['admin']
let away: Carrying['away']
let whole: Carrying['whole']
let end: Carrying['end'] | undefined

beforeAll(async () => {
  ;({ installation, archives, admin, away, whole, end } = await startCarrying())
})
afterAll(() => end?.())

describe('a tampered archive of an app', () => {
  let zip: Buffer
  beforeAll(async () => {
    zip = await archives.exported(whole)
  })

  const refusalOf = (bytes: Buffer) => archives.refusalOf(away, bytes)

  it('is refused if its manifest or a file was changed after signing', async () => {
    const { files } = await archives.unpack(zip)
    const manifest = JSON.parse(String(files.get('manifest.json')))
    const other = new Map(files).set(
      'manifest.json',
      Buffer.from(JSON.stringify({ ...manifest, generator: 'x' })),
    )
    expect(await refusalOf(await archives.pack(other))).toMatchObject({
      code: 'damaged',
      items: [{ kind: 'signature', what: 'signature.json' }],
    })
    const app = new Map(files).set('app.json', Buffer.from('{}'))
    expect((await refusalOf(await archives.pack(app))).items).toEqual(
      expect.arrayContaining([{ kind: 'size', what: 'app.json' }]),
    )
  })

  it.each<[string, (files: ArchiveFiles, manifest: AppManifest) => void, object]>([
    [
      'an invalid schema',
      (files) =>
        files.set(
          'app.json',
          inside(String(files.get('app.json')), (app: { models: { fields: { type: string }[] }[] }) => {
            const field = app.models[0]?.fields[0]
            if (field) field.type = 'NOTHING'
          }),
        ),
      { code: 'damaged', items: [{ kind: 'schema', what: 'models.0.fields.0.type: NonExistentFieldType' }] },
    ],
    [
      'a prototype key in a document',
      (files) => {
        const text = String(files.get('documents/person.ndjson'))
        files.set(
          'documents/person.ndjson',
          Buffer.from(text.replace('"current":{', '"current":{"\\u005f_proto__":{"x":1},')),
        )
      },
      {
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'line', what: 'documents/person.ndjson @0' }]),
      },
    ],
    [
      'a text that PostgreSQL cannot store',
      (files) => {
        const text = String(files.get('documents/person.ndjson'))
        files.set(
          'documents/person.ndjson',
          Buffer.from(text.replace('"current":{', '"current":{"x":"\\u0000",')),
        )
      },
      {
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'line', what: 'documents/person.ndjson @0' }]),
      },
    ],
    [
      'values of unknown fields',
      (files) => {
        const text = String(files.get('documents/place.ndjson'))
        files.set('documents/place.ndjson', Buffer.from(text.replace('"name":', '"other":')))
      },
      {
        code: 'damaged',
        items: [{ kind: 'model', what: expect.stringMatching(/^place\/[0-9a-f]{24}: other$/) }],
      },
    ],
    [
      'a repeated document',
      (files) => {
        const text = String(files.get('documents/place.ndjson'))
        files.set('documents/place.ndjson', Buffer.from(text + text))
      },
      {
        code: 'damaged',
        items: [{ kind: 'line', what: expect.stringMatching(/^documents\/place\.ndjson @\d+$/) }],
      },
    ],
    [
      'a file that is not in the manifest',
      (files) => files.set('documents/more.ndjson', Buffer.from('')),
      { code: 'damaged', items: [{ kind: 'extra', what: 'documents/more.ndjson' }] },
    ],
    [
      'counts that differ from the number of lines',
      (_files, { models: [first], counts }) => {
        if (first) first.documents.count += 5
        counts.documents = Number.MAX_SAFE_INTEGER
        counts.assets.bytes -= 1
      },
      {
        code: 'damaged',
        count: 3,
        items: [
          { kind: 'count', what: 'documents/person.ndjson: 1 ≠ 6' },
          { kind: 'count', what: expect.stringMatching(/^counts\.assets\.bytes: \d+ ≠ \d+$/) },
          { kind: 'count', what: 'counts.documents: 9007199254740991 ≠ 7' },
        ],
      },
    ],
    [
      'models whose files are exchanged',
      (_files, { models: [person, place] }) => {
        if (person && place) [person.documents, place.documents] = [place.documents, person.documents]
      },
      {
        code: 'damaged',
        items: [
          { kind: 'manifest', what: 'models: person → documents/place.ndjson' },
          { kind: 'manifest', what: 'models: place → documents/person.ndjson' },
        ],
      },
    ],
    [
      'an asset with replaced content',
      (files) => {
        const [path = ''] = [...files.keys()].filter((name) => name.startsWith('assets/'))
        files.set(path, Buffer.from('another'))
      },
      { code: 'damaged', items: expect.arrayContaining([expect.objectContaining({ kind: 'asset' })]) },
    ],
    [
      'a path in the manifest that leaves the archive',
      (_files, { models: [first] }) => {
        if (first) first.documents.path = '../../etc/passwd'
      },
      { code: 'notAnArchive' },
    ],
    [
      'a prototype key in the schema',
      (files) => {
        const path = 'app.json'
        const text = String(files.get(path))
        files.set(path, Buffer.from(text.replace('"settings":', '"settings":{"__proto__":{"x":1}},"other":')))
      },
      { code: 'damaged', items: expect.arrayContaining([{ kind: 'line', what: 'app.json' }]) },
    ],
    [
      'values that are nested too deeply',
      (files) => {
        const text = String(files.get('documents/place.ndjson'))
        const deep = '['.repeat(10_000) + ']'.repeat(10_000)
        files.set('documents/place.ndjson', Buffer.from(text.replace('"name":', `"name":${deep},"name":`)))
      },
      {
        code: 'damaged',
        items: expect.arrayContaining([{ kind: 'line', what: 'documents/place.ndjson @0' }]),
      },
    ],
    [
      'a newer format version',
      (_files, manifest) => Object.assign(manifest, { formatVersion: 3 }),
      { code: 'newerFormat' },
    ],
    [
      'an invalid manifest',
      (_files, manifest) => Object.assign(manifest, { counts: null }),
      { code: 'notAnArchive' },
    ],
  ])('is refused if it contains %s', async (_name, change, expected) => {
    const bytes = await archives.changed(zip, change)
    expect(await refusalOf(bytes)).toMatchObject(expected)
  })

  it.each([
    ['a path out of the folder', '../../'],
    ['an absolute path', '/tmp//'],
    ['a path on a drive', 'C:/aa/'],
    ['a path out of the folder with backslashes', '..\\..\\'],
  ])('is refused if a name in the zip is %s', async (_name, leads) => {
    const bytes = await archives.changed(zip, (files) => files.set('aa/aa/evil.json', Buffer.from('{}')))
    // Zip writers do not write such names, so they are patched in.
    for (let at = bytes.indexOf('aa/aa/'); at >= 0; at = bytes.indexOf('aa/aa/', at)) bytes.write(leads, at)
    const what = expect.stringContaining('evil.json')
    expect(await refusalOf(bytes)).toEqual({
      code: 'unsafeNames',
      items: [{ kind: 'leadsOut', what }],
      count: 1,
    })
  })

  it('is refused if it contains a link, a named pipe or an encrypted file', async () => {
    const { files, manifest } = await archives.unpack(zip)
    const entries = [...files.keys()]
    const at = entries.indexOf('app.json')
    const link = await archives.pack(files)
    for (const [mode, expected] of [
      [0o120777, { kind: 'lost', what: 'app.json' }],
      [0o010644, { kind: 'lost', what: 'app.json' }],
    ] as const) {
      link.writeUInt32LE((mode << 16) >>> 0, directoryEntry(link, at) + 38)
      expect(await refusalOf(link)).toMatchObject({
        code: 'damaged',
        items: expect.arrayContaining([expected]),
      })
    }
    const locked = await archives.pack(files)
    const entry = directoryEntry(locked, at)
    locked.writeUInt16LE(locked.readUInt16LE(entry + 8) | 1, entry + 8)
    expect((await refusalOf(locked)).items).toEqual(
      expect.arrayContaining([{ kind: 'lost', what: 'app.json' }]),
    )
    expect(manifest.files.length).toBeGreaterThan(0)
  })

  it('is refused if its end is missing or a part of it is overwritten', async () => {
    for (const part of [zip.subarray(0, -1), zip.subarray(0, zip.length / 2), zip.subarray(0, 4)])
      expect(await refusalOf(Buffer.from(part))).toMatchObject({ code: 'cutShort' })
    const torn = Buffer.from(zip)
    const path = 'documents/article.ndjson'
    const at = torn.indexOf(path) + path.length
    torn.fill(0, at + 100, at + 200)
    expect(await refusalOf(torn)).toMatchObject({
      code: 'damaged',
      items: expect.arrayContaining([expect.objectContaining({ what: path })]),
    })
  })

  it('is refused if its manifest states an unrealistic unpacked size', async () => {
    const bytes = await archives.changed(zip, () => {})
    const { files } = await archives.unpack(bytes)
    const lying = inside(String(files.get('manifest.json')), (manifest: AppManifest) => {
      for (const file of manifest.files) file.bytes = 1e15
    })
    expect(await refusalOf(await archives.pack(new Map(files).set('manifest.json', lying)))).toEqual({
      code: 'tooLarge',
      items: [],
      count: 0,
    })
  })

  it('is refused if its manifest or a list in `app.json` has millions of empty objects or lists', async () => {
    const { files } = await archives.unpack(zip)
    const flood = `{"format":"imori-archive","formatVersion":2,"files":[${'{},'.repeat(3_000_000)}{}]}`
    const manifest = new Map(files).set('manifest.json', Buffer.from(flood))
    expect(await refusalOf(await archives.pack(manifest))).toMatchObject({ code: 'notAnArchive' })
    const app = await archives.changed(zip, (changed) =>
      changed.set('app.json', Buffer.from(`{"models":[${'[],'.repeat(3_000_000)}[]]}`)),
    )
    expect(await refusalOf(app)).toMatchObject({
      code: 'damaged',
      items: expect.arrayContaining([{ kind: 'line', what: 'app.json' }]),
    })
  })

  it('is refused for revisions that are repeated, have no values or belong to unknown documents', async () => {
    const past = await archives.exported(whole, { revisions: true })
    const path = 'revisions/place.ndjson'
    const refused = async (from: string | RegExp, to: string) =>
      refusalOf(
        await archives.changed(past, (files) =>
          files.set(path, Buffer.from(String(files.get(path)).replace(from, to))),
        ),
      )
    const [line] = String((await archives.unpack(past)).files.get(path)).split('\n')
    const { _id, version } = JSON.parse(line ?? '')
    expect((await refused(_id, 'f'.repeat(24))).items).toEqual([
      { kind: 'reference', what: `${path}: ${'f'.repeat(24)} ${version}` },
    ])
    expect((await refused('"is":["current","published"]', '"is":[]')).items).toEqual([
      { kind: 'line', what: `${path}: ${_id} ${version}` },
    ])
    expect((await refused(/$/, `${line}\n`)).items).toEqual(
      expect.arrayContaining([
        { kind: 'line', what: expect.stringMatching(/^revisions\/place\.ndjson @\d+$/) },
      ]),
    )
  })

  it('is imported without the scripts in its texts', async () => {
    const bytes = await archives.changed(zip, (files) => {
      const path = 'documents/article.ndjson'
      const text = String(files.get(path)).replaceAll(
        '<p>文と',
        '<p onclick=\\"evil()\\"><script>evil()</script>文と',
      )
      files.set(path, Buffer.from(text))
    })
    const id = await archives.upload(away, bytes)
    const { client } = admin
    expect((await archives.getMove(away, id)).source.signature).toEqual({ state: 'none', key: null })
    ok(await client.post(`${away.url}/move/${id}/start`))
    await runWaiting(installation, importMoveJob)
    const docs = `${away.url}/app/${whole.uid}/model/article/doc`
    const { document } = ok(await client.get(`${docs}/${whole.documents.published}`))
    expect(document.body).toContain('文と')
    expect(JSON.stringify(document)).not.toContain('evil')
    ok(await client.post(`${away.url}/move/${id}/undo`))
    await runWaiting(installation, undoMoveJob)
  })

  it('with invisible names is imported with visible names', async () => {
    // Replaces all names in the archive: names of parts, titles of files and authors of revisions.
    const nothing = ['\u3164', '\u0301\u0301', ' ', '\u200b']
    let given = 0
    const unnamed = (value: object): unknown =>
      JSON.parse(JSON.stringify(value), (key, inner) =>
        typeof inner === 'string' && ['name', 'title', 'tab'].includes(key)
          ? nothing[given++ % nothing.length]
          : inner,
      )
    const author = () => ({ name: nothing[given++ % nothing.length], email: 'gone@example.com' })
    const eachLine = (file: Buffer | undefined, change: (line: object) => unknown) =>
      Buffer.from(String(file).replace(/.+/g, (line) => JSON.stringify(change(JSON.parse(line)))))
    const bytes = await archives.changed(await archives.exported(whole, { revisions: true }), (files) => {
      files.set('app.json', Buffer.from(JSON.stringify(unnamed(JSON.parse(String(files.get('app.json')))))))
      files.set('assets.ndjson', eachLine(files.get('assets.ndjson'), unnamed))
      for (const [path, file] of files)
        if (path.startsWith('revisions/'))
          files.set(
            path,
            eachLine(file, (revision) => ({ ...revision, createdBy: author() })),
          )
    })
    expect(given).toBeGreaterThan(40)
    const { client } = admin
    const id = await archives.upload(away, bytes)
    const url = `${away.url}/move/${id}`
    const { plan } = ok(await client.get(`${url}/plan`))
    expect(unseen(plan)).toEqual([])
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({ state: 'imported', report: { problems: [] } })
    const app = `${away.url}/app/${whole.uid}`
    const parts = [app, ...['model', 'customFieldType', 'appView', 'role'].map((part) => `${app}/${part}`)]
    for (const part of parts) expect([part, unseen(ok(await client.get(part)))]).toEqual([part, []])
    const { rows } = await installation.database.pool.query(
      "SELECT DISTINCT author->>'name' AS name FROM revision WHERE author->>'email' = 'gone@example.com'",
    )
    expect(rows).toEqual([{ name: 'gone@example.com' }])
    ok(await client.post(`${url}/undo`))
    await runWaiting(installation, undoMoveJob)
  })

  it('is refused at the start if a view names an unknown column, and nothing is created', async () => {
    const bytes = await archives.changed(zip, (files) =>
      files.set(
        'app.json',
        inside(String(files.get('app.json')), (app: { views: { settings: object }[] }) => {
          const [view] = app.views
          if (view) view.settings = { columns: [{ id: 'nothing' }] }
        }),
      ),
    )
    const id = await archives.upload(away, bytes)
    const before = await archives.countAll()
    const refused = await admin.client.post(`${away.url}/move/${id}/start`)
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'views.0.settings.columns.0.id', code: 'UnknownField' })],
    ])
    expect(await archives.countAll()).toEqual(before)
    ok(await admin.client.delete(`${away.url}/move/${id}`))
  })
})

/** Returns the paths of names without visible characters. Built-in roles have no name. */
function unseen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}.${key}`
    const isName = ['name', 'tab'].includes(key) && typeof inner === 'string'
    return isName ? (nameProblem(inner) ? [at] : []) : unseen(inner, at)
  })
}

/** Returns the offset of this entry in a zip's central directory. */
function directoryEntry(zip: Buffer, number: number): number {
  let at = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
  for (let passed = 0; passed < number; passed++)
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  return at
}

describe('a full disk', () => {
  it('stops an import, and a retry completes the import without duplicates or losses', async () => {
    const zip = await archives.exported(whole)
    const { client } = admin
    const id = await archives.upload(away, zip)
    const url = `${away.url}/move/${id}`
    ok(await client.post(`${url}/start`))
    const { storage } = installation.deps.services.config
    const reserve = storage.diskReserve
    storage.diskReserve = Number.MAX_SAFE_INTEGER
    await runOut(id)
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'importing',
      stopped: { code: 'StorageFull' },
    })
    storage.diskReserve = reserve

    // The database's disk is full while documents are imported.
    const { pool } = installation.database
    await pool.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`)
    await pool.query(
      `CREATE TRIGGER full_disk BEFORE UPDATE ON carry_model FOR EACH ROW WHEN (NEW.model = 'article') EXECUTE FUNCTION full_disk()`,
    )
    ok(await client.post(`${url}/retry`))
    await runOut(id)
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'importing',
      stopped: { code: 'StorageFull' },
    })
    await pool.query('DROP TRIGGER full_disk ON carry_model')
    await pool.query('DROP FUNCTION full_disk()')

    ok(await client.post(`${url}/retry`))
    await runWaiting(installation, importMoveJob)
    expect(await archives.getMove(away, id)).toMatchObject({
      state: 'imported',
      stopped: null,
      report: { documents: 7, assets: 2, problems: [] },
    })
    const before = comparable(await archives.unpack(zip))
    expect(
      comparable(await archives.unpack(await archives.exported({ url: `${away.url}/app/${whole.uid}` }))),
    ).toEqual(before)
  })

  /** Runs the import until no retry is left. */
  async function runOut(id: string): Promise<void> {
    do await runWaiting(installation, importMoveJob)
    while ((await archives.getMove(away, id)).job !== null)
  }
})
