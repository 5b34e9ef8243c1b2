import type { AddressInfo } from 'node:net'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { openServices } from '#server/open-services.ts'
import { buildServer, buildWorker } from '#server/server.ts'

/*
 * Runs the whole server with its jobs (which create the field indexes) on a free port. Takes a database connection, a
 * session key and a data folder. Prints its port on stdout.
 */

const [connection = '', sessionKey = '', dataDir] = process.argv.slice(2)
const config = loadConfig({
  ...process.env,
  IMORI_LOG_LEVEL: 'error',
  ...(dataDir && { IMORI_DATA: dataDir }),
})
const secrets = { sessionKey, encryptionKeys: [Buffer.alloc(32, 'only for the bench').toString('base64')] }
const database = await openDatabase(JSON.parse(connection))
const { services } = openServices({ config, secrets, database })
const deps = { services, database }
buildWorker(deps)
const server = await buildServer(deps)
await server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
console.log((server.server.address() as AddressInfo).port)
