import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from './worker-errors.ts'
import { createWorkerPool, type PoolOptions } from './worker-pool.ts'

type Task = 'pid' | 'environment' | 'refuse' | 'crash' | 'wait' | 'memory' | 'compute' | 'block' | 'keep'

let folder: string
let entry: URL
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-processes-'))
  const file = join(folder, 'worker.ts')
  entry = pathToFileURL(file)
  await writeFile(
    file,
    `import { serveProcess } from ${JSON.stringify(new URL('worker-process.ts', import.meta.url).href)}
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
    const works = {
      pid: async () => process.pid,
      environment: async () => Object.keys(process.env),
      refuse: async () => { throw new Error('refused') },
      crash: async () => process.abort(),
      wait: () => new Promise(() => { setInterval(() => {}, 1000) }),
      memory: async () => { const all = []; for (;;) { all.push(Buffer.alloc(10_000_000, 1)); await pause() } },
      compute: async () => { for (;;) { for (let n = 0; n < 1e7; n++); await pause() } },
      keep: async () => { globalThis.kept = Buffer.alloc(100_000_000, 1); return process.pid },
      block: async (call) => { void call(process.pid); for (;;); },
    }
    serveProcess((task, call) => works[task.name](call))`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

function pool(options: Omit<PoolOptions<{ name: Task }>, 'entry'> = {}) {
  const { run } = createWorkerPool<{ name: Task }, unknown>({
    entry,
    processes: 1,
    ...options,
  })
  return (name: Task) => run({ name })
}

/** A process that has ended but was not waited for by its new parent counts as ended. */
const isThere = (pid: number) => {
  try {
    if (process.platform === 'linux') return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('answers what the process answers, gives way to others if asked to, and knows no secrets', async () => {
  process.env.IMORI_SESSION_KEY = 'secret'
  const run = pool({ isLowPriority: true })
  const pid = Number(await run('pid'))
  delete process.env.IMORI_SESSION_KEY
  expect(pid).not.toBe(process.pid)
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
  expect(await run('pid')).toBe(pid)
  expect(await run('environment')).not.toContain('IMORI_SESSION_KEY')
  await expect(run('refuse')).rejects.toThrow('refused')
  expect(getPriority(Number(await pool()('pid')))).toBe(getPriority())
})

it.runIf(process.platform === 'linux')('writes no memory into a core file', async () => {
  const pid = await pool()('pid')
  expect(await readFile(`/proc/${pid}/coredump_filter`, 'utf8')).toMatch(/^0+\n$/)
})

/** Starts a process that creates a pool and runs `code`. */
async function startParent(code: string) {
  const file = join(folder, `${randomUUID()}.mts`)
  await writeFile(
    file,
    `import { createWorkerPool } from ${JSON.stringify(new URL('worker-pool.ts', import.meta.url).href)}
    const pool = createWorkerPool({ entry: new URL(${JSON.stringify(entry.href)}) })
    ${code}`,
  )
  return fork(file, { execArgv: ['--import', import.meta.resolve('tsx')] })
}

it('ends with its parent, even if that is killed while a task blocks the process', {
  tags: ['full'],
}, async () => {
  const parent = await startParent(`void pool.run({ name: 'block' }, { onCall: (pid) => process.send(pid) })`)
  const [pid] = await once(parent, 'message')
  expect(isThere(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false)
})

it('does not keep its parent running when it has nothing to do', { tags: ['full'] }, async () => {
  const parent = await startParent(`await pool.run({ name: 'pid' })\nprocess.disconnect()`)
  expect(await once(parent, 'exit')).toEqual([0, null])
})

it('ends what takes too much memory or time, and goes on with a new process', {
  tags: ['full'],
}, async () => {
  const greedy = pool({ memory: 300, runLimit: 120_000 })
  const ofTheWork = async (work: Promise<unknown>) => {
    const error: unknown = await work.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WorkTooLarge)
    expect(error).not.toBeInstanceOf(WorkTookTooLong)
  }
  await ofTheWork(greedy('memory'))
  expect(await greedy('pid')).toBeTypeOf('number')
  const busy = pool({ cpuLimit: 300, runLimit: 120_000 })
  await ofTheWork(busy('compute'))
  expect(await busy('pid')).toBeTypeOf('number')
  // The same for work that blocks the event loop of its process.
  await ofTheWork(busy('block'))
  expect(await busy('pid')).toBeTypeOf('number')
  const patient = pool({ runLimit: 2_000 })
  // Retries until a process has started within that time.
  const pid = async (): Promise<unknown> => {
    for (;;)
      try {
        return await patient('pid')
      } catch (error) {
        if (!(error instanceof WorkTookTooLong)) throw error
      }
  }
  const first = await pid()
  // On a busy machine, exceeding the time is not caused by the work.
  await expect(patient('block')).rejects.toThrow(WorkTookTooLong)
  expect(await pid()).not.toBe(first)
})

it('replaces a process whose memory has grown, with what is waiting done by the new one', {
  tags: ['full'],
}, async () => {
  const run = pool({ memory: 400 })
  const first = await run('pid')
  expect(await run('pid')).toBe(first)
  const [grown, next, last] = await Promise.all([run('keep'), run('pid'), run('pid')])
  expect(grown).toBe(first)
  expect(next).not.toBe(first)
  expect(last).toBe(next)
  await expect.poll(() => isThere(Number(first))).toBe(false)
})

it('loses one task when its process crashes or is killed, and no other', { tags: ['full'] }, async () => {
  const run = pool({ processes: 2 })
  const [first, second] = (await Promise.all([run('pid'), run('pid')])) as [number, number]
  expect(first).not.toBe(second)
  const waiting = [run('wait').catch((error) => error), run('wait').catch((error) => error)]
  const next = run('pid')
  process.kill(first, 'SIGKILL')
  expect(await next).not.toBe(first)
  expect(await Promise.race(waiting)).toBeInstanceOf(WorkerEnded)
  expect(isThere(second)).toBe(true)
  process.kill(second, 'SIGKILL')
  expect(await Promise.all(waiting)).toEqual([expect.any(WorkerEnded), expect.any(WorkerEnded)])
  await expect(run('crash')).rejects.toThrow(WorkerEnded)
  expect(await run('pid')).toBeTypeOf('number')
})

it('ends processes that have nothing to do', async () => {
  const run = pool({ idleLimit: 50 })
  const pid = Number(await run('pid'))
  await expect.poll(() => isThere(pid)).toBe(false)
  expect(await run('pid')).not.toBe(pid)
})
