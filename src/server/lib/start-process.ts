import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from './worker-errors.ts'
import {
  checkIntervalMs,
  exceededExitCode,
  exceeds,
  type Message,
  type Order,
  type Outcome,
  type Usage,
} from './worker-process.ts'

/** A process as the pool uses it. It keeps the main process alive only after `hold(true)`, until `hold(false)`. */
export interface PoolWorker<Task> {
  send(task: Task): void
  hold(isBusy: boolean): void
  end(): void
}

/** Events of a worker: the start and the outcome of a task, its calls, and the end of the worker for any reason. */
export interface WorkerEvents<Result> {
  begins(): void
  /** `isLast`: the worker takes no further task and exits. */
  outcome(outcome: Outcome<Result>, isLast?: boolean): void
  /** Returns the answer to a call. Never throws. */
  call(call: unknown): Promise<unknown>
  /** Called once, and never before `startProcess` has returned. */
  gone(reason: unknown): void
}

export interface WorkerBounds {
  /** Memory limit of the process in MB, of which 256 MB are for everything except its heap. */
  memory: number
  /** Maximum CPU time of a task, in milliseconds. */
  cpuLimit: number
  /** Maximum CPU time of a task without a call, in milliseconds. Elapsed time if there is no /proc. */
  silenceLimit: number
  /** Whether the process runs at low priority. */
  isLowPriority: boolean
}

/**
 * MB of a process outside the old generation of its heap: up to 110 when it starts (Node.js and our code), 48 of the
 * young generation, and buffers.
 */
const nonHeapMb = 256
/** MB of heap that every process may use. */
const minHeapMb = 64
/** Maximum number of characters kept from a report of V8. */
const maxErrorChars = 32_768
/** The kernel reports CPU time in hundredths of a second. */
const millisecondsPerTick = 10

/** Environment variables of a process. Code that parses untrusted data gets no secrets. */
const environmentNames = [
  'PATH',
  'NODE_ENV',
  'SystemRoot',
  // Conversions download files and may need the operator's certificates.
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

/**
 * Starts a pool worker: a process, because code that parses untrusted data may exhaust the memory or crash. The process
 * runs `serveProcess`, and is killed if it exceeds one of the limits in `bounds`. A process of low priority may take
 * much longer on a busy machine, so the time limits count CPU time.
 *
 * The process checks itself and is also checked from outside through /proc, because a task that blocks its thread also
 * blocks its timers. A process whose memory has grown is replaced, so that earlier tasks do not decide whether the next
 * task fits.
 */
export function startProcess<Task, Result>(
  entry: URL,
  events: WorkerEvents<Result>,
  bounds: WorkerBounds,
): PoolWorker<Task> {
  let child: ChildProcess
  try {
    child = forkEntry(entry, bounds)
  } catch (error) {
    queueMicrotask(() => events.gone(error))
    return { send() {}, hold() {}, end() {} }
  }
  let isGone = false
  const gone = (reason: unknown) => {
    if (isGone) return
    isGone = true
    clearInterval(watching)
    events.gone(reason)
  }
  /** Why the server killed the process. `undefined` if the pool ended it, or if it exited. */
  let endReason: unknown
  const kill = (reason?: unknown) => {
    endReason ??= reason
    // Without an id, the signal could reach our own process group.
    if (child.pid !== undefined) child.kill('SIGKILL')
  }
  const send = (order: Order<Task>) => {
    // Without free file descriptors, Node.js creates no channel and emits an error.
    if (!child.channel) return
    try {
      child.send(order, (error) => error && kill())
    } catch (error) {
      kill(error) // the order cannot be cloned
    }
  }
  let watching: NodeJS.Timeout | undefined
  let isHeard = false
  function watch(cpuBefore: number): NodeJS.Timeout {
    let heardAt: number | undefined
    return setInterval(() => {
      const usage = usageOf(child.pid)
      if (usage === null && process.platform === 'linux') return // the process has ended
      const time = usage?.cpu ?? performance.now()
      if (isHeard || heardAt === undefined) heardAt = time
      isHeard = false
      if (usage !== null && exceeds(usage, bounds, cpuBefore)) kill(new WorkTooLarge())
      else if (time - heardAt > bounds.silenceLimit) kill(new WorkTookTooLong())
    }, checkIntervalMs).unref()
  }
  child.on('message', (received) => {
    // The outcome of a task that exceeded a limit may still arrive.
    if (endReason !== undefined) return
    const message = received as Message<Result>
    isHeard = true
    if ('call' in message) {
      const { call, id } = message
      void events.call(call).then((answer) => send({ answer, id }))
      return
    }
    clearInterval(watching)
    if ('begins' in message) {
      watching = watch(message.cpu)
      events.begins()
    } else events.outcome(message.outcome, message.isLast)
  })
  const errors = passErrors(child.stderr)
  child.on('error', gone)
  // Output may still be unread after `exit`.
  child.once('close', (code) => {
    const isFull = errors.end() || code === exceededExitCode
    gone(endReason ?? (isFull ? new WorkTooLarge() : new WorkerEnded('The worker ended before its work')))
  })
  return {
    send: (task) => send({ task }),
    hold(isBusy) {
      for (const one of [child, child.channel, child.stderr as Socket | null])
        isBusy ? one?.ref() : one?.unref()
    },
    end: () => kill(),
  }
}

function forkEntry(entry: URL, { memory, cpuLimit, isLowPriority }: WorkerBounds): ChildProcess {
  const isTypeScript = entry.pathname.endsWith('.ts')
  const nodeOptions = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)]
  const child = fork(fileURLToPath(entry), [memory, cpuLimit, process.pid].map(String), {
    serialization: 'advanced',
    env: Object.fromEntries(
      environmentNames.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
    execArgv: [
      ...(isTypeScript ? ['--import', import.meta.resolve('tsx')] : []),
      ...nodeOptions.filter((option) => /^--use-[a-z]+-ca$/.test(option)),
      `--max-old-space-size=${Math.max(minHeapMb, memory - nonHeapMb)}`,
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  if (child.pid === undefined) return child
  try {
    if (isLowPriority) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // the process has ended already, or the system forbids it
  if (process.platform === 'linux') {
    // V8 aborts a process whose heap is full. The core file would contain users' data, so no memory is written to it.
    setInProc(child.pid, 'coredump_filter', '0')
    // If the machine has no memory left, the kernel kills this process first, and not the server or PostgreSQL.
    setInProc(child.pid, 'oom_score_adj', '1000')
  }
  return child
}

/** Writes a setting of the kernel for a process. Does nothing if the process has ended, or /proc is read-only. */
function setInProc(pid: number, name: string, value: string): void {
  try {
    writeFileSync(`/proc/${pid}/${name}`, value)
  } catch {}
}

/**
 * Returns the resources used by another process on Linux. `null` on other systems, and for a process that has ended.
 */
function usageOf(pid: number | undefined): Usage | null {
  try {
    // After the name, which may contain any character, the 12th and 13th values are the user and kernel time.
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
 * Forwards the lines of a process's standard error, except V8's report of a full heap, which may contain users' data.
 * `end` returns whether there was such a report.
 */
function passErrors(stream: Readable | null) {
  /** The last line if it is incomplete. From the first line of a report, all text. */
  let rest = ''
  let isReport = false
  let isFull = false
  const pass = (length: number) => {
    if (length > 0) process.stderr.write(rest.slice(0, length))
    rest = rest.slice(length)
  }
  const add = (text: string) => {
    rest += text
    isFull ||= /^(FATAL ERROR: .*|# Fatal \w+ )out of memory/m.test(rest)
    const reportAt = isReport ? 0 : rest.search(/^(<--- Last few GCs|FATAL ERROR: |# Fatal )/m)
    isReport = reportAt >= 0
    if (isReport) {
      pass(reportAt)
      rest = rest.slice(-maxErrorChars)
    } else pass(rest.length > maxErrorChars ? rest.length : rest.lastIndexOf('\n') + 1)
  }
  stream
    ?.setEncoding('utf8')
    .on('data', add)
    .on('error', () => {})
  return {
    end() {
      if (!isFull) pass(rest.length)
      return isFull
    },
  }
}
