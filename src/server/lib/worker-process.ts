import { Worker } from 'node:worker_threads'

/* The code of a pool process: its main loop, and the messages that it exchanges with the server (start-process.ts). */

export type Outcome<Result> = { result: Result } | { error: unknown }

/**
 * Messages of a process: a task begins, a call to the server, or the outcome of the task. After an outcome with
 * `isLast`, the process ends.
 */
export type Message<Result> =
  | { begins: true; cpu: number }
  | { call: unknown; id: number }
  | { outcome: Outcome<Result>; isLast: boolean }

/** Messages to a process: a task, or the answer to a call. */
export type Order<Task> = { task: Task } | { answer: unknown; id: number }

/** Resources used by a process: CPU time in milliseconds, and current memory in MB. */
export interface Usage {
  cpu: number
  memory: number
}

/** The exit code of a process that ended itself because its task exceeded its limit of memory or time. */
export const exceededExitCode = 86
/** Milliseconds between two checks of resource usage. */
export const checkIntervalMs = 25
/** The fraction of `memory` that earlier tasks may leave allocated before a process is replaced. */
const leftBehind = 1 / 8

/** Returns whether a process exceeds its memory limit, or its task the limit of CPU time. */
export const exceeds = (usage: Usage, limits: { memory: number; cpuLimit: number }, cpuBefore: number) =>
  usage.memory > limits.memory || usage.cpu - cpuBefore > limits.cpuLimit

/**
 * Sends a call to `onCall` of the task and returns the answer. If the task has already ended, nothing is sent and the
 * promise stays pending.
 */
export type CallServer = (call: unknown) => Promise<unknown>

/**
 * Runs the main loop of a pool process, one task after the other. The process exits when its parent has ended, when a
 * task exceeds a limit, or after a task if its memory has grown.
 */
export function serveProcess<Task, Result>(
  handle: (task: Task, callServer: CallServer) => Result | Promise<Result>,
): void {
  const [memory, cpuLimit, parent] = process.argv.slice(2).map(Number) as [number, number, number]
  endWithParent(parent)
  // These signals are for the server, which first finishes its work and then ends its processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // If the server was killed meanwhile, the message is lost. `disconnect` then ends this process.
  const sendMessage = (message: Message<Result>) =>
    new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()))
  const calls = new Map<number, (answer: unknown) => void>()
  let lastCall = 0
  let memoryBefore: number | undefined
  async function run(task: Task) {
    const { cpu, memory: atStart } = getOwnUsage()
    memoryBefore ??= atStart
    // Sent before the work begins, because the work may block this thread.
    await sendMessage({ begins: true, cpu })
    const watching = setInterval(() => {
      if (exceeds(getOwnUsage(), { memory, cpuLimit }, cpu)) process.exit(exceededExitCode)
    }, checkIntervalMs)
    let hasEnded = false
    const callServer: CallServer = (call) =>
      new Promise((resolve) => {
        // Otherwise the server would pass the call to the next task.
        if (hasEnded) return
        const id = ++lastCall
        calls.set(id, resolve)
        void sendMessage({ call, id })
      })
    let outcome: Outcome<Result>
    try {
      outcome = { result: await handle(task, callServer) }
    } catch (error) {
      outcome = { error }
    }
    hasEnded = true
    clearInterval(watching)
    calls.clear()
    const isLast = getOwnUsage().memory - memoryBefore > memory * leftBehind
    await sendMessage({ outcome, isLast })
    if (isLast) process.exit(0)
  }
  process.on('message', (order: Order<Task>) => {
    if ('task' in order) return run(order.task)
    calls.get(order.id)?.(order.answer)
    calls.delete(order.id)
  })
}

function getOwnUsage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1000, memory: process.memoryUsage.rss() / 1024 / 1024 }
}

/**
 * Ends this process when its parent has ended, also while a task blocks the main thread. The parent's id is passed,
 * because the parent may end before this code runs.
 */
function endWithParent(parent: number): void {
  process.on('disconnect', () => process.exit(0))
  const code = `const { workerData } = require('node:worker_threads')
    setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL') }, 1000)`
  new Worker(code, { eval: true, execArgv: [], workerData: parent }).unref()
}
