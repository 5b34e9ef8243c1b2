import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { findSession } from '#server/access/sessions.ts'
import { cookieName } from '../browsers/cookie-jar.ts'
import type { ServerDeps } from '../context.ts'

/**
 * Serves the OpenAPI document with a browser UI at `/apiManagement` to signed-in users. Other visitors are redirected
 * to `/login`. The server's content security policy applies to the pages of the UI.
 */
export async function serveApiDocs(
  server: FastifyInstance,
  { services: { config, secrets }, database }: ServerDeps,
  openApi: Record<string, unknown>,
): Promise<void> {
  await server.register(async (scope) => {
    // The routes of the UI's files have no hooks of their own, so this hook covers the whole scope.
    scope.addHook('onRequest', async (request, reply) => {
      if (await findSession(database.kysely, secrets, request.cookies[cookieName(config, 'sid')])) return
      await reply.header('cache-control', 'no-store').redirect('/login?redirect=%2FapiManagement')
    })
    await scope.register(swagger, {
      mode: 'static',
      specification: { document: openApi as never },
    })
    await scope.register(swaggerUi, {
      routePrefix: '/apiManagement',
      theme: { title: 'Imori API' },
      logo: { type: 'image/svg+xml', content: logo },
      uiConfig: {
        displayRequestDuration: true,
        docExpansion: 'none',
        filter: true,
        requestInterceptor: addCsrfToken,
      },
    })
  })
}

/**
 * Adds the session's CSRF token to calls other than GET. Swagger UI sends the source text of this function to the
 * user's browser, where it runs.
 */
async function addCsrfToken(request: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (request.method === undefined || request.method === 'GET') return request
  const answer = await fetch('/api/auth/csrfToken')
  const { csrfToken } = (await answer.json()) as { csrfToken: string }
  return { ...request, headers: { ...(request.headers as object), 'x-csrf-token': csrfToken } }
}

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="88" height="24"><text y="18" font-family="sans-serif" font-size="18" font-weight="700" fill="#fff">Imori</text></svg>'
