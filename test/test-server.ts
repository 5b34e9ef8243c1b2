import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestServer } from './database-names.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Starts `postgres-process.ts`; it cleans up by itself when this process ends without calling `stop`. */
export async function startTestServer(): Promise<{ server: TestServer; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/postgres-process.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C must not reach it: it ends when its stdin closes, after the tests that use it.
    detached: true,
  })
  const lines = createInterface({ input: child.stdout })
  const exit = once(child, 'exit')
  const line = await Promise.race([once(lines, 'line'), exit.then(() => undefined)])
  if (!line) throw new Error('The test database did not start; the reason stands above')
  return {
    server: JSON.parse(String(line[0])) as TestServer,
    stop: async () => {
      child.stdin.end()
      await exit
    },
  }
}
