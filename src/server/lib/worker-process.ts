import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { WorkerEnded, WorkTooLarge } from './worker-errors.ts'

/** A process as the pool uses it. It keeps the main process alive only while it is held. */
export interface PoolWorker<Task> {
  send(task: Task): void
  hold(isBusy: boolean): void
  end(): void
}

/** Events of a worker: the outcome of a task, its calls, and the end of the worker for whatever reason. */
export interface WorkerEvents<Result> {
  /** `isLast`: the worker takes no other task, and ends by itself. */
  outcome(outcome: Outcome<Result>, isLast?: boolean): void
  /** Returns the answer to a call; never throws. */
  call(call: unknown): Promise<unknown>
  gone(reason: Error): void
}

export interface WorkerBounds {
  /** Memory limit of the process, in MB: its heap, and 256 MB for everything else. */
  memory: number
  /** Maximum CPU time of a task, in milliseconds. */
  cpuLimit: number
  /** Whether the process gives way to others; false if a request waits for its tasks. */
  isLowPriority: boolean
}

/** The result of a task, or the error it has thrown. */
type Outcome<Result> = { result: Result } | { error: unknown }

/** The exit code of a process that ended itself because its task exceeded memory or time. */
const tooMuch = 86
/** Milliseconds between two checks of resource usage. */
const lookEvery = 25
/**
 * MB of a process that are not in the old generation of its heap: up to 110 when it starts (Node.js and our code), 48 of
 * the young generation, and buffers.
 */
const besidesHeap = 256
/** MB of heap that every process may have. */
const leastHeap = 64
/** The fraction of `memory` that earlier tasks may leave allocated before a process is replaced. */
const leftBehind = 1 / 8
/** Maximum number of characters kept of what a process writes to its standard error. */
const maxErrorOutput = 32_768

/**
 * Messages of a process: a task begins, a call to the server, or the outcome of the task; after an outcome with `isLast`,
 * the process ends.
 */
type Message<Result> =
  | { begins: true; cpu: number }
  | { call: unknown; id: number }
  | { outcome: Outcome<Result>; isLast: boolean }

/** Messages to a process: a task, or the answer to a call. */
type Order<Task> = { task: Task } | { answer: unknown; id: number }

/** Resources used by a process: CPU time in milliseconds, and current memory in MB. */
interface Usage {
  cpu: number
  memory: number
}

function ownUsage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1000, memory: process.memoryUsage.rss() / 1024 / 1024 }
}

/** The kernel reports CPU time in hundredths of a second. */
const millisecondsPerTick = 10

/** The resources used by another process, on Linux; null elsewhere, and for a process that has ended. */
function usageOf(pid: number): Usage | null {
  try {
    // After the name, which may contain anything, the 12th and 13th values are the user and kernel time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    const ticks = Number(values[11]) + Number(values[12])
    return { cpu: ticks * millisecondsPerTick, memory: Number(rss?.[1] ?? 0) / 1024 }
  } catch {
    return null
  }
}

/**
 * Starts a pool worker: a process, because code that parses untrusted data may use too much memory or crash. It runs
 * {@link serveProcess}, and is killed when the process exceeds `memory` MB, or a task `cpuLimit` milliseconds of CPU time
 * (which takes much longer on a busy machine if its priority is low).
 * It checks itself and is also checked from outside through /proc, because a task that blocks its thread also blocks its
 * timers; without /proc, only the pool's `runLimit` ends such a task. A process whose memory has grown is replaced, so that
 * earlier tasks do not decide whether the next one fits.
 */
export function startProcess<Task, Result>(
  entry: URL,
  events: WorkerEvents<Result>,
  { memory, cpuLimit, isLowPriority }: WorkerBounds,
): PoolWorker<Task> {
  const isTypeScript = entry.pathname.endsWith('.ts')
  const child = fork(fileURLToPath(entry), [String(memory), String(cpuLimit)], {
    serialization: 'advanced',
    // Code that parses untrusted data gets no secrets from the environment.
    env: Object.fromEntries(
      ['PATH', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'SystemRoot'].flatMap((name) =>
        process.env[name] ? [[name, process.env[name]]] : [],
      ),
    ),
    execArgv: [
      ...(isTypeScript ? ['--import', import.meta.resolve('tsx')] : []),
      `--max-old-space-size=${Math.max(leastHeap, memory - besidesHeap)}`,
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  try {
    if (child.pid && isLowPriority) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    // V8 aborts a process whose heap is full. The core file would contain users' data, so it gets no memory.
    if (process.platform === 'linux') writeFileSync(`/proc/${child.pid}/coredump_filter`, '0')
  } catch {} // has ended already
  let isGone = false
  const gone = (reason: Error) => {
    if (!isGone) events.gone(reason)
    isGone = true
  }
  const kill = () => void child.kill('SIGKILL')
  const send = (order: Order<Task>) => child.send(order, (error) => error && kill())
  let watching: NodeJS.Timeout | undefined
  let isTooMuch = false
  const watch = (cpuBefore: number) =>
    setInterval(() => {
      const usage = child.pid === undefined ? null : usageOf(child.pid)
      if (usage === null || !exceeds(usage, { memory, cpuLimit }, cpuBefore)) return
      isTooMuch = true
      kill()
    }, lookEvery).unref()
  child.on('message', (message) => {
    const said = message as Message<Result>
    if ('call' in said) {
      const { call, id } = said
      events.call(call).then((answer) => send({ answer, id }), kill)
      return
    }
    clearInterval(watching)
    if ('begins' in said) watching = watch(said.cpu)
    else events.outcome(said.outcome, said.isLast)
  })
  let errorOutput = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-maxErrorOutput)
  })
  child.once('error', gone)
  // After `exit`, output may still be unread.
  child.once('close', (code) => {
    clearInterval(watching)
    const isFull = /^(FATAL ERROR: .*|# Fatal \w+ )out of memory/m.test(errorOutput)
    if (!isFull) process.stderr.write(errorOutput)
    const ended = isTooMuch || isFull || code === tooMuch
    gone(ended ? new WorkTooLarge() : new WorkerEnded('The worker ended before its work'))
  })
  return {
    send: (task) => void send({ task }),
    hold(isBusy) {
      for (const one of [child, child.channel, child.stderr as Socket | null])
        isBusy ? one?.ref() : one?.unref()
    },
    end: kill,
  }
}

const exceeds = (
  { cpu, memory }: Usage,
  bounds: Pick<WorkerBounds, 'memory' | 'cpuLimit'>,
  cpuBefore: number,
) => memory > bounds.memory || cpu - cpuBefore > bounds.cpuLimit

/** Sends a call to `onCall` of the task, and returns its answer. */
export type CallServer = (call: unknown) => Promise<unknown>

/** The main loop of a worker process: runs one task after the other, until its parent is gone. */
export function serveProcess<Task, Result>(
  handle: (task: Task, callServer: CallServer) => Result | Promise<Result>,
): void {
  const [memory, cpuLimit] = process.argv.slice(2).map(Number) as [number, number]
  const fresh = process.memoryUsage.rss()
  endWithParent()
  // These signals are for the server, which first finishes its work and then ends its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // If the server was killed meanwhile, the message is lost; `disconnect` ends this process.
  const say = (message: Message<Result>) =>
    new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()))
  const calls = new Map<number, (answer: unknown) => void>()
  let lastCall = 0
  const callServer: CallServer = (call) =>
    new Promise((resolve) => {
      const id = ++lastCall
      calls.set(id, resolve)
      void say({ call, id })
    })
  async function run(task: Task) {
    const { cpu } = ownUsage()
    // Sent before the work begins, because the work may block this thread.
    await say({ begins: true, cpu })
    const watching = setInterval(() => {
      if (exceeds(ownUsage(), { memory, cpuLimit }, cpu)) process.exit(tooMuch)
    }, lookEvery)
    let outcome: Outcome<Result>
    try {
      outcome = { result: await handle(task, callServer) }
    } catch (error) {
      outcome = { error }
    }
    clearInterval(watching)
    calls.clear()
    const isLast = process.memoryUsage.rss() - fresh > memory * 1024 * 1024 * leftBehind
    await say({ outcome, isLast })
    if (isLast) process.exit(0)
  }
  process.on('message', (order: Order<Task>) => {
    if ('task' in order) return run(order.task)
    calls.get(order.id)?.(order.answer)
    calls.delete(order.id)
  })
}

/** Ends this process when its parent is gone, also while a task blocks the main thread. */
function endWithParent(): void {
  process.on('disconnect', () => process.exit(0))
  const code = `const { workerData } = require('node:worker_threads')
    setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL') }, 1000)`
  new Worker(code, { eval: true, execArgv: [], workerData: process.ppid }).unref()
}
