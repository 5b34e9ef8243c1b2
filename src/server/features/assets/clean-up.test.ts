import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { runNow } from '#test/run-now.ts'
import { formOf, ok, startInstallation, type TestInstallation, testSecrets } from '#test/server.ts'
import { keysBelow } from '#test/storage-suite.ts'
import { cleanUpAssetsJob } from './assets.jobs.ts'
import { incomingFolder } from './incoming.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let dataDir: string
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  dataDir = installation.deps.services.config.dataDir
})
afterAll(() => installation?.close())

async function upload(bytes: string): Promise<string> {
  const form = formOf({ name: 'a.txt', type: 'text/plain', bytes })
  return ok(await admin.client.post(`${space.url}/assets`, form)).results[0].asset._id
}
const replace = (id: string, bytes: string) =>
  admin.client.put(`${space.url}/assets/${id}:refresh`, formOf({ name: 'a.txt', type: 'text/plain', bytes }))
const keys = () => keysBelow(installation.deps.services.storages.local, '')
const blobs = () => installation.database.kysely.selectFrom('asset_blob').selectAll().execute()
const cleanUp = async () => expect(await runNow(installation, cleanUpAssetsJob)).toBe('done')
const age = (table: 'asset' | 'asset_blob', column: string, days: number) =>
  sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${sql.ref(column)} - make_interval(days => ${days})`.execute(
    installation.database.kysely,
  )

describe('the content of an asset', () => {
  it('is kept while an asset refers to it, and for a day after the last upload', async () => {
    const asset = await upload('first')
    ok(await replace(asset, 'second'))
    await age('asset_blob', 'touched_at', 2)
    await cleanUp()
    expect(await keys()).toHaveLength(2)
    // The record of a replaced file is deleted after 30 days.
    await age('asset', 'previous_at', 31)
    await cleanUp()
    expect(await keys()).toHaveLength(1)
    expect(
      (await admin.client.patch(`${space.url}/assets/${asset}:refresh`, { data: { restore: true } })).status,
    ).toBe(404)

    const other = await upload('second')
    for (const id of [asset, other]) ok(await admin.client.delete(`${space.url}/asset/${id}`))
    await age('asset', 'deleted_at', 31)
    await cleanUp()
    expect(await keys(), 'asked for within the day').toHaveLength(1)
    const gone = await admin.client.post(`${space.url}/assets/bulkRestore`, { assetIds: [asset] })
    expect(ok(gone).results[0].code).toBe('NotFound')
    await age('asset_blob', 'touched_at', 2)
    await cleanUp()
    expect([await keys(), await blobs()]).toEqual([[], []])
  })

  it('is stored under another key if it is uploaded again during its removal', async () => {
    const asset = await upload('comes back')
    ok(await admin.client.delete(`${space.url}/asset/${asset}`))
    await age('asset', 'deleted_at', 31)
    await age('asset_blob', 'touched_at', 2)
    // The state between the mark and the removal of the bytes.
    await sql`UPDATE asset_blob SET doomed_at = now()`.execute(installation.database.kysely)
    const again = await upload('comes back')
    expect(await keys()).toHaveLength(2)
    await cleanUp()
    expect(await keys()).toHaveLength(1)
    expect((await admin.client.get(`${space.url}/assets/${again}/getBlob`)).text).toBe('comes back')
    ok(await admin.client.delete(`${space.url}/asset/${again}`))
  })
})

/** Starts the server in a separate process, with the same database and data folder. */
async function startServer() {
  const { database } = installation
  const { options } = database.pool
  const { host, port, user, password, connectionString } = options
  const connection = connectionString ?? { host, port, user, password, database: options.database }
  const entry = fileURLToPath(new URL('../../../../bench/delivery-server.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', entry, JSON.stringify(connection), testSecrets.sessionKey, dataDir],
    { env: { ...process.env, IMORI_DATA: dataDir }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(child.stdout, 'data')
  const exit = once(child, 'exit')
  return {
    port: Number(String(line)),
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

const megabyte = 1024 * 1024

/** Sends a file of `megabytes` MB. If `until` is less, sends only `until` MB and keeps the request open. */
function send(port: number, megabytes: number, until = megabytes) {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
  const tail = '\r\n--b--\r\n'
  const cookie = [...admin.client.cookies].map((pair) => pair.join('=')).join('; ')
  const sending = request(`http://127.0.0.1:${port}${space.url}/assets`, {
    method: 'POST',
    headers: {
      cookie,
      'x-csrf-token': admin.client.csrfToken ?? '',
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': head.length + megabytes * megabyte + tail.length,
    },
  })
  const answer = new Promise<string>((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
  })
  void (async () => {
    sending.write(head)
    for (let sent = 0; sent < until && !sending.destroyed; sent++)
      if (!sending.write(Buffer.alloc(megabyte, sent))) await once(sending, 'drain').catch(() => {})
    if (until === megabytes) sending.end(tail)
  })()
  return answer
}

describe('a server', () => {
  it('leaves no broken asset if it is killed during an upload, and no bytes after the clean-up', {
    tags: ['full'],
  }, async () => {
    await admin.client.refreshCsrfToken()
    const before = ok(await admin.client.get(`${space.url}/assets`)).total
    const server = await startServer()
    const answer = send(server.port, 8, 4).then(
      () => 'answered',
      () => 'cut off',
    )
    await expect.poll(() => readdir(incomingFolder(dataDir)).catch(() => [])).toHaveLength(1)
    await server.kill()
    expect(await answer).toBe('cut off')
    expect(ok(await admin.client.get(`${space.url}/assets`)).total).toBe(before)
    // A content whose bytes are stored, but which has no row in `asset`.
    const orphan = await upload('orphan')
    await sql`DELETE FROM asset WHERE id = ${orphan}`.execute(installation.database.kysely)
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    for (const name of await readdir(incomingFolder(dataDir)))
      await utimes(join(incomingFolder(dataDir), name), yesterday, yesterday)
    await age('asset', 'deleted_at', 31)
    await age('asset_blob', 'touched_at', 2)
    await cleanUp()
    expect(await readdir(incomingFolder(dataDir))).toEqual([])
    expect([await keys(), await blobs()]).toEqual([[], []])
  })

  it('receives ten concurrent files of 20 MB with less than 50 MB of additional memory', {
    tags: ['full'],
  }, async () => {
    await admin.client.refreshCsrfToken()
    const server = await startServer()
    try {
      const memory = async (what: 'VmRSS' | 'VmHWM') =>
        Number(
          new RegExp(`${what}:\\s+(\\d+)`).exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1],
        ) / 1024
      // Excludes memory for modules loaded and compiled by the first uploads.
      for (let warm = 0; warm < 3; warm++) expect(await send(server.port, 20)).toContain('"success":true')
      const before = await memory('VmHWM')
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(server.port, 20)))
      for (const answer of answers) expect(answer).toContain('"success":true')
      expect((await memory('VmHWM')) - before).toBeLessThan(50)
    } finally {
      await server.kill()
    }
  })
})
