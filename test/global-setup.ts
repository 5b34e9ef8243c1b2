import type { TestProject } from 'vitest/node'
import { startTestServer } from './test-server.ts'

let stop: (() => Promise<void>) | undefined

/** One PostgreSQL for the whole run (DATABASE_URL's, when set) with a migrated template database. */
export async function setup(project: TestProject): Promise<void> {
  const running = await startTestServer()
  stop = running.stop
  // os.tmpdir() of every worker: what tests write and start there is cleaned up even after an interruption
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = running.server.temporary
  project.provide('testServer', running.server)
}

/** Ends the server, or drops the databases made on DATABASE_URL's. */
export async function teardown(): Promise<void> {
  await stop?.()
}
