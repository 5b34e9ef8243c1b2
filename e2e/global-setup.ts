import { startTestServer } from '../test/test-server.ts'
import { serverVariable } from './app.ts'

/** Starts one PostgreSQL for the whole run. Each Imori starts with a copy of its migrated database. */
export default async function setup(): Promise<() => Promise<void>> {
  const { server, stop } = await startTestServer()
  process.env[serverVariable] = JSON.stringify(server)
  return stop
}
