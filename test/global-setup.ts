import type { TestProject } from 'vitest/node'
import { startTestServer } from './test-server.ts'

let stop: (() => Promise<void>) | undefined

/**
 * Starts one PostgreSQL for the whole run with a migrated template database. Uses the server in DATABASE_URL if set.
 */
export async function setup(project: TestProject): Promise<void> {
  const running = await startTestServer()
  stop = running.stop
  // Files and processes of tests are cleaned up even after an interruption if they are in the temporary folder of the
  // run.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = running.server.temporary
  project.provide('testServer', running.server)
}

/** Stops the server, or drops the databases that were created on the server in DATABASE_URL. */
export async function teardown(): Promise<void> {
  await stop?.()
}
