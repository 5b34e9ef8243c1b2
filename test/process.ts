import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { root, sourceHash } from '../scripts/lib/prepare.mjs'

export { root }

/** Imori as a separate process, run from the build. */
export type MainProcess = {
  child: ChildProcess
  url: string
  /** Time in ms from the start to the line with the URL. undefined: the process ended earlier. */
  readyAfter: number | undefined
  /** Returns everything printed so far. */
  output(): string
  /** Sends a signal and waits for the end. Returns the exit code, null after a kill. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Returns the path of the server as `npm start` runs it. Throws if the build is missing or outdated. */
export function builtServer(): string {
  if (readText(join(root, 'dist/.stamp')) !== sourceHash())
    throw new Error('dist/ is not of these sources: npm run build')
  return join(root, 'dist/server/main.js')
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Starts the built server and waits until it is ready or has ended. `env` replaces IMORI_* and DATABASE_URL. `args`:
 * arguments of `npm start --`.
 */
export async function startMain(
  env: Record<string, string>,
  user: { uid: number; gid: number } | object = {},
  args: string[] = [],
): Promise<MainProcess> {
  const begun = Date.now()
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(IMORI_|DATABASE_URL$)/.test(name)),
  )
  const port = env.IMORI_PORT ?? String(await freePort())
  const child = spawn(process.execPath, [builtServer(), ...args], {
    ...user,
    cwd: root,
    env: { ...inherited, ...env, IMORI_PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  const ready = new Promise<number>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Imori is ready: ')) resolve(Date.now() - begun)
      })
  })
  const readyAfter = await Promise.race([ready, exit.then(() => undefined)])
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exit
  }
  return { child, url: `http://localhost:${port}`, readyAfter, output: () => output, end }
}

/**
 * Returns the maximum duration of a restart in ms: the documented 5 s or, on a busy machine, three times the first
 * start of the same run.
 */
export function restartBound(first: Pick<MainProcess, 'readyAfter'>): number {
  return Math.max(5_000, 3 * (first.readyAfter ?? 0))
}

/**
 * Returns the time in ms until the fastest of these processes was ready. Other load lengthens some starts, while a lock
 * or a timeout delays every start.
 */
export function getFastestStartMs(restarts: MainProcess[]): number {
  return Math.min(
    ...restarts.map(({ readyAfter, output }) => {
      if (readyAfter === undefined) throw new Error(`Imori did not start: ${output()}`)
      return readyAfter
    }),
  )
}

/** Returns a currently unused TCP port of the loopback interface. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
