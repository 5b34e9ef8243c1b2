import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from './worker-errors.ts'
import { createWorkerPool, type PoolOptions } from './worker-pool.ts'

type Task =
  | 'pid'
  | 'environment'
  | 'options'
  | 'refuse'
  | 'crash'
  | 'wait'
  | 'memory'
  | 'compute'
  | 'report'
  | 'block'
  | 'keep'
  | 'warn'
  | 'fill'

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
      options: async () => process.execArgv,
      refuse: async () => { throw new Error('refused') },
      crash: async () => process.abort(),
      wait: () => new Promise(() => { setInterval(() => {}, 1000) }),
      memory: async () => { const all = []; for (;;) { all.push(Buffer.alloc(10_000_000, 1)); await pause() } },
      compute: async () => { for (;;) { for (let n = 0; n < 1e7; n++); await pause() } },
      report: async (call) => {
        const start = process.cpuUsage().user
        while (process.cpuUsage().user - start < 600_000) { for (let n = 0; n < 1e7; n++); await call('progress') }
      },
      warn: async (call) => { process.stderr.write('a warning\\n'); await call('warned') },
      fill: async () => {
        process.stderr.write('before\\n<--- Last few GCs --->\\n\\nFATAL ERROR: Reached heap limit ' +
          'Allocation failed - JavaScript heap out of memory\\n' + 'frames of the stack\\n'.repeat(10_000), () =>
            process.abort())
        await new Promise(() => {})
      },
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
  return (name: Task, options?: Parameters<typeof run>[1]) => run({ name }, options)
}

/**
 * Returns whether the process is running. A process that has ended, but was not waited for by its new parent, counts as
 * ended.
 */
const isThere = (pid: number) => {
  try {
    if (process.platform === 'linux') return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a pool process has low priority if requested, and does not inherit IMORI_SESSION_KEY', async () => {
  vi.stubEnv('IMORI_SESSION_KEY', 'secret')
  vi.stubEnv('SSL_CERT_DIR', '/etc/ssl/certs')
  vi.stubEnv('NODE_OPTIONS', '--no-warnings --use-openssl-ca')
  const run = pool({ isLowPriority: true })
  const pid = Number(await run('pid'))
  vi.unstubAllEnvs()
  expect(pid).not.toBe(process.pid)
  expect(await run('environment')).toContain('SSL_CERT_DIR')
  expect(await run('options')).toContain('--use-openssl-ca')
  expect(await run('options')).not.toContain('--no-warnings')
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
  expect(await run('pid')).toBe(pid)
  expect(await run('environment')).not.toContain('IMORI_SESSION_KEY')
  await expect(run('refuse')).rejects.toThrow('refused')
  expect(getPriority(Number(await pool()('pid')))).toBe(getPriority())
})

it.runIf(process.platform === 'linux')(
  'a pool process has the core dump filter 0, which excludes memory',
  async () => {
    const pid = await pool()('pid')
    expect(await readFile(`/proc/${pid}/coredump_filter`, 'utf8')).toMatch(/^0+\n$/)
  },
)

it.runIf(process.platform === 'linux')('a pool process has the maximum OOM score adjustment', async () => {
  const pid = await pool()('pid')
  expect(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n')
})

/** Collects the text that this process writes to its standard error during `run`. */
async function collectErrors(run: (written: () => string) => Promise<void>) {
  let text = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((part) => {
    text += part
    return true
  })
  try {
    await run(() => text)
  } finally {
    write.mockRestore()
  }
}

it('the standard error of a pool process is forwarded while its task runs', () =>
  collectErrors(async (written) => {
    await pool()('warn', {
      onCall: () =>
        expect
          .poll(written)
          .toBe('a warning\n')
          .then(() => null),
    })
  }))

it('a long heap report of V8 leads to WorkTooLarge and is not forwarded', { tags: ['full'] }, () =>
  collectErrors(async (written) => {
    await expect(pool()('fill')).rejects.toThrow(WorkTooLarge)
    expect(written()).toBe('before\n')
  }),
)

/** Starts a process that creates a pool and runs `code`, with at most `maxFiles` open files. */
async function startParent(code: string, worker = entry, maxFiles = 1_000) {
  const file = join(folder, `${randomUUID()}.mts`)
  await writeFile(
    file,
    `import { createWorkerPool } from ${JSON.stringify(new URL('worker-pool.ts', import.meta.url).href)}
    const pool = createWorkerPool({ entry: new URL(${JSON.stringify(worker.href)}), processes: 1 })
    ${code}`,
  )
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), file]
  return spawn('sh', ['-c', `ulimit -n ${maxFiles} && exec "$0" "$@"`, ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

const killIfThere = (pid: number) => {
  if (isThere(pid)) process.kill(pid, 'SIGKILL')
}

it('a pool process ends if its parent is killed while a task blocks the process', {
  tags: ['full'],
}, async () => {
  const parent = await startParent(`void pool.run({ name: 'block' }, { onCall: (pid) => process.send(pid) })`)
  let pid = 0
  try {
    ;[pid] = await once(parent, 'message')
    expect(isThere(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false)
  } finally {
    parent.kill('SIGKILL')
    if (pid) killIfThere(pid)
  }
})

it('a pool process ends if its parent is killed while the process starts', {
  tags: ['full'],
}, async () => {
  const [started, mayContinue] = [join(folder, 'started'), join(folder, 'may-continue')]
  const file = join(folder, 'slow.ts')
  await writeFile(
    file,
    `import { existsSync, writeFileSync } from 'node:fs'
    import { serveProcess } from ${JSON.stringify(new URL('worker-process.ts', import.meta.url).href)}
    writeFileSync(${JSON.stringify(started)}, process.pid + '\\n')
    while (!existsSync(${JSON.stringify(mayContinue)}));
    serveProcess(() => {})
    for (;;);`,
  )
  const parent = await startParent(`void pool.run({ name: 'pid' })`, pathToFileURL(file))
  let pid = 0
  try {
    await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toMatch(/\n/)
    pid = Number(readFileSync(started, 'utf8'))
    const end = once(parent, 'exit')
    parent.kill('SIGKILL')
    await end
    await writeFile(mayContinue, '')
    await expect.poll(() => isThere(pid)).toBe(false)
  } finally {
    parent.kill('SIGKILL')
    if (pid) killIfThere(pid)
  }
})

it.runIf(process.platform === 'linux')(
  'tasks fail if their process cannot be started, and a later task gets a new process',
  {
    tags: ['full'],
  },
  async () => {
    const parent = await startParent(
      `import { closeSync, openSync } from 'node:fs'
    const files = []
    const onCall = (pid) => {
      for (;;) try { files.push(openSync('/dev/null')) } catch { break }
      process.kill(pid, 'SIGKILL')
    }
    const tasks = [pool.run({ name: 'block' }, { onCall }), pool.run({ name: 'pid' })]
    const outcomes = await Promise.allSettled(tasks)
    for (const file of files) closeSync(file)
    const next = await pool.run({ name: 'pid' })
    process.send({ codes: outcomes.map(({ reason }) => reason?.code), next: typeof next })
    process.disconnect()`,
      entry,
      100,
    )
    const end = once(parent, 'exit')
    const [answer] = await Promise.race([once(parent, 'message'), end])
    expect(answer).toEqual({ codes: ['EMFILE', 'EMFILE'], next: 'number' })
    expect(await end).toEqual([0, null])
  },
)

it('an idle pool process does not keep its parent running', { tags: ['full'] }, async () => {
  const parent = await startParent(`await pool.run({ name: 'pid' })\nprocess.disconnect()`)
  expect(await once(parent, 'exit')).toEqual([0, null])
})

it('a task that exceeds a limit of memory or time is ended, and the pool continues with a new process', {
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
  // The limit also ends work that blocks the event loop of its process.
  await ofTheWork(busy('block'))
  expect(await busy('pid')).toBeTypeOf('number')
  // Only the time without a call counts for `silenceLimit`, not the total time.
  const silent = pool({ silenceLimit: 300, runLimit: 120_000 })
  await silent('report')
  await expect(silent('block')).rejects.toThrow(WorkTookTooLong)
  const patient = pool({ runLimit: 2_000 })
  // On a busy machine, the response may take longer than `runLimit`.
  const pid = async (): Promise<unknown> => {
    for (;;)
      try {
        return await patient('pid')
      } catch (error) {
        if (!(error instanceof WorkTookTooLong)) throw error
      }
  }
  const first = await pid()
  // A busy machine may also be the cause, so the error is `WorkTookTooLong`.
  await expect(patient('block')).rejects.toThrow(WorkTookTooLong)
  expect(await pid()).not.toBe(first)
})

it('a process whose memory has grown is replaced, and the new process runs the waiting tasks', {
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

it('a task whose process is killed is run a second time, but not a third time', {
  tags: ['full'],
}, async () => {
  const run = pool({ processes: 2 })
  const [first, second] = (await Promise.all([run('pid'), run('pid')])) as [number, number]
  expect(first).not.toBe(second)
  const pids: unknown[] = []
  const onCall = (pid: unknown) => void pids.push(pid)
  const blocked = [run('block', { onCall }), run('block', { onCall })].map((work) =>
    work.catch((error) => error),
  )
  await expect.poll(() => pids).toHaveLength(2)
  process.kill(first, 'SIGKILL')
  await expect.poll(() => pids).toHaveLength(3)
  expect(isThere(second)).toBe(true)
  process.kill(Number(pids[2]), 'SIGKILL')
  expect(await Promise.race(blocked)).toBeInstanceOf(WorkerEnded)
  process.kill(second, 'SIGKILL')
  await expect.poll(() => pids).toHaveLength(4)
  process.kill(Number(pids[3]), 'SIGKILL')
  expect(await Promise.all(blocked)).toEqual([expect.any(WorkerEnded), expect.any(WorkerEnded)])
  await expect(run('crash')).rejects.toThrow(WorkerEnded)
  expect(await run('pid')).toBeTypeOf('number')
})

it('a task is run even if the idle process has just been killed', async () => {
  const run = pool()
  const pid = Number(await run('pid'))
  process.kill(pid, 'SIGKILL')
  expect(await run('pid')).not.toBe(pid)
})

it('an idle process is ended after `idleLimit`', async () => {
  const run = pool({ idleLimit: 50 })
  const pid = Number(await run('pid'))
  await expect.poll(() => isThere(pid)).toBe(false)
  expect(await run('pid')).not.toBe(pid)
})
