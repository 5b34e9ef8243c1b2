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
/** Told about each request to the stand-in. */
let onRequest = () => {}

beforeAll(async () => {
  folder = await temporaryFolder()
  // Starting TypeScript twenty times would take longer than the runs.
  program = await buildProgram(folder.path)
  // Small answers make many pages; slow answers spread the kills over the whole run.
  standIn = await startStandIn(largeSpace(1_250, 300), {
    isStatic: true,
    largestAnswer: 40_000,
    fault: ({ view }) => {
      onRequest()
      return { kind: 'slow', ms: view === 'asset' ? 30 : 15 }
    },
  })
})
afterAll(async () => {
  await standIn.close()
  await folder.remove()
})

/** Runs the command; killed outright at its request of this number, however fast the machine is. */
function run(out: string, killAfter?: number): Promise<number | null> {
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
  let left = killAfter ?? Number.POSITIVE_INFINITY
  onRequest = () => {
    left -= 1
    if (left <= 0) child.kill('SIGKILL')
  }
  child.stderr.resume()
  return new Promise((resolve) => child.on('close', resolve))
}

/** Addresses of everything the journal calls complete: pages and assets. */
async function completed(out: string): Promise<Set<string>> {
  const done = new Set<string>()
  const path = join(out, '.rescue/journal.ndjson')
  if (!existsSync(path)) return done
  const cursors = new Map<string, Cursor>()
  // The last line may be cut short by the kill.
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

/** How often each page window (of any size) and each asset was answered in full. */
function answered(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [address, times] of standIn.served) {
    const url = new URL(address, standIn.origin)
    const { searchParams: query } = url
    if (
      query.has('_sys.updatedAt[gte]') ||
      query.get('limit') === '1' ||
      url.pathname.includes('/space/apps/')
    )
      continue
    const window = `${query.get('_sys.createdAt[gte]') ?? ''} ${query.get('skip') ?? '0'}`
    const pass = query.has('body[fmt]') ? ' text' : ''
    const key = url.search ? `${url.pathname}${pass} ${window}` : url.pathname
    counts.set(key, (counts.get(key) ?? 0) + times)
  }
  return counts
}

it(`killed ${kills} times and resumed equals uninterrupted, and nothing complete is asked for again`, async () => {
  const straight = join(folder.path, 'straight')
  expect(await run(straight)).toBe(0)
  standIn.served.clear()

  const out = join(folder.path, 'killed')
  let killed = 0
  let before = await completed(out)
  let counts = answered()
  let progressed = 0
  for (let round = 0; round < kills * 3 && killed < kills; round++) {
    const code = await run(out, 4 + Math.floor(Math.random() * 20))
    if (code === 0) break
    killed += 1
    const after = answered()
    for (const address of before)
      expect([address, after.get(address)]).toEqual([address, counts.get(address)])
    const done = await completed(out)
    if (done.size > before.size) progressed += 1
    before = done
    counts = after
  }
  expect(killed).toBe(kills)
  expect(progressed).toBeGreaterThan(kills / 2)
  expect(await run(out)).toBe(0)
  const { problems } = await verifyArchive(out)
  expect(problems).toEqual([])
  expect(await timelessSnapshot(out)).toEqual(await timelessSnapshot(straight))
  // Only what was under way at a kill was fetched again.
  const assets = [...answered()].filter(([address]) => address.includes('.assets.'))
  const repeated = assets.reduce((sum, [, times]) => sum + times - 1, 0)
  expect(assets).toHaveLength(300)
  expect(repeated).toBeLessThanOrEqual(kills * concurrency)
}, 180_000)
