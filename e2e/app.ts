import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestServer, toUrl } from '../test/database-names.ts'
import { startMain } from '../test/process.ts'
import { createDatabase } from '../test/test-server.ts'

/**
 * Name of the environment variable with the test server of the whole run as JSON, for Playwright's worker processes.
 */
export const serverVariable = 'E2E_TEST_SERVER'

export type App = {
  url: string
  /** The postgres:// URL of the database of this Imori. */
  database: string
  dataDir: string
  stop(): Promise<void>
}

/**
 * Starts the built Imori on a free port. `env` adds IMORI_* settings. Imori ends with the test server at the latest.
 */
export async function startApp(env: Record<string, string> = {}): Promise<App> {
  const server = JSON.parse(process.env[serverVariable] ?? '') as TestServer
  const { connection, drop } = await createDatabase(server)
  const database = toUrl(connection)
  const dataDir = await mkdtemp(join(server.temporary, 'imori-app-'))
  const main = await startMain({
    IMORI_LOG_LEVEL: 'warn',
    // Tests can sign up accounts without an invitation.
    IMORI_SIGNUP: 'open',
    IMORI_DATA: dataDir,
    DATABASE_URL: database,
    ...env,
  })
  if (main.readyAfter === undefined) throw new Error(`Imori did not start: ${main.output()}`)
  for (const stream of [main.child.stdout, main.child.stderr])
    stream?.on('data', (text: string) => process.stderr.write(text))
  const stop = async () => {
    await main.end()
    await drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { url: main.url, database, dataDir, stop }
}
