import { fork } from 'node:child_process'
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

/** How a process says that it ended itself: its task took more memory or time than any may. */
const tooMuch = 86
/** Milliseconds between looks at what one takes. */
const lookEvery = 25

/**
 * Starts a worker of a pool as a process of its own, of a lower priority: for code that is not to be trusted with our
 * memory, or that may crash. It serves with {@link serveProcess}, and ends itself when all of it takes more than `memory`
 * MB, or a task more than `cpuLimit` milliseconds of processor time (on a busy machine its priority makes that much longer).
 */
export function startProcess<Task, Result>(
  entry: URL,
  events: WorkerEvents<Result>,
  { memory, cpuLimit }: WorkerBounds,
): PoolWorker<Task> {
  const isTypeScript = entry.pathname.endsWith('.ts')
  const child = fork(fileURLToPath(entry), [String(memory), String(cpuLimit)], {
    serialization: 'advanced',
    // What decodes files of strangers gets to see no secret.
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
  child.on('message', (outcome) => events.outcome(outcome as Outcome<Result>))
  child.once('error', gone)
  child.once('exit', (code) =>
    gone(code === tooMuch ? new WorkTooLarge() : new WorkerEnded('The worker ended before its work')),
  )
  return {
    send: (task) => child.send(task as object, (error) => error && child.kill('SIGKILL')),
    hold(isBusy) {
      for (const one of [child, child.channel]) isBusy ? one?.ref() : one?.unref()
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** What a worker's process does: one task after the other, until whoever started it is gone. */
export function serveProcess<Task, Result>(handle: (task: Task) => Promise<Result>): void {
  const [memory, cpuLimit] = process.argv.slice(2).map(Number) as [number, number]
  const watch = () => {
    const begun = process.cpuUsage()
    return setInterval(() => {
      const { user, system } = process.cpuUsage(begun)
      if (process.memoryUsage.rss() > memory * 1024 * 1024 || user + system > cpuLimit * 1000)
        process.exit(tooMuch)
    }, lookEvery)
  }
  process.on('disconnect', () => process.exit(0))
  // They are for the server, which ends what it has under way, and then its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('message', async (task: Task) => {
    const watching = watch()
    let outcome: Outcome<Result>
    try {
      outcome = { result: await handle(task) }
    } catch (error) {
      outcome = { error }
    }
    clearInterval(watching)
    // A server that was killed meanwhile takes no answer; `disconnect` ends this process.
    process.send?.(outcome, undefined, undefined, () => {})
  })
}
