import { createReadStream, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeBenchArchive } from './archive-content.ts'
import { cpuTime } from './cpu-time.ts'
import { close, folder } from './measuring.ts'
import { startMediaServer } from './media-server.ts'
import { documents as articles, machine, moveToBackEnd } from './options.ts'

/*
 * Measures imports. An archive is uploaded, checked and planned. It is imported and undone twice: alone, and while a
 * site reads another app. Finally it is imported by a server that is killed repeatedly (BENCH_KILLS times, by default
 * 20). `--documents N`: number of articles. There is one picture for every five articles.
 */

const assets = Number(process.env.BENCH_ASSETS ?? Math.round(articles / 5))
const kills = Number(process.env.BENCH_KILLS ?? 20)
/** Whether a site reads another app during a second import. */
const isWatched = process.env.BENCH_WATCH !== '0'
/** Maximum duration of a step in ms. */
const patience = 1_800_000

interface Move {
  _id: string
  state: string
  stopped: string | null
  job: { progress: { done: number; total: number } | null } | null
  report: { documents: number; assets: number; problems: { code: string; count: number }[] } | null
}

const zip = join(folder, 'archive.zip')
await mkdir(join(folder, 'archive'))
const archive = await writeBenchArchive(join(folder, 'archive'), zip, { articles, assets })
await rm(join(folder, 'archive'), { recursive: true })
moveToBackEnd()
const server = await startMediaServer({}, { isBuilt: true })
const space = '/api/project/bench'

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(server.origin + path, {
    method,
    headers: { ...server.headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

const find = async (id: string) => (await call<{ move: Move }>('GET', `${space}/move/${id}`)).move

/** Waits until the move has this state. Calls `look` with the move on each check. Returns the waiting time in ms. */
async function waitFor(id: string, state: string, look: (move: Move) => void = () => {}): Promise<number> {
  const started = performance.now()
  for (;;) {
    const move = await find(id)
    look(move)
    if (move.state === state) return performance.now() - started
    if (move.stopped || move.state === 'refused') throw new Error(`${move.state}: ${JSON.stringify(move)}`)
    if (performance.now() - started > patience) throw new Error(`still ${move.state}`)
    await sleep(500)
  }
}

async function upload(): Promise<string> {
  const data = { fileName: 'archive.zip', fileSize: archive.bytes }
  const { move } = await call<{ move: Move }>('POST', `${space}/move`, { data })
  const { url } = await call<{ url: string }>('GET', `${space}/move/${move._id}/signedUrl`)
  const answer = await fetch(new URL(url, server.origin), {
    method: 'PUT',
    headers: { 'content-type': 'application/zip', 'content-length': String(archive.bytes) },
    body: createReadStream(zip) as unknown as BodyInit,
    duplex: 'half',
  } as RequestInit)
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`)
  await call('POST', `${space}/move/${move._id}/signedUrl`)
  return move._id
}

const memory = (what: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) /
  1024

/** Sends list requests to another app, one after the other, until `isOver`. Returns the 95th percentile in ms. */
async function readAsASite(token: string, app: string, isOver: () => boolean): Promise<number> {
  const times: number[] = []
  for (let turn = 0; !isOver(); turn++) {
    const started = performance.now()
    const answer = await fetch(`${server.origin}/bench.cdn/v1/${app}/article?limit=10&skip=${turn % 5}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`delivery: ${answer.status}`)
    times.push(performance.now() - started)
    await sleep(20)
  }
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.95)] ?? Number.NaN
}

const used = () => [cpuTime([server.pid]) ?? Number.NaN, cpuTime([server.postmaster]) ?? Number.NaN] as const
/**
 * Returns the CPU cost per item of the server and of PostgreSQL. `count`: number of items processed since a call of
 * {@link used}. The second argument is the result of that call.
 */
function costOf(count: number, [own, database]: ReturnType<typeof used>): string {
  const [ownNow, databaseNow] = used()
  return `${((ownNow - own) / count).toFixed(2)} + ${((databaseNow - database) / count).toFixed(2)} ms`
}
const say = (what: string, figure: string) => console.log(`${what.padEnd(58)} ${figure}`)
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Compares the numbers of documents and files with the archive, and sets the exit code if they differ. */
async function verify(): Promise<void> {
  const { rows } = await server.database.pool.query<{ documents: number; files: number }>(
    `SELECT (SELECT count(*)::int FROM document d JOIN model m ON m.id = d.model_id AND m.space_id = d.space_id
        JOIN app a ON a.id = m.app_id AND a.space_id = m.space_id WHERE a.uid = 'blog-moved' AND a.deleted_at IS NULL) AS documents,
      (SELECT count(*)::int FROM asset WHERE id LIKE 'e%' AND deleted_at IS NULL) AS files`,
  )
  const [found] = rows
  say('documents, of', `${found?.documents} of ${archive.documents}`)
  say('files, of', `${found?.files} of ${assets}`)
  if (found?.documents !== archive.documents || found.files !== assets) process.exitCode = 1
}

/** Imports the archive and prints the cost. */
async function importAll(id: string): Promise<{ took: number }> {
  await call('POST', `${space}/move/${id}/start`)
  let filesAfter = 0
  let cost = used()
  let costOfFile = ''
  const started = performance.now()
  const took = await waitFor(id, 'imported', ({ job }) => {
    if (filesAfter || (job?.progress?.done ?? 0) <= assets) return
    filesAfter = performance.now() - started
    costOfFile = costOf(assets, cost)
    cost = used()
  })
  const costOfDocument = costOf(archive.documents, cost)
  say('files stored in', `${seconds(filesAfter)}, ${((assets / filesAfter) * 1000).toFixed(0)} a second`)
  say('processor time of a file, server + PostgreSQL', costOfFile)
  const documentsTook = took - filesAfter
  say(
    'documents written in (target 2,000 a second)',
    `${seconds(documentsTook)}, ${((archive.documents / documentsTook) * 1000).toFixed(0)} a second`,
  )
  say('processor time of a document, server + PostgreSQL', costOfDocument)
  say('memory of the server, at most (target 300 MB)', `${memory('VmHWM').toFixed(0)} MB`)
  const { report } = await find(id)
  if (report?.problems.length) console.log(JSON.stringify(report.problems))
  return { took }
}

async function undo(id: string): Promise<void> {
  await call('POST', `${space}/move/${id}/undo`)
  say('undone in', seconds(await waitFor(id, 'undone')))
}

try {
  console.log(machine())
  const megabytes = archive.bytes / 1024 / 1024
  console.log(`${archive.documents} contents, ${assets} files, a zip of ${megabytes.toFixed(0)} MB`)
  const { app } = await call<{ app: { uid: string } }>('POST', `${space}/app`, { appTemplateId: 'blog' })
  const { cdnToken } = await call<{ cdnToken: { token: string } }>('POST', `${space}/cdnToken`, {
    data: { name: 'bench' },
  })
  let isOver = false
  const reading = readAsASite(cdnToken.token, app.uid, () => isOver)
  await sleep(isWatched ? 10_000 : 0)
  isOver = true
  const before = await reading

  const uploaded = performance.now()
  const atFirst = used()
  const id = await upload()
  say('uploaded in', seconds(performance.now() - uploaded))
  say('checked and planned in (target 60 s)', seconds(await waitFor(id, 'planned')))
  say('processor time of a content, server + PostgreSQL', costOf(archive.documents, atFirst))
  say('memory of the server, at most', `${memory('VmHWM').toFixed(0)} MB`)
  const { plan } = await call<{ plan: { app: object; models: object[]; customTypes: object[] } }>(
    'GET',
    `${space}/move/${id}/plan`,
  )
  const { models, customTypes } = plan
  await call('PUT', `${space}/move/${id}/plan`, {
    data: { app: { ...plan.app, uid: 'blog-moved' }, models, customTypes },
  })

  // This import runs without other requests, to measure the import alone.
  const { took } = await importAll(id)
  await verify()
  await undo(id)
  if (isWatched) {
    isOver = false
    const meanwhile = readAsASite(cdnToken.token, app.uid, () => isOver)
    await call('POST', `${space}/move/${id}/start`)
    await waitFor(id, 'imported')
    isOver = true
    const during = await meanwhile
    say(
      'p95 of a list of another app, before and meanwhile (target 2×)',
      `${before.toFixed(1)} ms, ${during.toFixed(1)} ms`,
    )
    await undo(id)
  }
  if (kills > 0) {
    await call('POST', `${space}/move/${id}/start`)
    // The kills are spread over the duration of an import, plus the time of each start.
    for (let kill = 0; kill < kills; kill++) {
      await sleep((Math.random() * 2 * took) / kills)
      await server.killAndStart()
      // A job that was interrupted repeatedly is stopped until it is retried.
      if ((await find(id)).stopped) await call('POST', `${space}/move/${id}/retry`)
    }
    await sleep(1_000)
    if ((await find(id)).stopped) await call('POST', `${space}/move/${id}/retry`)
    await waitFor(id, 'imported')
    say('killed', `${kills} times`)
    await verify()
  }
} finally {
  await server.close()
  await close()
}
