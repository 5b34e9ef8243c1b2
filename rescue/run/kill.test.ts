/** @module-tag full */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyArchive } from '#archive/verify.ts'
import { type Cursor, firstCursor } from '#rescue/newt/cursor.ts'
import { temporaryFolder, timelessSnapshot } from '#rescue/testing/helpers.ts'
import { buildProgram, root } from '#rescue/testing/program.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'
import type { JournalEntry } from './journal.ts'

const kills = 20
const concurrency = 4

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let standIn: StandIn
let program: string
let onRequest = (_path: string, _search: string) => {}

beforeAll(async () => {
  folder = await temporaryFolder()
  // The program is built once, because starting TypeScript twenty times would take longer than the runs.
  program = await buildProgram(folder.path)
  // Small responses cause many pages. Slow responses keep several requests pending at each kill.
  standIn = await startStandIn(largeSpace(700, 240), {
    isStatic: true,
    largestAnswer: 40_000,
    fault: ({ view, path, search }) => {
      onRequest(view === 'asset' ? path : `/demo.${view}.newt.so${path}`, search)
      return { kind: 'slow', ms: view === 'asset' ? 30 : 15 }
    },
  })
})
afterAll(async () => {
  await standIn.close()
  await folder.remove()
})

/**
 * Runs the command, and kills it as soon as `asked` has `killAt` entries. `asked` contains the results of `placeOf` for
 * all requests of this run and earlier ones.
 */
function run(
  out: string,
  asked = new Set<string>(),
  killAt = Number.POSITIVE_INFINITY,
): Promise<number | null> {
  const given = [
    '--space',
    'demo',
    '--app',
    'blog',
    '--model',
    'article',
    '--model',
    'author',
    '--lang',
    'en',
  ]
  const more = ['--origin', standIn.origin, '--out', out, '--concurrency', String(concurrency)]
  const { api, cdn } = standIn.space.tokens
  const child = spawn(process.execPath, [program, ...given, ...more], {
    cwd: root,
    env: { ...process.env, IMORI_RESCUE_API_TOKEN: api, IMORI_RESCUE_CDN_TOKEN: cdn },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onRequest = (path, search) => {
    const place = placeOf(path, search)
    if (place) asked.add(place)
    if (asked.size >= killAt) child.kill('SIGKILL')
  }
  child.stderr.resume()
  return new Promise((resolve) => child.on('close', resolve))
}

/** Returns the page windows and assets that the journal records as complete, in the format of `placeOf`. */
async function completed(out: string): Promise<Set<string>> {
  const done = new Set<string>()
  const path = join(out, '.rescue/journal.ndjson')
  if (!existsSync(path)) return done
  const cursors = new Map<string, Cursor>()
  // The last line may be truncated by the kill.
  for (const line of (await readFile(path, 'utf8')).split('\n').slice(0, -1)) {
    const entry = JSON.parse(line) as JournalEntry
    if (entry.t === 'asset') {
      const { host, pathname } = new URL(entry.url)
      done.add(`/${host}${pathname}`)
    }
    if (entry.t !== 'page' && entry.t !== 'text') continue
    const stream = `/demo.${entry.view}.newt.so/v1/blog/${entry.model}${entry.t === 'text' ? ' text' : ''}`
    const cursor = cursors.get(stream) ?? firstCursor
    done.add(`${stream} ${cursor.from} ${cursor.skip}`)
    if (entry.next) cursors.set(stream, entry.next)
  }
  return done
}

/**
 * Returns the page window of contents or the asset that a request asks for, regardless of its page size. Returns
 * undefined for any other request.
 */
function placeOf(path: string, search: string): string | undefined {
  const query = new URLSearchParams(search)
  // Every run repeats counts, checks for changes and comparisons of ids.
  if (query.get('limit') === '1' || query.has('_sys.updatedAt[gte]')) return
  if (query.get('select') === '_id,_sys' || path.includes('/space/apps/')) return
  if (!search) return path
  const pass = query.has('body[fmt]') ? ' text' : ''
  return `${path}${pass} ${query.get('_sys.createdAt[gte]') ?? ''} ${query.get('skip') ?? '0'}`
}

/** Returns how often each page window (of any size) and each asset was answered completely. */
function answered(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [address, times] of standIn.served) {
    const { pathname, search } = new URL(address, standIn.origin)
    const place = placeOf(pathname, search)
    if (place) counts.set(place, (counts.get(place) ?? 0) + times)
  }
  return counts
}

it(`a run killed ${kills} times repeats no recorded request, and writes the same archive as an unkilled run`, async () => {
  const straight = join(folder.path, 'straight')
  expect(await run(straight)).toBe(0)
  // The kills are spread evenly over the run, except its end, where repeated pages may have other sizes.
  const stretch = Math.floor(answered().size / (kills + 2))
  // The distance is larger than the number of requests that can be pending at a kill, including prefetching. Each run
  // must therefore complete at least one request.
  expect(stretch).toBeGreaterThan(3 * concurrency)
  standIn.served.clear()

  const out = join(folder.path, 'killed')
  const asked = new Set<string>()
  let before = new Set<string>()
  let counts = answered()
  for (let killed = 0; killed < kills; killed++) {
    expect(await run(out, asked, (killed + 1) * stretch)).toBe(null)
    const after = answered()
    for (const address of before)
      expect([address, after.get(address)]).toEqual([address, counts.get(address)])
    const done = await completed(out)
    expect(done.size).toBeGreaterThan(before.size)
    before = done
    counts = after
  }
  expect(await run(out)).toBe(0)
  const { problems } = await verifyArchive(out)
  expect(problems).toEqual([])
  expect(await timelessSnapshot(out)).toEqual(await timelessSnapshot(straight))
  const assets = [...answered()].filter(([address]) => address.includes('.assets.'))
  const repeated = assets.reduce((sum, [, times]) => sum + times - 1, 0)
  expect(assets).toHaveLength(240)
  expect(repeated).toBeLessThanOrEqual(kills * concurrency)
})
