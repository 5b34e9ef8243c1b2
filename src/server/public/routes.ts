import type { FastifyInstance } from 'fastify'
import type { ServerDeps } from '#server/http/context.ts'
import { sendError } from '#server/http/errors.ts'
import { createRateLimit } from '#server/http/rate-limit.ts'
import { AppError } from '#shared/errors.ts'
import { scimRoutes } from './scim/routes.ts'

/**
 * Registers the public routes, whose clients have no session. The routes ignore cookies, so another site cannot make a
 * browser act as the user.
 */
export function registerPublic(server: FastifyInstance, deps: ServerDeps): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.setErrorHandler(sendError)
    const routes = scimRoutes(deps)
    for (const route of routes) {
      const wait = createRateLimit(route.perMinute)
      scope.route({
        method: route.method,
        url: route.url,
        exposeHeadRoute: false,
        ...(route.sendError ? { errorHandler: route.sendError } : {}),
        onRequest: async (request, reply) => {
          reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
          const seconds = wait(request.ip)
          if (seconds > 0)
            throw new AppError('TooManyRequests', { headers: { 'retry-after': String(seconds) } })
        },
        handler: (request, reply) => route.handle(request, reply),
      })
    }
  })
}
