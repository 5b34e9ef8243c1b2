import { access, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PoolWorker, WorkerEvents } from '#server/lib/start-process.ts'
import { createWorkerPool } from '#server/lib/worker-pool.ts'
import { maxArchiveBytes } from '#shared/contract/moves.ts'
import { openArchives } from '#test/app-archives.ts'
import { createAccount, createApp, createModel, createSpace, type TestAccount } from '#test/factories.ts'
import { runNow, runQueued, runWaiting } from '#test/run-now.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { archivePath, makeMovesFolder } from './archive/archive-files.ts'
import { uploadWorkBounds } from './check/upload-work.ts'
import { checkMoveJob, cleanUpMovesJob } from './moves.jobs.ts'
import { archiveLimit } from './store/open-move.ts'
import type { Turn } from './store/turn.ts'

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  archives = await openArchives(installation)
  admin = archives.admin
})
afterAll(async () => {
  await archives?.remove()
  await installation?.close()
})

const createMove = ({ client }: TestAccount, space: { url: string }, fileSize: number) =>
  client.post(`${space.url}/move`, { data: { fileName: 'a.zip', fileSize } })
const answered = ({ status, body }: { status: number; body: { code?: string; limit?: object } }) => [
  status,
  body.code,
  body.limit,
]

describe('an account', () => {
  it('may have at most ten archives that wait for their check, over all its spaces', async () => {
    const account = await createAccount(installation)
    const other = await createAccount(installation)
    const spaces = [await createSpace(account.client), await createSpace(account.client)] as const
    const ask = async ({ client }: TestAccount, space: { url: string }) => {
      const app = await createApp(client, space)
      return client.post(`${app.url}/import`, { importUrl: 'https://203.0.113.1/a.zip' })
    }
    for (let n = 0; n < 10; n++) ok(await ask(account, spaces[n % 2 === 0 ? 0 : 1]))
    const limit = { of: 'account', count: 10 }
    for (const space of spaces)
      expect(answered(await ask(account, space))).toEqual([429, 'TooManyMoves', limit])
    ok(await ask(other, await createSpace(other.client)))
  })

  it('may have archives of at most `maxArchiveBytes` in total, over all its spaces', async () => {
    const account = await createAccount(installation)
    const other = await createAccount(installation)
    const [one, two] = [await createSpace(account.client), await createSpace(account.client)]
    const app = await createApp(account.client, two)
    const { move } = ok(await createMove(account, one, maxArchiveBytes))
    const refused = [409, 'TooManyArchives', { of: 'account', ...archiveLimit }]
    expect(answered(await createMove(account, two, 1))).toEqual(refused)
    const data = { fileName: 'a.zip', fileSize: 1 }
    expect(answered(await account.client.post(`${app.url}/import:upload`, { data }))).toEqual(refused)
    const file = formOf({ name: 'a.zip', type: 'application/zip', bytes: 'a' })
    expect(answered(await account.client.post(`${app.url}/planImport`, file))).toEqual(refused)
    expect(
      answered(await account.client.post(`${app.url}/import`, { importUrl: 'https://203.0.113.1/a.zip' })),
    ).toEqual(refused)
    ok(await createMove(other, await createSpace(other.client), maxArchiveBytes))

    ok(await account.client.delete(`${one.url}/move/${move._id}`))
    ok(await createMove(account, two, 1))
    ok(await account.client.post(`${app.url}/import:upload`, { data }))
  })

  it('is not limited by an expired upload, and can continue that upload only within the limits', async () => {
    const account = await createAccount(installation)
    const [one, two] = [await createSpace(account.client), await createSpace(account.client)]
    const { move } = ok(await createMove(account, one, maxArchiveBytes))
    const url = `${one.url}/move/${move._id}/signedUrl`
    ok(await account.client.get(url))
    await installation.database.pool.query('UPDATE move SET upload_until = now() WHERE id = $1', [move._id])
    const next = ok(await createMove(account, two, 1)).move
    expect((await account.client.get(url)).body.code).toBe('TooManyArchives')
    ok(await account.client.delete(`${two.url}/move/${next._id}`))
    ok(await account.client.get(url))
    expect((await createMove(account, two, 1)).body.code).toBe('TooManyArchives')
  })

  it('may have at most a hundred archives', async () => {
    const account = await createAccount(installation)
    const space = await createSpace(account.client)
    const { move } = ok(await createMove(account, space, 1))
    await installation.database.pool.query(
      `INSERT INTO move (space_id, id, state, file_name, file_size, created_by)
        SELECT space_id, lpad(to_hex(n), 24, '0'), 'planned', 'a.zip', 1, created_by
        FROM move, generate_series(1, 99) AS n WHERE id = $1`,
      [move._id],
    )
    expect((await createMove(account, await createSpace(account.client), 1)).body.code).toBe(
      'TooManyArchives',
    )
  })
})

describe('a refused archive', () => {
  const pathOf = async (id: string) => {
    const { rows } = await installation.database.pool.query('SELECT space_id FROM move WHERE id = $1', [id])
    return archivePath(installation.deps.services.config.dataDir, rows[0].space_id, id)
  }
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )

  it('is deleted by its check', async () => {
    const space = await createSpace(admin.client)
    const id = await archives.upload(space, Buffer.from('junk'))
    expect((await archives.getMove(space, id)).state).toBe('refused')
    expect(await isThere(await pathOf(id))).toBe(false)
  })

  it('is deleted by a repeated check, and by the clean-up job, if its file still exists', async () => {
    const space = await createSpace(admin.client)
    const id = await archives.upload(space, Buffer.from('junk'))
    const path = await pathOf(id)
    const { rows } = await installation.database.pool.query('SELECT job_id FROM move WHERE id = $1', [id])
    await writeFile(path, 'junk')
    await installation.database.pool.query(`UPDATE job SET state = 'waiting' WHERE id = $1`, [rows[0].job_id])
    await runQueued(installation, checkMoveJob, rows[0].job_id)
    expect(await isThere(path)).toBe(false)
    await writeFile(path, 'junk')
    expect(await runNow(installation, cleanUpMovesJob)).toBe('done')
    expect(await isThere(path)).toBe(false)
  })

  it('leaves no file if `planImport` refuses it with TooManyArchives', async () => {
    const { client, ...account } = await createAccount(installation)
    const space = await createSpace(client)
    const app = await createApp(client, space)
    ok(await createMove({ client, ...account }, space, maxArchiveBytes - 1))
    await makeMovesFolder(installation.deps.services.config.dataDir)
    const folder = join(installation.deps.services.config.dataDir, 'moves')
    const before = await readdir(folder)
    const file = formOf({ name: 'a.zip', type: 'application/zip', bytes: 'two' })
    expect((await client.post(`${app.url}/planImport`, file)).body.code).toBe('TooManyArchives')
    expect(await readdir(folder)).toEqual(before)
  })
})

describe('an archive whose manifest lacks the document count of a model', () => {
  it('is refused, both as a new app and as an import into an app', async () => {
    const space = await createSpace(admin.client)
    const app = await createApp(admin.client, space)
    await createModel(admin.client, app)
    const { files, manifest } = await archives.unpack(await archives.exported(app))
    const uncounted = structuredClone(manifest) as { models: { documents: { count?: number } }[] }
    delete uncounted.models[0]?.documents.count
    files.set('manifest.json', Buffer.from(JSON.stringify(uncounted)))
    const zip = await archives.pack(files)

    const id = await archives.upload(space, zip)
    const form = formOf({ name: 'app.zip', type: 'application/zip', bytes: zip })
    const { move } = ok(await admin.client.post(`${app.url}/planImport`, form))
    await runWaiting(installation, checkMoveJob)
    const url = `${app.url}/import/${move._id}`
    for (const found of [await archives.getMove(space, id), ok(await admin.client.get(url)).move])
      expect([found.state, found.refusal?.code, found.stopped, found.job]).toEqual([
        'refused',
        'notAnArchive',
        null,
        null,
      ])
  })
})

it('the pool of upload processes reads one file per account at a time, and small waiting files first', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const pool = createWorkerPool<{ name: string; turn: Turn }, string>({
    ...uploadWorkBounds,
    entry: new URL('file:///none'),
    start(_entry, events: WorkerEvents<string>): PoolWorker<{ name: string }> {
      return {
        send({ name }) {
          begun.push(name)
          ends.push(() => events.outcome({ result: name }))
        },
        hold() {},
        end() {},
      }
    },
  })
  const large = 5_000_000
  const add = (name: string, account: string, bytes: number) => pool.run({ name, turn: { account, bytes } })
  const all = ['a1', 'a2', 'a3'].map((name) => add(name, 'a', large))
  expect(begun).toEqual(['a1'])
  all.push(add('b', 'b', large), add('c', 'c', large), add('a4', 'a', 10), add('d', 'd', 10))
  expect(begun).toEqual(['a1', 'b'])
  for (let at = 0; at < all.length; at++) {
    ends[at]?.()
    await Promise.resolve()
  }
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'b', 'a4', 'd', 'a2', 'c', 'a3'])
})
