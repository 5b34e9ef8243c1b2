/** @module-tag full */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppManifest } from '#archive/app-format.ts'
import { openArchive } from '#archive/source.ts'
import { spaceScope } from '#server/db/scope.ts'
import { WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-errors.ts'
import { openArchives } from '#test/app-archives.ts'
import { createApp, createModel, createSpace } from '#test/factories.ts'
import { shortestHold } from '#test/loop-delay.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { zipped } from '#test/source-fixtures.ts'
import { planChecked } from './check/check-archive.ts'
import { importMoveJob } from './moves.jobs.ts'

/* Archives and exports at their limits do not block the event loop. */

type Files = Map<string, Buffer>

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
let ofApp: Buffer
let ofContents: Buffer

beforeAll(async () => {
  installation = await startInstallation()
  archives = await openArchives(installation)
  const { client } = archives.admin
  const home = await createSpace(client)
  const app = await createApp(client, home)
  const model = await createModel(client, app, 'text', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'tags', name: '札', type: 'TEXT', multiple: true },
  ])
  ok(await client.post(`${model.url}/doc`, { document: { title: 'あ', tags: ['い'] } }))
  ofApp = await archives.exported(app)
  ofContents = await rescuedFrom(await picturedSpace())
})
afterAll(async () => {
  await archives?.remove()
  await installation?.close()
})

/** Returns the archive with changed files. `told` rewrites the text of the manifest. */
async function changed(
  zip: Buffer,
  change: (files: Files, manifest: AppManifest) => void,
  told: (manifest: string) => string = (text) => text,
): Promise<Buffer> {
  const path = archives.nextPath()
  await writeFile(path, zip)
  const source = await openArchive(path)
  const files: Files = new Map()
  for await (const name of source.list()) {
    const chunks: Buffer[] = []
    for await (const chunk of source.read(name, 1e9)) chunks.push(chunk)
    files.set(name, Buffer.concat(chunks))
  }
  source.close()
  const manifest = JSON.parse(String(files.get('manifest.json')))
  files.delete('manifest.json')
  files.delete('signature.json')
  change(files, manifest)
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  manifest.files = [...files].map(([name, bytes]) => ({
    path: name,
    bytes: bytes.length,
    sha256: sha256(bytes),
  }))
  const text = told(JSON.stringify(manifest))
  return zipped(new Map([['manifest.json', Buffer.from(text)], ...files]))
}

const within = (text: string, inserted: string) => `{${inserted}${text.slice(1)}`
const spaces = (megabytes: number) => ' '.repeat(megabytes * 1_000_000)
const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(',')

interface Limit {
  name: string
  bytes(): Promise<Buffer>
  refused?: string
}

/** Returns the archive with one document that has a list of `count` values. */
const withTags = (count: number) =>
  changed(ofApp, (files) => {
    const line = JSON.parse(String(files.get('documents/text.ndjson')))
    line.current.tags = Array.from({ length: count }, (_, index) => `\u0001${index}`)
    files.set('documents/text.ndjson', Buffer.from(`${JSON.stringify(line)}\n`))
  })

const models = (count: number, fields: number) =>
  changed(ofApp, (files, manifest) => {
    const app = JSON.parse(String(files.get('app.json')))
    for (let index = 0; index < count; index++) {
      const uid = `m${index}`
      const of = Array.from({ length: fields }, (_, at) => ({
        uid: `f${at}`,
        name: `${at}`,
        type: 'TEXT',
        description: '',
      }))
      app.models.push({ ...app.models[0], uid, titleField: 'f0', fields: of })
      manifest.models.push({ uid, documents: { count: 0, path: `documents/${uid}.ndjson` } })
      files.set(`documents/${uid}.ndjson`, Buffer.alloc(0))
    }
    files.set('app.json', Buffer.from(JSON.stringify(app)))
  })

const contents = (values: string) => async () => Buffer.from(`[{"title":"a",${values}}]`)

const limits: Limit[] = [
  {
    name: 'a manifest with 60 MB of spaces',
    bytes: () =>
      changed(
        ofApp,
        () => {},
        (text) => within(text, spaces(60)),
      ),
    refused: 'notAnArchive',
  },
  {
    name: 'a manifest with a million objects',
    bytes: () =>
      changed(
        ofContents,
        () => {},
        (text) => within(text, `"more":[${times(1_000_000, () => '{}')}],`),
      ),
    refused: 'notAnArchive',
  },
  {
    name: 'a manifest with 2,000 unknown lists',
    bytes: () =>
      changed(
        ofContents,
        () => {},
        (text) => within(text, `"more":[${times(2_000, () => `[${times(500, () => '{}')}]`)}],`),
      ),
  },
  {
    name: 'a manifest with 2,000 lists as files',
    bytes: () =>
      changed(
        ofContents,
        () => {},
        (text) => text.replace('"files":[', `"files":[${times(2_000, () => `[${times(500, () => '{}')}]`)},`),
      ),
    refused: 'notAnArchive',
  },
  {
    name: 'a manifest with 150,000 hosts',
    bytes: () =>
      changed(ofContents, (_, manifest) =>
        Object.assign(manifest, { learntHosts: Array.from({ length: 150_000 }, (_h, index) => `h${index}`) }),
      ),
    refused: 'notAnArchive',
  },
  {
    name: 'an app.json with 60 MB of spaces',
    bytes: () =>
      changed(ofApp, (files) =>
        files.set('app.json', Buffer.from(within(String(files.get('app.json')), spaces(60)))),
      ),
    refused: 'damaged',
  },
  { name: 'an app of 100 models of 100 fields', bytes: () => models(100, 100) },
  { name: 'a document with 80,000 values', bytes: () => withTags(80_000) },
  {
    name: 'a document with 2,000,000 values',
    bytes: () => withTags(2_000_000),
    refused: 'damaged',
  },
  { name: 'contents of 48,000 values', bytes: contents(`"list":[${times(48_000, () => '1')}]`) },
  {
    name: 'contents of 48,000 texts',
    bytes: contents(`"list":[${times(48_000, (index) => `"a ${index}"`)}]`),
  },
  {
    name: 'contents of 48,000 long numbers',
    bytes: contents(`"list":[${times(48_000, () => '1234567890.1234567890')}]`),
  },
  {
    name: 'contents of 6,000 objects',
    bytes: contents(`"list":[${times(6_000, (index) => `{"a":"${index}","b":[1,2,3],"c":null}`)}]`),
  },
  {
    name: 'contents of 196,000 keys',
    bytes: async () =>
      Buffer.from(
        `[${times(40, (at) => `{"title":"a",${times(4_900, (index) => `"k${at}_${index}":"a"`)}}`)}]`,
      ),
    refused: 'tooComplex',
  },
  {
    name: 'contents of 4,900 keys',
    bytes: async () =>
      Buffer.from(`[${times(40, () => `{"title":"a",${times(4_900, (index) => `"k${index}":"a"`)}}`)}]`),
  },
]

async function bring(bytes: Buffer) {
  const { client } = archives.admin
  const space = await createSpace(client)
  const id = await archives.upload(space, bytes)
  const url = `${space.url}/move/${id}`
  const { state, refusal } = await archives.getMove(space, id)
  if (state === 'planned') {
    const { app, models, customTypes, confirmed } = ok(await client.get(`${url}/plan`)).plan
    if (confirmed === false)
      ok(await client.put(`${url}/plan`, { data: { app, models, customTypes, confirmed: true } }))
    ok(await client.post(`${url}/start`))
    await runWaiting(installation, importMoveJob)
  }
  const after = await archives.getMove(space, id)
  expect(after.stopped).toBeNull()
  return { state, refusal, after }
}

it('the check of an update with 45,000 values per content does not block the event loop', async () => {
  const { client } = archives.admin
  const space = await createSpace(client)
  const origin = await archives.upload(space, ofContents)
  ok(await client.post(`${space.url}/move/${origin}/start`))
  await runWaiting(installation, importMoveJob)
  const large = await changed(ofContents, (files) => {
    for (const [name, bytes] of files) {
      if (!name.startsWith('contents/')) continue
      const grown = String(bytes)
        .trimEnd()
        .split('\n')
        .map((line) => within(line, `"grown":[${times(45_000, (index) => `"a ${index}"`)}],`))
      files.set(name, Buffer.from(`${grown.join('\n')}\n`))
    }
  })
  const { result, held } = await shortestHold(async () => {
    const id = await archives.upload(space, large, origin)
    const move = await archives.getMove(space, id)
    ok(await client.delete(`${space.url}/move/${id}`))
    return move
  })
  expect([result.state, result.stopped]).toEqual(['planned', null])
  expect(held).toBeLessThan(1)
})

it('planChecked refuses an archive if its planning exceeds the time or memory limit', async () => {
  const around = {
    fileName: 'blog.zip',
    language: undefined,
    turn: { account: 'test', bytes: 1 },
    signal: new AbortController().signal,
    signature: null,
  }
  const { kysely: db } = installation.database
  const path = archives.nextPath()
  await writeFile(path, ofContents)
  for (const [error, kind] of [
    [new WorkTookTooLong(), 'time'],
    [new WorkTooLarge(), 'memory'],
  ] as const) {
    const runWork = () => Promise.reject(error)
    const planned = planChecked(
      { path },
      { ...around, db, scope: spaceScope(1), onProgress: async () => {}, at: () => {}, runWork },
    )
    await expect(planned).rejects.toMatchObject({
      refusal: { code: 'tooComplex', items: [{ kind, what: 'blog.zip' }], count: 1 },
    })
  }
})

describe('the check and import of a large file', () => {
  it.each(limits)('do not block the event loop: $name', async ({ bytes, refused }) => {
    const zip = await bytes()
    const { result, held, milliseconds } = await shortestHold(
      () => bring(zip),
      process.env.IMORI_TEST_HOLDS ? 1 : undefined,
    )
    if (process.env.IMORI_TEST_HOLDS) process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms\n`)
    expect([result.after.state, result.refusal?.code]).toEqual(
      refused ? ['refused', refused] : ['imported', undefined],
    )
    expect(held).toBeLessThan(1)
  })
})
