import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuTime } from './cpu-time.ts'
import { median, onLoadCore, seconds } from './options.ts'

/* Starts the measured processes and the load, and computes the cost of a request. */

const children = new Set<ChildProcess>()
/** Temporary folder of this run. */
export const folder = mkdtempSync(join(tmpdir(), 'imori-bench-'))

/** Ends the started processes and removes the files. */
export async function close(): Promise<void> {
  await Promise.all(
    [...children].map(
      (child) =>
        new Promise((resolve) => {
          child.once('exit', resolve)
          child.kill()
        }),
    ),
  )
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a command. Returns its process and the first line of its output that matches `pattern`. */
export async function startCommand(
  [file = '', ...rest]: string[],
  env: NodeJS.ProcessEnv = {},
  pattern = /^/,
): Promise<[ChildProcess, string]> {
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  for await (const line of createInterface({ input: child.stdout }))
    if (pattern.test(line)) return [child, line]
  throw new Error(`${[file, ...rest].join(' ')} ended without a word`)
}

const script = (name: string, ...parameters: string[]) => [
  process.execPath,
  '--import',
  'tsx',
  `bench/${name}`,
  ...parameters,
]

/** Starts a script of this folder. Returns its process and the first line of its output. */
export const start = (name: string, ...parameters: string[]) => startCommand(script(name, ...parameters))

export interface Case {
  name: string
  connections: number
  requests: string[]
}

export interface Measured {
  perSecond: number
  /** CPU time per request in µs, of all measured processes (`cpu`) and of the first one alone (`own`). */
  cpu: number
  own: number
  /** 95th and 99th percentile of the response time in ms. */
  p95: number
  p99: number
  /** Number of all responses, including the warm-up. */
  all: number
}

/** Runs a case against a port. `back`: pids of the measured processes, whose children are included. */
export async function measure(
  port: string,
  { requests, connections }: Case,
  back: number[],
): Promise<Measured> {
  const file = join(folder, 'requests.json')
  writeFileSync(file, JSON.stringify(requests))
  const used = () => ({
    cpu: cpuTime(back) ?? Number.NaN,
    own: cpuTime(back.slice(0, 1), { children: false }) ?? Number.NaN,
  })
  const before = used()
  const [, line] = await startCommand(
    onLoadCore(script('load.ts', port, file, String(connections), String(seconds))),
  )
  const after = used()
  const result = JSON.parse(line)
  return {
    perSecond: result.requests / result.seconds,
    cpu: ((after.cpu - before.cpu) * 1000) / result.all,
    own: ((after.own - before.own) * 1000) / result.all,
    p95: result.p95,
    p99: result.p99,
    all: result.all,
  }
}

/** Returns a complete HTTP request as text. */
export const request = (method: string, path: string, headers: Record<string, string>, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

export const rate = (runs: Measured[]) => median(runs.map(({ perSecond }) => perSecond))
export const cpu = (runs: Measured[]) => median(runs.map((run) => run.cpu))
export const ownCpu = (runs: Measured[]) => median(runs.map((run) => run.own))
export const whole = (value: number) => Math.round(value).toLocaleString('en')
