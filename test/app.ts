import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A running Imori of its own, with an empty database. */
export type App = { url: string; stop(): Promise<void> }

const root = fileURLToPath(new URL('..', import.meta.url))

/** Starts the built Imori on a free port; `env` adds IMORI_* settings. It ends with this process at the latest. */
export async function startApp(env: Record<string, string> = {}): Promise<App> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/app-process.ts'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const exit = once(child, 'exit')
  const url = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"url":')) resolve((JSON.parse(line) as { url: string }).url)
      else console.log(line)
    })
    exit.then(() => resolve(undefined))
  })
  if (!url) throw new Error('Imori did not start; the reason stands above')
  return {
    url,
    stop: async () => {
      child.stdin.end()
      await exit
    },
  }
}
