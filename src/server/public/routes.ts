import type { FastifyInstance } from 'fastify'
import type { ServerDeps } from '#server/http/context.ts'
import { sendError } from '#server/http/errors.ts'
import { createRateLimit } from '#server/http/rate-limit.ts'
import { AppError } from '#shared/errors.ts'
import type { PublicRoute } from './public-route.ts'
import { scimRoutes } from './scim/routes.ts'
import { ssoRoutes } from './sso.ts'
import { uploadRoutes } from './uploads.ts'

/** CORS headers that allow pages of other origins to resume uploads. The maximum age is in seconds. */
const cors = {
  'access-control-allow-headers': 'content-type, content-range',
  'access-control-expose-headers': 'upload-offset, retry-after',
  'access-control-max-age': '7200',
}

/**
 * Registers the public routes, whose clients have no session. The routes ignore cookies, so another site cannot make a
 * browser act as the user.
 */
export function registerPublic(server: FastifyInstance, deps: ServerDeps): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.setErrorHandler(sendError)
    const routes = [...uploadRoutes(deps), ...ssoRoutes(deps), ...scimRoutes(deps)]
    for (const route of routes) {
      const wait = createRateLimit(route.perMinute)
      scope.route({
        method: route.method,
        url: route.url,
        exposeHeadRoute: false,
        ...(route.sendError ? { errorHandler: route.sendError } : {}),
        onRequest: async (request, reply) => {
          reply.headers(headersFor(route))
          const seconds = wait(request.ip)
          if (seconds > 0)
            throw new AppError('TooManyRequests', { headers: { 'retry-after': String(seconds) } })
        },
        handler: (request, reply) => route.handle(request, reply),
      })
    }
    for (const url of new Set(routes.map((route) => route.url))) {
      const own = routes.filter((route) => route.url === url)
      const [first] = own
      if (first?.origin === 'any')
        scope.options(url, async (_request, reply) =>
          reply
            .headers({
              ...headersFor(first),
              ...cors,
              'access-control-allow-methods': own.map((route) => route.method).join(', '),
            })
            .code(204)
            .send(),
        )
    }
  })
}

const headersFor = ({ origin }: PublicRoute) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(origin === 'any'
    ? {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': cors['access-control-expose-headers'],
        'cross-origin-resource-policy': 'cross-origin',
      }
    : {}),
})
