import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '#shared/errors.ts'
import type { PoolWorker, WorkerEvents } from './start-process.ts'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from './worker-errors.ts'
import { createWorkerPool, type PoolOptions } from './worker-pool.ts'

let folder: string
let entry: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-workers-'))
  const file = join(folder, 'worker.ts')
  entry = pathToFileURL(file)
  await writeFile(
    file,
    `import { serveProcess } from ${JSON.stringify(new URL('worker-process.ts', import.meta.url).href)}
    const works = {
      echo: () => 'echo',
      refuse: () => { throw new Error('refused') },
      forever: () => { for (;;); },
      memory: () => { const all = []; for (;;) all.push(new Array(1000).fill(all.length)) },
      crash: () => process.exit(1),
      ask: (call) => Promise.all([call(1), call(2)]),
      keepCall: (call) => { globalThis.earlierCall = call },
      callLate: (call) => { void globalThis.earlierCall('late'); return call('own') },
    }
    serveProcess((task, call) => works[task](call))`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

type Task = 'echo' | 'refuse' | 'forever' | 'memory' | 'crash' | 'ask' | 'keepCall' | 'callLate'
const pool = (options: Omit<PoolOptions<Task>, 'entry'>) =>
  createWorkerPool<Task, unknown>({ entry, processes: 1, ...options })

it('a pool returns the results of its tasks, and rejects a task that throws', async () => {
  const { run } = pool({})
  expect(await Promise.all([run('echo'), run('echo'), run('echo')])).toEqual(['echo', 'echo', 'echo'])
  await expect(run('refuse')).rejects.toThrow('refused')
  expect(await run('echo')).toBe('echo')
})

it('a pool ends an aborted running task, and dequeues an aborted waiting task', async () => {
  const { run } = pool({})
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = run('forever', { signal: running.signal })
  const second = run('echo', { signal: waiting.signal })
  waiting.abort(new Error('waited'))
  await expect(second).rejects.toThrow('waited')
  running.abort(new Error('ran'))
  await expect(first).rejects.toThrow('ran')
  await expect(run('echo', { signal: running.signal })).rejects.toThrow('ran')
  expect(await run('echo')).toBe('echo')
})

it('a pool runs small waiting tasks before a larger waiting task', async () => {
  const { run } = pool({ sizeOf: (task) => (task === 'refuse' ? 2 : 1) })
  const ended: string[] = []
  const note = (name: string, task: Task) =>
    run(task).then(
      () => ended.push(name),
      () => ended.push(name),
    )
  await Promise.all([note('first', 'echo'), note('long', 'refuse'), note('b', 'echo'), note('c', 'echo')])
  expect(ended).toEqual(['first', 'b', 'c', 'long'])
})

it('a pool runs at most `maxPerOwner` tasks of one owner at a time', async () => {
  const { run } = pool({
    processes: 2,
    ownerOf: (task) => (task === 'echo' ? 'other' : 'busy'),
    maxPerOwner: 1,
  })
  const forever = new AbortController()
  const first = run('forever', { signal: forever.signal })
  const ended: string[] = []
  const second = run('refuse').catch(() => ended.push('second'))
  expect(await run('echo')).toBe('echo')
  expect(ended).toEqual([])
  forever.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  await second
  expect(ended).toEqual(['second'])
})

it('a pool ends a task that runs longer than `runLimit`, and continues with a new process', async () => {
  const runLimit = 1_000
  const { run } = pool({ runLimit })
  const ended: number[] = []
  const end = async () => {
    await expect(run('forever')).rejects.toThrow(WorkTookTooLong)
    ended.push(performance.now())
  }
  await Promise.all([end(), end()])
  const [first = 0, second = 0] = ended
  expect(second - first).toBeGreaterThan(runLimit - 100)
  // On a busy machine, the response may take longer than `runLimit`.
  await expect.poll(() => run('echo').catch(() => null)).toBe('echo')
})

describe('the time limits of a task', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Creates a pool whose process does nothing. */
  function idlePool() {
    let events: WorkerEvents<unknown> | undefined
    const end = vi.fn()
    const { run } = pool({
      runLimit: 1_000,
      start(_entry, workerEvents): PoolWorker<Task> {
        events = workerEvents
        return { send() {}, hold() {}, end }
      },
    })
    const outcome = run('echo').catch((error: unknown) => error)
    return {
      outcome,
      begins: () => events?.begins(),
      isDone: () => events?.outcome({ result: 'echo' }, true),
      end,
    }
  }

  it('count `runLimit` only from the start of the task, not from the start of its process', async () => {
    const { outcome, begins } = idlePool()
    vi.advanceTimersByTime(50_000)
    begins()
    vi.advanceTimersByTime(999)
    expect(await Promise.race([outcome, 'running'])).toBe('running')
    vi.advanceTimersByTime(1)
    expect(await outcome).toBeInstanceOf(WorkTookTooLong)
  })

  it('by default reject the task with 503 if its process does not start within a minute', async () => {
    const { outcome } = idlePool()
    vi.advanceTimersByTime(60_000)
    expect(await outcome).toMatchObject({ code: 'ServiceUnavailable' })
  })

  it('end a process that does not exit within 5 seconds after its last task', async () => {
    const { outcome, isDone, end } = idlePool()
    isDone()
    expect(await outcome).toBe('echo')
    vi.advanceTimersByTime(4_999)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(end).toHaveBeenCalledTimes(1)
  })
})

it('a pool ends a task that fills the heap of its process, without printing the report of V8', async () => {
  const written: unknown[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(text) > 0)
  const { run } = pool({ memory: 320, runLimit: 60_000 })
  const error: unknown = await run('memory').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(WorkTooLarge)
  expect(error).not.toBeInstanceOf(WorkTookTooLong)
  expect(await run('echo')).toBe('echo')
  write.mockRestore()
  expect(written.join('')).not.toContain('FATAL ERROR')
})

it('a pool returns each answer to the right call of a task', async () => {
  const { run } = pool({})
  // The answers are sent in the reverse order of the calls.
  const waiting: (() => void)[] = []
  const onCall = (call: unknown) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(Number(call) * 10))
      if (waiting.length === 2) for (const answer of waiting.reverse()) answer()
    })
  expect(await run('ask', { onCall })).toEqual([10, 20])
})

it('a pool rejects a task with the error of its `onCall`, and continues with the next task', async () => {
  const { run } = pool({})
  const failing = () => Promise.reject(new Error('no answer'))
  await expect(run('ask', { onCall: failing })).rejects.toThrow('no answer')
  expect(await run('echo')).toBe('echo')
})

it('a pool rejects a task if the answer to its call cannot be sent, and continues with the next task', async () => {
  const { run } = pool({})
  await expect(run('ask', { onCall: () => () => {} })).rejects.toThrow('could not be cloned')
  expect(await run('echo')).toBe('echo')
})

it('a pool does not pass calls of an ended task to the next task', async () => {
  const { run } = pool({})
  await run('keepCall')
  const calls: unknown[] = []
  await run('callLate', { onCall: (call) => calls.push(call) })
  expect(calls).toEqual(['own'])
})

it('a pool rejects a task whose process exits in each attempt, and continues with a new process', async () => {
  const { run } = pool({})
  await expect(run('crash')).rejects.toThrow('ended before')
  expect(await run('echo')).toBe('echo')
})

it('a pool throws 503 if two processes end before the task begins', async () => {
  let count = 0
  const { run } = pool({
    start(_entry, events): PoolWorker<Task> {
      count++
      return { send: () => queueMicrotask(() => events.gone(new WorkerEnded())), hold() {}, end() {} }
    },
  })
  await expect(run('echo')).rejects.toMatchObject({ code: 'ServiceUnavailable' })
  expect(count).toBe(2)
})

it('a pool throws 503 if the queue is full or a task waits too long', async () => {
  const { run } = pool({ runLimit: 1_500, queueLimit: 1, waitLimit: 100 })
  const running = run('forever')
  const waiting = run('echo')
  const refused = { code: 'ServiceUnavailable', headers: { 'retry-after': '1' } }
  await expect(run('echo')).rejects.toMatchObject(refused)
  await expect(waiting).rejects.toMatchObject(refused)
  await expect(waiting).rejects.toThrow(AppError)
  await expect(running).rejects.toThrow(WorkTooLarge)
})
