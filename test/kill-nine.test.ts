/** @module-tag full */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openArchive } from '#archive/source.ts'
import { picturedSpace, rescuedFrom, sampleArchive } from './newt-stand-in/archive.ts'
import { addContent, idOf } from './newt-stand-in/space.ts'
import { rescueThreeApps, zipOfApps } from './newt-stand-in/three-apps.ts'
import { getFastestStartMs, type MainProcess, restartBound, startMain } from './process.ts'
import { type Receiver, startReceiver } from './webhooks.ts'

let dataDir: string
let main: MainProcess
let receiver: Receiver
const startAgain = () =>
  startMain({ IMORI_DATA: dataDir, IMORI_WEBHOOK_ORIGINS: receiver.origin, IMORI_TRUST_PROXY: '1' })
/** Maximum duration of a restart in ms. */
let bound: number
let send: Send

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imori-kill-'))
  await chmod(dataDir, 0o755)
  receiver = await startReceiver()
  main = await startAgain()
  bound = restartBound(main)
  send = await signUp()
})
afterAll(async () => {
  await main.end()
  await receiver.close()
  await rm(dataDir, { recursive: true })
})

const docs = '/api/project/acme/app/blog/model/article/doc'

/** Signs up an account in the process that is currently running. Returns a function that sends its requests. */
async function signUp() {
  const session = { cookie: '', csrf: '' }
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(main.url + path, {
      method,
      headers: { cookie: session.cookie, 'x-csrf-token': session.csrf, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const [cookie] = response.headers.getSetCookie()
    if (cookie) session.cookie = cookie.split(';')[0]!
    // The response is read to the end, because only a complete one counts as an acknowledgement.
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  await send('POST', '/api/auth/signup', {
    email: 'hanako@example.com',
    password: 'ham sandwich on a rainy tuesday',
    name: '花子',
  })
  session.csrf = (await send('GET', '/api/auth/csrfToken')).csrfToken
  return Object.assign(send, { session })
}

type Send = Awaited<ReturnType<typeof signUp>>

/** Lets eight editors create documents, publishing every other one, until they no longer get a response. */
async function writeUntilKilled(send: Send, acknowledged: Map<string, string>): Promise<void> {
  const editor = async (number: number) => {
    for (let i = 0; i < 10_000; i++) {
      const title = `記事 ${number}-${i}-${Math.random()}`
      try {
        const type = i % 2 ? 'PUBLISH' : undefined
        const { document } = await send('POST', docs, { document: { title }, ...(type ? { type } : {}) })
        acknowledged.set(document._id, title)
      } catch (error) {
        // If PostgreSQL is killed slightly before Imori, a write may be refused with 503, which acknowledges nothing.
        const { message } = error as Error
        if (message !== 'fetch failed' && message !== 'terminated' && !message.includes(': 503 ')) throw error
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => editor(number)))
}

async function readAll(send: Send): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let total = 1; found.size < total; ) {
    const page = await send('GET', `${docs}?limit=1000&skip=${found.size}&order=_id`)
    total = page.total
    for (const document of page.documents) found.set(document._id, document.title)
    if (page.documents.length === 0) break
  }
  return found
}

/** Runs a statement directly in the database. */
async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({
    host: join(dataDir, 'database'),
    user: 'postgres',
    database: 'imori',
    ssl: false,
  })
  await client.connect()
  const { rows } = await client.query<Row>(text, values)
  await client.end()
  return rows
}

/** Counts, with SQL, the rows whose counterpart of the same transaction is missing. */
async function tornWrites(): Promise<Record<string, number>> {
  const rows = await query<Record<string, number>>(`WITH living AS (
    -- The numbers of a model are deleted with its app.
    SELECT stat.documents, stat.published, count(d.id) AS found, count(d.published_at) AS found_published
    FROM model_stat AS stat
    JOIN model ON (model.space_id, model.id) = (stat.space_id, stat.model_id) AND model.deleted_at IS NULL
    JOIN app ON (app.space_id, app.id) = (model.space_id, model.app_id) AND app.deleted_at IS NULL
    LEFT JOIN document AS d ON (d.space_id, d.model_id) = (stat.space_id, stat.model_id) AND d.deleted_at IS NULL
    GROUP BY stat.space_id, stat.model_id, stat.documents, stat.published)
  SELECT
    (SELECT count(*) FROM document d WHERE version <>
      (SELECT count(*) FROM revision r WHERE (r.model_id, r.document_id) = (d.model_id, d.id)))::int AS revisions,
    (SELECT count(*) FROM document d WHERE NOT EXISTS
      (SELECT FROM event e WHERE e.model_id = d.model_id AND (e.document_id = d.id
        OR e.type = 'documents.imported' AND e.payload->'documents' @> jsonb_build_array(jsonb_build_object('id', d.id)))
      ))::int AS events,
    (SELECT sum(abs(documents - found)) FROM living)::int AS counted,
    (SELECT sum(abs(published - found_published)) FROM living)::int AS published`)
  return rows[0] ?? {}
}

test('acknowledged documents survive a kill -9 with their revisions and events', async () => {
  await send('POST', '/api/project', { project: { uid: 'acme', name: 'Acme' } })
  await send('POST', '/api/project/acme/app', { data: { uid: 'blog', name: 'ブログ' } })
  const fields = [{ uid: 'title', name: 'タイトル', type: 'TEXT', required: true }]
  await send('POST', '/api/project/acme/app/blog/model', { data: { uid: 'article', name: '記事', fields } })

  const acknowledged = new Map<string, string>()
  const restarts: MainProcess[] = []
  for (const target of ['app', 'app', 'both', 'both']) {
    const before = acknowledged.size
    const writing = writeUntilKilled(send, acknowledged)
    // The kill happens at a random moment after enough acknowledged writes.
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 10)
    await sleep(Math.random() * 300)
    if (target === 'both') {
      const pid = Number((await readFile(join(dataDir, 'database/postmaster.pid'), 'utf8')).split('\n')[0])
      process.kill(pid, 'SIGKILL')
    }
    await main.end('SIGKILL')
    await writing

    main = await startAgain()
    restarts.push(main)
    const found = await readAll(send)
    expect([...acknowledged].filter(([id, title]) => found.get(id) !== title)).toEqual([])
    expect(await tornWrites()).toEqual({ revisions: 0, events: 0, counted: 0, published: 0 })
  }
  expect(getFastestStartMs(restarts)).toBeLessThan(bound)
})

test('acknowledged submissions of a form and their files survive a kill -9, each once', async () => {
  await send('POST', '/api/project', { project: { uid: 'asked', name: '問い合わせ先' } })
  await query(`INSERT INTO form (space_id, id, key, name, enabled, fields, origins, thanks_message)
    SELECT id, '${'a'.repeat(24)}', 'kill-nine', 'お問い合わせ', true, '[]', '{}', '{"ja": "", "en": ""}'
    FROM space WHERE uid = 'asked'`)
  const acknowledged: string[] = []
  /** Sends forms, every tenth one with a file, until the process is killed. */
  const visitor = async (number: number) => {
    for (let n = 0; ; n++) {
      const name = `${number}-${n}-${Math.random()}`
      const body = n % 10 === 9 ? new FormData() : new URLSearchParams()
      body.append('name', name)
      if (body instanceof FormData) body.append('file', new Blob([name], { type: 'text/plain' }), 'a.txt')
      const headers = { 'x-forwarded-for': `198.18.${number}.${n % 250}` }
      const response = await fetch(`${main.url}/asked.form/v1/kill-nine`, { method: 'POST', headers, body })
        .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
        .catch(() => null)
      if (response?.status !== 200) {
        expect([undefined, 503]).toContain(response?.status)
        return
      }
      acknowledged.push(name)
    }
  }
  for (const target of ['app', 'both', 'app', 'both', 'both']) {
    const before = acknowledged.length
    const sending = Promise.all(Array.from({ length: 30 }, (_, number) => visitor(number)))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 100)
    await sleep(Math.random() * 300)
    if (target === 'both') {
      const pid = Number((await readFile(join(dataDir, 'database/postmaster.pid'), 'utf8')).split('\n')[0])
      process.kill(pid, 'SIGKILL')
    }
    await main.end('SIGKILL')
    await sending
    main = await startAgain()
    const rows = await query<{ name: string; files: number; expected: number }>(`
      SELECT "values"->0->>'value' AS name, file_count AS expected,
        (SELECT count(*)::int FROM form_file WHERE submission_id = form_submission.id) AS files FROM form_submission`)
    const stored = new Set(rows.map(({ name }) => name))
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([])
    expect(stored.size).toBe(rows.length)
    expect(rows.filter(({ files, expected }) => files !== expected)).toEqual([])
  }
  const contents = await query(`SELECT FROM form_file WHERE NOT EXISTS (SELECT FROM asset_blob AS blob
    WHERE blob.space_id = form_file.space_id AND blob.storage = form_file.storage AND blob.key = form_file.storage_key)`)
  expect(contents).toEqual([])
})

test('an import completes after a kill -9, with the expected number of documents', async () => {
  await send('POST', '/api/project', { project: { uid: 'moved', name: '引っ越し先' } })
  const move = await begunMove('moved', await sampleArchive())
  await killSoon(200)
  await become(move, 'imported')
  expect((await move()).report).toMatchObject({ documents: 10, assets: 12 })
  expect((await send('GET', `${docs.replace('acme', 'moved')}?limit=1`)).total).toBe(6)
  expect(await tornWrites()).toEqual({ revisions: 0, events: 0, counted: 0, published: 0 })
})

test('an update of an imported app completes after three kill -9, with the expected number of documents', async () => {
  await send('POST', '/api/project', { project: { uid: 'updated', name: '書き足す先' } })
  const moves = '/api/project/updated/move'
  const newt = await picturedSpace()
  const first = await sent(moves, await rescuedFrom(newt))
  await send('POST', `${first.at}/start`, {})
  await expect.poll(async () => (await first.now()).state).toBe('imported')

  const createdAt = '2026-11-20T10:00:00.000Z'
  for (let number = 0; number < 300; number++)
    addContent(newt, 'article', { id: idOf(0x5000 + number), createdAt, draft: { title: `増えた${number}` } })
  for (const content of newt.models.get('author')?.values() ?? [])
    Object.assign(content, { draft: { ...content.draft, name: '直した著者' }, updatedAt: createdAt })
  const { at, now } = await sent(moves, await rescuedFrom(newt), first.id)
  await send('POST', `${at}/start`, {})
  for (let kills = 0; kills < 3; kills++) await killSoon(400)
  await become(now, 'accepted')
  expect((await now()).report).toMatchObject({ documents: 302, problems: [] })
  const articles = docs.replace('acme', 'updated')
  expect((await send('GET', `${articles}?limit=1`)).total).toBe(306)
  const authors = articles.replace('/article/', '/author/')
  for (const { _id } of (await send('GET', authors)).documents)
    expect((await send('GET', `${authors}/${_id}/revisions`)).revisions).toHaveLength(2)
  expect(await tornWrites()).toMatchObject({ revisions: 0, counted: 0, published: 0 })
})

test('an import of three apps completes after three kill -9, and its undo after one more kill', async () => {
  const folder = join(dataDir, 'rescued')
  await rescueThreeApps(folder)
  const zip = await zipOfApps(folder)
  await send('POST', '/api/project', { project: { uid: 'several', name: '引っ越し先' } })
  const { at, now } = await sent('/api/project/several/move', zip)
  const { apps } = await send('GET', `${at}/apps`)
  const counts = apps.map(({ counts }: { counts: { documents: number } }) => counts.documents)
  await send('POST', `${at}/start`, {})
  for (let kills = 0; kills < 3; kills++) await killSoon(400)
  await become(now, 'imported')
  const total = counts.reduce((sum: number, count: number) => sum + count, 0)
  expect((await now()).report).toMatchObject({ documents: total, problems: [] })
  for (const [index, { _id }] of apps.entries()) {
    const { move } = await send('GET', `/api/project/several/move/${_id}`)
    expect(move).toMatchObject({ state: 'imported', report: { documents: counts[index] } })
  }
  const media = '/api/project/several/assets?limit=1'
  expect((await send('GET', media)).total).toBe((await now()).report.assets)
  expect(await tornWrites()).toMatchObject({ revisions: 0, counted: 0, published: 0 })
  // An interrupted undo continues, and deletes the media.
  await send('POST', `${at}/undo`, {})
  await main.end('SIGKILL')
  main = await startAgain()
  await become(now, 'undone')
  expect((await send('GET', media)).total).toBe(0)
})

/** Uploads an archive and waits for its plan. `updates`: the move that it updates. */
async function sent(moves: string, zip: Buffer, updates?: string) {
  const data = { fileName: 'archive.zip', fileSize: zip.length, ...(updates ? { updates } : {}) }
  const { move } = await send('POST', moves, { data })
  const at = `${moves}/${move._id}`
  const { url, headers } = await send('GET', `${at}/signedUrl`)
  const put = await fetch(main.url + url, { method: 'PUT', headers, body: new Uint8Array(zip) })
  expect(put.status).toBe(204)
  await send('POST', `${at}/signedUrl`, {})
  const now = async () => (await send('GET', at)).move
  await expect.poll(async () => (await now()).state).toBe('planned')
  return { at, now, id: String(move._id) }
}

test('an import of an exported app completes after three kill -9, and its articles equal the originals', async () => {
  await send('POST', '/api/project', { project: { uid: 'carried', name: '運び先' } })
  const zip = await exported('/api/project/acme/app/blog')
  const { total } = await send('GET', `${docs}?limit=1`)
  const move = await begunMove('carried', zip)
  for (let kills = 0; kills < 3; kills++) await killSoon(400)
  await become(move, 'imported')
  expect((await move()).report).toMatchObject({ documents: total, problems: [] })
  expect(await tornWrites()).toMatchObject({ revisions: 0, counted: 0, published: 0 })
  expect(await documentsOf(await exported('/api/project/carried/app/blog'))).toEqual(await documentsOf(zip))
})

test('an import of an exported space completes after three kill -9, and its articles equal the originals', async () => {
  const notes = '/api/project/acme/app/notes'
  await send('POST', '/api/project/acme/app', { data: { uid: 'notes', name: 'メモ' } })
  const fields = [{ uid: 'title', name: 'タイトル', type: 'TEXT' }]
  await send('POST', `${notes}/model`, { data: { uid: 'article', name: 'メモ', fields } })
  for (const title of ['一', '二', '三'])
    await send('POST', `${notes}/model/article/doc`, { document: { title }, type: 'PUBLISH' })
  const zip = await exported('/api/project/acme')
  const { total } = await send('GET', `${docs}?limit=1`)
  await send('POST', '/api/project', { project: { uid: 'all', name: 'すべて' } })
  const move = await begunMove('all', zip)
  for (let kills = 0; kills < 3; kills++) await killSoon(400)
  await become(move, 'imported')
  expect((await move()).report).toMatchObject({ documents: total + 3, problems: [] })
  expect(await tornWrites()).toMatchObject({ revisions: 0, counted: 0, published: 0 })
  const again = await exported('/api/project/all')
  for (const app of ['blog', 'notes'])
    expect(await documentsOf(again, `apps/${app}/`)).toEqual(await documentsOf(zip, `apps/${app}/`))
})

test('a webhook sends every saved version of each document, in order, despite twenty kill -9', async () => {
  const site = '/api/project/hooked/app/site/model'
  await send('POST', '/api/project', { project: { uid: 'hooked', name: '知らせる側' } })
  await send('POST', '/api/project/hooked/app', { data: { uid: 'site', name: 'サイト' } })
  const fields = [{ uid: 'title', name: 'タイトル', type: 'TEXT' }]
  await send('POST', site, { data: { uid: 'article', name: '記事', fields } })
  const data = {
    name: 'サイト',
    url: `${receiver.origin}/hook`,
    events: ['document.saved'],
    includesAfter: true,
  }
  await send('POST', '/api/project/hooked/webhook', { data })
  // The receiver responds slowly, so that at each kill some requests are in progress.
  receiver.answers.set('/hook', (_, response) => void setTimeout(() => response.end(), 20))

  /** The last acknowledged version of each document. The title of a document is its version. */
  const saved = new Map<string, number>()
  const at = `${site}/article/doc`
  for (let n = 0; n < 6; n++) {
    const { document } = await send('POST', at, { document: { title: '1' }, type: 'SAVE' })
    saved.set(document._id, 1)
  }
  const save = async (id: string) => {
    const title = String((saved.get(id) ?? 0) + 1)
    await send('PUT', `${at}/${id}`, { doc: { title }, type: 'SAVE' })
    saved.set(id, Number(title))
  }
  for (let kills = 0; kills < 20; kills++) {
    const before = receiver.received.length
    // A save that was not acknowledged may have been stored. The next save of that document has the same title.
    const writing = Promise.all(
      [...saved.keys()].map(async (id) => {
        for (let n = 0; n < 50; n++)
          if (
            await save(id).then(
              () => false,
              () => true,
            )
          )
            return
      }),
    )
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before + 10)
    await main.end('SIGKILL')
    await writing
    main = await startAgain()
  }
  await Promise.all([...saved.keys()].map(save))

  /** Returns the versions of each document in the order of their arrival. */
  const arrived = () => {
    const versions = new Map([...saved.keys()].map((id): [string, number[]] => [id, []]))
    for (const { _id, document } of receiver.bodies()) versions.get(_id)?.push(Number(document.title))
    return versions
  }
  await expect
    .poll(async () => {
      await resumeStopped()
      const versions = arrived()
      return [...saved].filter(([id, last]) => !versions.get(id)?.includes(last))
    })
    .toEqual([])
  for (const [id, versions] of arrived()) {
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect([...new Set(versions)]).toEqual(Array.from({ length: saved.get(id) ?? 0 }, (_, n) => n + 1))
  }
})

/** Uploads an archive to a space and starts its import. Returns a function that reads the move. */
async function begunMove(space: string, zip: Buffer) {
  const { at, now } = await sent(`/api/project/${space}/move`, zip)
  await send('POST', `${at}/start`, {})
  return now
}

/**
 * Resumes stopped jobs as the installation's admin. A job is stopped if its process was killed twice without progress.
 */
async function resumeStopped(): Promise<void> {
  const { jobs } = await send('GET', '/api/admin/jobs?state=stopped')
  for (const { _id } of jobs) await send('POST', `/api/admin/jobs/${_id}/retry`, {})
}

/** Waits until the move is in this state. Resumes stopped jobs meanwhile. */
async function become(now: () => Promise<{ state: string }>, state: string): Promise<void> {
  await expect
    .poll(async () => {
      await resumeStopped()
      return (await now()).state
    })
    .toBe(state)
}

/** Kills the process after a random time of up to `within` ms, and restarts it. */
async function killSoon(within: number): Promise<void> {
  await sleep(Math.random() * within)
  await main.end('SIGKILL')
  main = await startAgain()
}

/** Exports an app, or a whole space. Returns the file. */
async function exported(app: string): Promise<Buffer> {
  await send('POST', `${app}/export`, { data: {} })
  const now = () => send('GET', `${app}/export`)
  await expect.poll(async () => (await now()).export.state).toBe('ready')
  const headers = { cookie: send.session.cookie }
  const answer = await fetch(main.url + (await now()).downloadUrl, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

/**
 * Returns the lines of the exported documents of the model `article`. `folder`: the app's folder in the archive of a
 * space.
 */
async function documentsOf(zip: Buffer, folder = ''): Promise<string> {
  const path = join(dataDir, 'compared.zip')
  await writeFile(path, zip)
  const source = await openArchive(path)
  const chunks: Buffer[] = []
  for await (const chunk of source.read(`${folder}documents/article.ndjson`, 1e9)) chunks.push(chunk)
  source.close()
  return Buffer.concat(chunks).toString('utf8')
}
