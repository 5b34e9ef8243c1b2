import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'

/* Options of a benchmark's command line, and the cores of its processes. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: '10000' },
    cores: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    'body-bytes': { type: 'string' },
    data: { type: 'string' },
    cases: { type: 'string' },
  },
})

function whole(name: keyof typeof values, least: number): number {
  const number = Number(values[name])
  if (Number.isInteger(number) && number >= least) return number
  console.error(`--${name} needs a whole number from ${least}`)
  process.exit(2)
}

export const documents = whole('documents', 500)
/** Arguments of the command line that are not options. */
export const folders = positionals
/** Number of cores of the back end (server and PostgreSQL together). */
export const backEndCores = whole('cores', 1)
export const seconds = whole('seconds', 1)
export const rounds = whole('rounds', 1)
/** Folder that keeps the database for later runs. undefined: a temporary one. */
export const dataFolder = values.data
/** Names of the cases that `compare` measures. undefined: all. */
export const wantedCases = values.cases?.split(',')
/** Size of an article's body in bytes. With a million articles of 4 KB, the benchmark would measure the disk. */
export const bodyBytes = values['body-bytes'] ? whole('body-bytes', 1) : documents > 50_000 ? 400 : 4096

/** Command that binds processes to cores, on Linux. */
const pinner = 'taskset'
const canPin = availableParallelism() >= 2 && has(pinner)
const firstCores = Array.from({ length: backEndCores }, (_, core) => core)
const loadCore = Math.min(backEndCores, availableParallelism() - 1)

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Moves this process, and the processes that it starts later, to the cores of the back end. Does nothing without
 * `taskset` or with only one core.
 */
export function moveToBackEnd(): void {
  if (canPin)
    execFileSync(pinner, ['-a', '-p', '-c', firstCores.join(), String(process.pid)], { stdio: 'ignore' })
}

/** Returns a command that runs on the core of the load generator. */
export const onLoadCore = (command: string[]) =>
  canPin ? [pinner, '-c', String(loadCore), ...command] : command

export const machine = () =>
  `${cpus()[0]?.model}, Node ${process.version}, ` +
  (canPin
    ? `server and PostgreSQL on core ${firstCores.join(' and ')}, load on core ${loadCore}`
    : 'nothing pinned to cores')

export const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
