import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { createWorkerPool, type PoolOptions, WorkTooLarge } from './worker-pool.ts'

let folder: string
let entry: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-workers-'))
  const file = join(folder, 'worker.mjs')
  entry = pathToFileURL(file)
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads'
    const works = {
      echo: () => ({ result: 'echo' }),
      refuse: () => ({ error: new Error('refused') }),
      forever: () => { for (;;); },
      memory: () => { const all = []; for (;;) all.push(new Array(1000).fill(all.length)) },
      crash: () => process.exit(1),
    }
    parentPort.on('message', (task) => parentPort.postMessage(works[task]()))`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

type Task = 'echo' | 'refuse' | 'forever' | 'memory' | 'crash'
const pool = (options: Omit<PoolOptions<Task>, 'entry'>) =>
  createWorkerPool<Task, string>({ entry, threads: 1, ...options })

it('answers what the worker answers, one after the other', async () => {
  const { run } = pool({})
  expect(await Promise.all([run('echo'), run('echo'), run('echo')])).toEqual(['echo', 'echo', 'echo'])
  await expect(run('refuse')).rejects.toThrow('refused')
  expect(await run('echo')).toBe('echo')
})

it('gives work up when nobody wants it any more, whether it runs or waits', async () => {
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

it('takes what is short first', async () => {
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

it('keeps a thread for others while an owner has as many as allowed, and forgets ended work', async () => {
  const { run } = pool({
    threads: 2,
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

it('ends what takes too long, and goes on with a new thread', async () => {
  const { run } = pool({ runLimit: 1_000 })
  const [forever, next] = await Promise.allSettled([run('forever'), run('echo')])
  expect(forever).toMatchObject({ status: 'rejected', reason: expect.any(WorkTooLarge) })
  // Its time limit starts when it gets a thread.
  expect(next).toEqual({ status: 'fulfilled', value: 'echo' })
})

it('ends what takes too much memory', async () => {
  const { run } = pool({ memory: 16, runLimit: 25_000 })
  await expect(run('memory')).rejects.toThrow(WorkTooLarge)
  expect(await run('echo')).toBe('echo')
})

it('outlives a thread that ends', async () => {
  const { run } = pool({})
  await expect(run('crash')).rejects.toThrow('ended before')
  expect(await run('echo')).toBe('echo')
})

it('answers 503 when too much is waiting, or for too long', async () => {
  const { run } = pool({ runLimit: 1_500, queueLimit: 1, waitLimit: 100 })
  const running = run('forever')
  const waiting = run('echo')
  const refused = { code: 'ServiceUnavailable', headers: { 'retry-after': '1' } }
  await expect(run('echo')).rejects.toMatchObject(refused)
  await expect(waiting).rejects.toMatchObject(refused)
  await expect(waiting).rejects.toThrow(AppError)
  await expect(running).rejects.toThrow(WorkTooLarge)
})
