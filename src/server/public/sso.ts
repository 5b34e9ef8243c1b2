import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PublicContext } from '#server/access/context.ts'
import {
  answerOidc,
  answerSaml,
  type CallbackResult,
  readMetadata,
} from '#server/features/sso/begin.service.ts'
import type { ServerDeps } from '#server/http/context.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { PublicRoute } from './public-route.ts'

const perMinute = 300
/** Maximum number of bytes of a form with a SAML response. */
const maximumBytes = 256 * 1024

/**
 * Returns the routes to which identity providers redirect (`callback` for OpenID Connect, `acs` for SAML), and the
 * route `metadata` for their configuration. The browser that started the sign-in completes it on the page
 * `/sso/verify`. The page requires the code after the `#`, and a cookie that browsers send only from the installation's
 * own pages.
 */
export function ssoRoutes({ services, database }: ServerDeps): PublicRoute[] {
  const server = { db: database.kysely, services }
  const contextOf = ({ ip, headers }: FastifyRequest): PublicContext => ({
    ...server,
    origin: { ip, agent: headers['user-agent'] ?? null },
  })
  const idOf = ({ params }: FastifyRequest) => {
    const { id } = params as { id: string }
    if (!idPattern.test(id)) throw new AppError('NotFound')
    return id
  }
  return [
    {
      method: 'GET',
      url: '/api/sso/:id/callback',
      perMinute,
      async handle(request, reply) {
        const mark = request.url.indexOf('?')
        const query = mark < 0 ? '' : request.url.slice(mark + 1)
        return send(request, reply, await answerOidc(contextOf(request), idOf(request), query))
      },
    },
    {
      method: 'POST',
      url: '/api/sso/:id/acs',
      perMinute,
      async handle(request, reply) {
        const id = idOf(request)
        const form = await readForm(request)
        const [response, state] = [form.get('SAMLResponse') ?? '', form.get('RelayState') ?? '']
        return send(request, reply, await answerSaml(contextOf(request), id, { response, state }))
      },
    },
    {
      method: 'GET',
      url: '/api/sso/:id/metadata',
      perMinute,
      async handle(request, reply) {
        const metadata = await readMetadata(server, idOf(request))
        if (metadata === null) throw new AppError('NotFound')
        return reply.type('application/samlmetadata+xml').send(metadata)
      },
    },
  ]

  function send(request: FastifyRequest, reply: FastifyReply, result: CallbackResult) {
    if ('code' in result) return reply.redirect(`${services.config.url}/sso/verify#${result.code}`, 303)
    const { error, popup, trial } = result
    request.log.warn({ err: error }, 'A sign-in by SSO was refused')
    const query = popup
      ? `/connected?success=false&error-code=${error.code}${trial === undefined ? '' : `&trial=${trial}`}`
      : `/sso/login?error=${error.code}`
    return reply.redirect(`${services.config.url}${query}`, 303)
  }
}

async function readForm({ body, headers }: FastifyRequest): Promise<URLSearchParams> {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (!(body instanceof Readable) || type !== 'application/x-www-form-urlencoded')
    throw new AppError('UnsupportedMediaType')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maximumBytes) throw new AppError('RequestFileTooLarge')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
