import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { AppManifest } from '#archive/app-format.ts'
import { readAnyManifest } from '#archive/manifest.ts'
import { openArchive } from '#archive/source.ts'
import type { SpaceManifest } from '#archive/space-format.ts'
import { packZip } from '#archive/zip.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { writeExportJob } from '#server/features/app-exports/app-exports.jobs.ts'
import { checkMoveJob } from '#server/features/moves/moves.jobs.ts'
import { createAccount, createApp, createSpace } from './factories.ts'
import { runWaiting } from './run-now.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'
import { createWholeApp } from './whole-app.ts'

export type ArchiveFiles = Map<string, Buffer>
type Space = { url: string }
type Archived = AppManifest | SpaceManifest

/**
 * Opens a port for the installation, and creates an account for exports and imports. Returns helpers that export,
 * change and upload archives.
 */
export async function openArchives(installation: TestInstallation) {
  const admin = await createAccount(installation)
  const folder = await temporaryFolder()
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  const origin = `http://127.0.0.1:${(installation.server.server.address() as AddressInfo).port}`
  const { client } = admin
  let counter = 0
  const nextPath = () => join(folder.path, `${++counter}.zip`)

  /** Exports an app, or a whole space. Returns the downloaded file. */
  async function exported(app: { url: string }, data: object = {}): Promise<Buffer> {
    const started = ok(await client.post(`${app.url}/export`, { data }))
    expect(started).toMatchObject({ export: { state: 'writing', stopped: null }, downloadUrl: null })
    // A second request during the export returns the same export.
    expect(ok(await client.post(`${app.url}/export`, { data })).export._id).toBe(started.export._id)
    await runWaiting(installation, writeExportJob)
    const { export: found, downloadUrl } = ok(await client.get(`${app.url}/export`))
    expect(found).toMatchObject({ state: 'ready', stopped: null, missing: 0 })
    const { status, headers, bytes } = await client.get(downloadUrl)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/zip')
    expect(headers['content-disposition']).toContain(found.fileName)
    expect(bytes.length).toBe(found.fileSize)
    return bytes
  }

  /** Returns the files of a zip by path, and the parsed manifest of an app or a space. */
  async function unpack<M extends Archived = AppManifest>(
    zip: Buffer,
  ): Promise<{ path: string; files: ArchiveFiles; manifest: M }> {
    const path = nextPath()
    await writeFile(path, zip)
    const source = await openArchive(path)
    const read = await readAnyManifest(source, path)
    if (read.version !== 2) throw new Error('not the archive of an app')
    const files: ArchiveFiles = new Map()
    for await (const name of source.list()) {
      const chunks: Buffer[] = []
      for await (const chunk of source.read(name, 1e9)) chunks.push(chunk)
      files.set(name, Buffer.concat(chunks))
    }
    source.close()
    return { path, files, manifest: read.manifest as M }
  }

  async function pack(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
    const path = nextPath()
    await packZip(
      [...files].map(([name, bytes]) => ({ path: name, bytes: bytes.length })),
      (name) => Readable.from([files.get(name) ?? Buffer.alloc(0)]),
      path,
    )
    return readFile(path)
  }

  /** Returns the archive with changed files and a matching, unsigned manifest. */
  async function changed<M extends Archived = AppManifest>(
    zip: Buffer,
    change: (files: ArchiveFiles, manifest: M) => void,
  ): Promise<Buffer> {
    const { files, manifest } = await unpack<M>(zip)
    change(files, manifest)
    files.delete('signature.json')
    files.delete('manifest.json')
    manifest.files = [...files]
      .map(([path, bytes]) => ({
        path,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
    return pack(new Map([['manifest.json', Buffer.from(JSON.stringify(manifest))], ...files]))
  }

  /** Uploads an archive and has it checked. `updates`: the move whose app the archive updates. */
  async function upload(space: Space, bytes: Buffer, updates?: string): Promise<string> {
    const data = { fileName: 'app.zip', fileSize: bytes.length, ...(updates ? { updates } : {}) }
    const { move } = ok(await client.post(`${space.url}/move`, { data }))
    const { url } = ok(await client.get(`${space.url}/move/${move._id}/signedUrl`))
    const headers = { 'content-type': 'application/zip' }
    const put = await fetch(origin + url, { method: 'PUT', headers, body: new Uint8Array(bytes) })
    expect(put.status).toBe(204)
    ok(await client.post(`${space.url}/move/${move._id}/signedUrl`))
    await runWaiting(installation, checkMoveJob)
    return move._id
  }

  /** Uploads an archive, expects its refusal without new apps, documents or assets, and returns the refusal. */
  async function refusalOf(space: Space, bytes: Buffer) {
    const before = await countAll()
    const id = await upload(space, bytes)
    const { state, refusal } = await getMove(space, id)
    expect(state).toBe('refused')
    ok(await client.delete(`${space.url}/move/${id}`))
    expect(await countAll()).toEqual(before)
    return refusal
  }

  /** Counts the apps, documents and assets, because an import creates these. */
  const countAll = async () => {
    const { rows } = await installation.database.pool.query(
      'SELECT (SELECT count(*)::int FROM app) AS apps, (SELECT count(*)::int FROM document) AS documents, (SELECT count(*)::int FROM asset) AS assets',
    )
    return rows[0]
  }

  const getMove = async (space: Space, id: string) => ok(await client.get(`${space.url}/move/${id}`)).move

  const files = { nextPath, unpack, pack, changed }
  const moves = { exported, upload, getMove, refusalOf, countAll }
  return { admin, origin, ...files, ...moves, remove: folder.remove }
}

/** Starts an installation with an app that has every feature, and a space to import it into. */
export async function startCarrying(env: Record<string, string> = {}) {
  const installation = await startInstallation({ IMORI_URL: 'https://cms.example.com', ...env })
  const archives = await openArchives(installation)
  const { admin } = archives
  const home = await createSpace(admin.client)
  const away = await createSpace(admin.client)
  const whole = await createWholeApp(installation, admin.client, home)
  const end = async () => {
    await archives.remove()
    await installation.close()
  }
  return { installation, archives, admin, home, away, whole, end }
}
export type Carrying = Awaited<ReturnType<typeof startCarrying>>

/** Creates another app in the space `home`. A document of this app references a file of the first app. */
export async function createNeighbour({
  admin: { client },
  home,
  whole,
}: Pick<Carrying, 'admin' | 'home' | 'whole'>) {
  const app = await createApp(client, home)
  const fields = [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'image', name: '画像', type: 'IMAGE' },
  ]
  ok(await client.post(`${app.url}/model`, { data: { uid: 'article', name: '記事', fields } }))
  const document = { title: 'もう一つのApp', image: whole.assets[0] }
  ok(await client.post(`${app.url}/model/article/doc`, { document, type: 'PUBLISH' }))
  return app
}

/** Returns the files of an archive by path, without the manifest and the signature, which differ between exports. */
export const comparable = ({ files }: { files: ArchiveFiles }): Record<string, string> =>
  Object.fromEntries(
    [...files]
      .filter(([path]) => path !== 'manifest.json' && path !== 'signature.json')
      .map(([path, bytes]) => [path, bytes.toString('latin1')]),
  )

export const inside = (text: string, change: (value: never) => void): Buffer => {
  const parsed = JSON.parse(text)
  change(parsed as never)
  return Buffer.from(JSON.stringify(parsed))
}
