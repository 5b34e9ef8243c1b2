import type { AddressInfo } from 'node:net'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { buildServer } from '#server/server.ts'

/* The whole server as it runs, on a free port. Takes a database connection as JSON, says its port on stdout. */

const server = await buildServer({
  config: loadConfig({ IMORI_LOG_LEVEL: 'warn' }),
  secrets: { sessionKey: 'x'.repeat(32) },
  database: await openDatabase(JSON.parse(process.argv[2] ?? '')),
})
await server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
console.log((server.server.address() as AddressInfo).port)
