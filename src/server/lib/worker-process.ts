import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import {
  type Outcome,
  type PoolWorker,
  type WorkerBounds,
  WorkerEnded,
  type WorkerEvents,
  WorkTooLarge,
} from './worker-pool.ts'

/** The exit code of a process that ended itself because its task exceeded memory or time. */
const tooMuch = 86
/** Milliseconds between two checks of resource usage. */
const lookEvery = 25
/** The fraction of `memory` that earlier tasks may leave allocated before a process is replaced. */
const leftBehind = 1 / 8

/** Messages of a process: a task begins, or its outcome; after an outcome with `isLast`, the process ends. */
type Message<Result> = { begins: true; cpu: number } | { outcome: Outcome<Result>; isLast: boolean }

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
 * Starts a pool worker as a separate process with lower priority, for code that may use too much memory or crash. It runs
 * {@link serveProcess}, and is killed when the process exceeds `memory` MB, or a task `cpuLimit` milliseconds of CPU time
 * (which takes much longer on a busy machine, due to its priority).
 * It checks itself and is also checked from outside through /proc, because a task that blocks its thread also blocks its
 * timers; without /proc, only the pool's `runLimit` ends such a task. A process whose memory has grown is replaced, so that
 * earlier tasks do not decide whether the next one fits.
 */
export function startProcess<Task, Result>(
  entry: URL,
  events: WorkerEvents<Result>,
  { memory, cpuLimit }: WorkerBounds,
): PoolWorker<Task> {
  const isTypeScript = entry.pathname.endsWith('.ts')
  const child = fork(fileURLToPath(entry), [String(memory), String(cpuLimit)], {
    serialization: 'advanced',
    // Code that decodes untrusted files gets no secrets from the environment.
    env: Object.fromEntries(
      ['PATH', 'NODE_ENV', 'SystemRoot'].flatMap((name) =>
        process.env[name] ? [[name, process.env[name]]] : [],
      ),
    ),
    execArgv: [...(isTypeScript ? ['--import', import.meta.resolve('tsx')] : []), '--max-old-space-size=256'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // has ended already
  let isGone = false
  const gone = (reason: Error) => {
    if (!isGone) events.gone(reason)
    isGone = true
  }
  let watching: NodeJS.Timeout | undefined
  let isTooMuch = false
  const watch = (cpuBefore: number) =>
    setInterval(() => {
      const usage = child.pid === undefined ? null : usageOf(child.pid)
      if (usage === null || !exceeds(usage, { memory, cpuLimit }, cpuBefore)) return
      isTooMuch = true
      child.kill('SIGKILL')
    }, lookEvery).unref()
  child.on('message', (message) => {
    const said = message as Message<Result>
    clearInterval(watching)
    if ('begins' in said) watching = watch(said.cpu)
    else events.outcome(said.outcome, said.isLast)
  })
  child.once('error', gone)
  child.once('exit', (code) => {
    clearInterval(watching)
    const ended = isTooMuch || code === tooMuch
    gone(ended ? new WorkTooLarge() : new WorkerEnded('The worker ended before its work'))
  })
  return {
    send: (task) => child.send(task as object, (error) => error && child.kill('SIGKILL')),
    hold(isBusy) {
      for (const one of [child, child.channel]) isBusy ? one?.ref() : one?.unref()
    },
    end: () => void child.kill('SIGKILL'),
  }
}

const exceeds = ({ cpu, memory }: Usage, bounds: WorkerBounds, cpuBefore: number) =>
  memory > bounds.memory || cpu - cpuBefore > bounds.cpuLimit

/** The main loop of a worker process: runs one task after the other, until its parent is gone. */
export function serveProcess<Task, Result>(handle: (task: Task) => Promise<Result>): void {
  const [memory, cpuLimit] = process.argv.slice(2).map(Number) as [number, number]
  const fresh = process.memoryUsage.rss()
  process.on('disconnect', () => process.exit(0))
  // These signals are for the server, which first finishes its work and then ends its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // If the server was killed meanwhile, the message is lost; `disconnect` ends this process.
  const say = (message: Message<Result>) =>
    new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()))
  process.on('message', async (task: Task) => {
    const { cpu } = ownUsage()
    // Sent before the work begins, because the work may block this thread.
    await say({ begins: true, cpu })
    const watching = setInterval(() => {
      if (exceeds(ownUsage(), { memory, cpuLimit }, cpu)) process.exit(tooMuch)
    }, lookEvery)
    let outcome: Outcome<Result>
    try {
      outcome = { result: await handle(task) }
    } catch (error) {
      outcome = { error }
    }
    clearInterval(watching)
    const isLast = process.memoryUsage.rss() - fresh > memory * 1024 * 1024 * leftBehind
    await say({ outcome, isLast })
    if (isLast) process.exit(0)
  })
}
