import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { createRegistry } from '#server/content/registry.ts'
import { openDatabase } from '#server/db/connection.ts'
import { registerDelivery } from '#server/delivery/routes.ts'
import { rewriteDeliveryUrl } from '#server/delivery/site.ts'

/* The delivery API alone in a process. Takes a connection as JSON, says its port on stdout. */

const database = await openDatabase(JSON.parse(process.argv[2] ?? ''))
const server = Fastify({ rewriteUrl: rewriteDeliveryUrl({ domain: undefined, trustProxy: 0 }) })
registerDelivery(server, { database, registry: createRegistry(database) })
await server.listen({ host: '127.0.0.1', port: 0 })
console.log((server.server.address() as AddressInfo).port)
