import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { endpoints } from '#shared/contract/index.ts'
import { AppError } from '#shared/errors.ts'
import { watchFieldIndexes } from './content/field-indexes/watch.ts'
import { createRegistry } from './content/registry.ts'
import { createAssetDelivery } from './delivery/assets.ts'
import { registerDelivery } from './delivery/routes.ts'
import { rewriteDeliveryUrl } from './delivery/site.ts'
import { makeFieldIndexesJob } from './features/field-indexes/field-indexes.jobs.ts'
import { cronJobs, eventConsumers, fallbacks, jobs, operations } from './features/index.ts'
import { mailFailure } from './features/jobs/failure-mail.ts'
import { parseJsonBody } from './http/bodies/validation.ts'
import { pageHeaders, securityHeaders } from './http/browsers/security-headers.ts'
import { limitBodyTime } from './http/connections/body-time.ts'
import { rememberAddresses } from './http/connections/caller-address.ts'
import { refuseConnections, refuseWithoutHost } from './http/connections/client-errors.ts'
import type { ServerDeps } from './http/context.ts'
import { registerEndpoints } from './http/endpoints.ts'
import { sendError } from './http/errors.ts'
import { openApiDocument } from './http/openapi.ts'
import { serveAdmin } from './http/pages/admin-files.ts'
import { serveApiDocs } from './http/pages/api-docs.ts'
import { serveHealth } from './http/pages/health.ts'
import { enqueue } from './jobs/enqueue.ts'
import { startWorker, type Worker } from './jobs/runner.ts'

/**
 * Returns the folder dist/admin, both from the bundle (dist/server/main.js) and from the source (src/server/server.ts).
 */
function adminFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  return join(here, here.endsWith(join('dist', 'server')) ? '../admin' : '../../dist/admin')
}

/** Starts the worker, which runs jobs and reads the outbox, without opening a port. */
export function buildWorker({ services, database }: ServerDeps): Worker {
  return startWorker({
    services,
    jobsPool: database.jobsPool,
    jobs,
    operations,
    cronJobs,
    eventConsumers,
    onFailed: (db, scope, failure) => mailFailure(db, services, scope, failure),
  })
}

/** Builds the server with all of its routes, without opening a port. */
export async function buildServer(deps: ServerDeps): Promise<FastifyInstance> {
  const { services, database } = deps
  const { config, secrets, log } = services
  const headers = securityHeaders(config)
  const headersOf = pageHeaders(config, secrets.sessionKey)
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: (_address, hop) => hop < config.trustProxy,
    bodyLimit: 4 * 1024 * 1024, // above the 1 MB limit of documents, which is reported separately
    // These two responses bypass the hooks that set headers.
    frameworkErrors: (error, request, reply) => sendError(error, request, reply.headers(headers)),
    clientErrorHandler: refuseConnections(headers),
    rewriteUrl: rewriteDeliveryUrl(config),
    requestTimeout: 0, // replaced by http/connections/body-time.ts
    keepAliveTimeout: 90_000, // proxies keep idle connections for 60 to 75 s, and must be the ones to close them
    // A filter of the delivery API may list a thousand ids in the URL.
    http: { maxHeaderSize: 80 * 1024, headersTimeout: 30_000, requireHostHeader: false },
    routerOptions: { maxParamLength: 500 },
    return503OnClosing: false,
  })

  rememberAddresses(server.server)
  limitBodyTime(server.server)
  server.server.on('checkExpectation', (_request, response) => response.writeHead(417, headers).end())
  server.addHook('onRequest', refuseWithoutHost(headers))
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      // Request bodies are never decompressed, so an encoded body cannot be JSON.
      if (request.headers['content-encoding'] !== undefined) throw new AppError('UnsupportedMediaType')
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.setErrorHandler(sendError)
  server.setNotFoundHandler((request, reply) => sendError(new AppError('NotFound'), request, reply))

  // Registered before the plug-ins of the admin and its API, so that delivery requests run none of their hooks.
  const registry = createRegistry(database)
  const fieldIndexes = watchFieldIndexes(database, registry.notices, {
    ask: (db) => enqueue(db, makeFieldIndexesJob, {}, { key: 'due' }),
    onError: (error) => server.log.warn({ err: error }, 'Recording required field indexes failed'),
  })
  const assets = createAssetDelivery({
    ...services,
    database,
    registry,
    onError: (error) => server.log.warn({ err: error }, 'Storing a transformed image failed'),
  })
  registerDelivery(server, { config, database, registry, fieldIndexes, assets })
  server.addHook('onClose', async () => {
    await Promise.all([registry.close(), fieldIndexes.close(), assets.close()])
  })

  await server.register(cookie)
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request.url))
    done()
  })

  registerEndpoints(server, { ...deps, fieldIndexes }, [...operations, ...fallbacks])
  const openApi = openApiDocument(endpoints, config.url)
  server.get('/api/openapi.json', (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(openApi),
  )
  await serveApiDocs(server, deps, openApi)
  serveHealth(server, database)
  await serveAdmin(server, adminFolder())
  return server
}
