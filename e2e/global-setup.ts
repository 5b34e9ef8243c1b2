import { startTestServer } from '../test/test-server.ts'
import { serverVariable } from './app.ts'

/** One PostgreSQL for the whole run, whose migrated database each Imori begins with a copy of. */
export default async function setup(): Promise<() => Promise<void>> {
  const { server, stop } = await startTestServer()
  process.env[serverVariable] = JSON.stringify(server)
  return stop
}
