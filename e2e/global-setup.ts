import { startTestServer } from '../test/test-server.ts'
import { serverVariable } from './app.ts'

/** One PostgreSQL for the whole run; each Imori starts with a copy of its migrated database. */
export default async function setup(): Promise<() => Promise<void>> {
  const { server, stop } = await startTestServer()
  process.env[serverVariable] = JSON.stringify(server)
  return stop
}
