import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuTime } from './cpu-time.ts'
import { median, onLoadCore, seconds } from './options.ts'

/* Processes that are measured, and what is measured of them. */

export interface Case {
  name: string
  connections: number
  requests: string[]
  /** Least ratio of what the bare server does; undefined: there is nothing to compare with. */
  target?: number
}

export const folder = mkdtempSync(join(tmpdir(), 'imori-bench-'))
const children = new Set<ChildProcess>()

/** Runs a script of this folder and gives its process and its first line of output. */
export async function start(
  isLoad: boolean,
  script: string,
  ...parameters: string[]
): Promise<[ChildProcess, string]> {
  const command = [process.execPath, '--import', 'tsx', `bench/${script}`, ...parameters]
  const [file = '', ...rest] = isLoad ? onLoadCore(command) : command
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  for await (const line of createInterface({ input: child.stdout })) return [child, line]
  throw new Error(`${script} ended without a word`)
}

export interface Measured {
  perSecond: number
  /** Microseconds of CPU per request. */
  cpu: number
  /** Milliseconds that 99 of 100 answers took at most. */
  p99: number
}

/** Runs a case against a port; `back` are the processes that do the work. */
export async function measure(
  port: string,
  { requests, connections }: Case,
  back: number[],
): Promise<Measured> {
  const file = join(folder, 'requests.json')
  writeFileSync(file, JSON.stringify(requests))
  const before = cpuTime(back) ?? Number.NaN
  const [, line] = await start(true, 'load.ts', port, file, String(connections), String(seconds))
  const used = (cpuTime(back) ?? Number.NaN) - before
  const result = JSON.parse(line)
  return { perSecond: result.requests / result.seconds, cpu: (used * 1000) / result.all, p99: result.p99 }
}

export const request = (method: string, path: string, headers: Record<string, string>, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

export const rate = (runs: Measured[]) => median(runs.map(({ perSecond }) => perSecond))
export const cpu = (runs: Measured[]) => median(runs.map((run) => run.cpu))
export const show = (runs: Measured[]) =>
  `${Math.round(rate(runs)).toLocaleString('en')}/s | ${Math.round(cpu(runs)).toLocaleString('en')} µs`

/** Ends what was started, and removes what was written. */
export function cleanUp(): void {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
