import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Session } from '#server/access/sessions.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Refuses requests from other origins, by the headers that browsers send. Browsers send no `Origin` with GET
 * navigations. These are therefore refused by `Sec-Fetch-Site` if they come from another site, or from another host of
 * the same site. Throws 403.
 */
export function checkOrigin(request: FastifyRequest, config: Config): void {
  const { origin, host } = request.headers
  const site = request.headers['sec-fetch-site']
  const isOwn = origin === undefined || origin === config.url || isAdminOrigin(origin, host, config)
  if (!isOwn || site === 'cross-site' || (origin === undefined && site === 'same-site'))
    throw new AppError('InvalidCsrfToken', {
      message: 'The request comes from another origin than those of IMORI_URL and IMORI_ADMIN_ORIGINS',
    })
}

/**
 * Returns whether an origin belongs to the admin. Without configured origins, the origin's host is compared with the
 * `Host` header, which has no scheme and may have been rewritten by a proxy.
 */
const isAdminOrigin = (origin: string, host: string | undefined, { adminOrigins }: Config) =>
  adminOrigins ? adminOrigins.includes(origin) : URL.canParse(origin) && new URL(origin).host === host

/**
 * Checks the session's CSRF token, which a signed-in browser must send in a header with every call that changes
 * something. Throws 403.
 */
export function checkCsrfToken(request: FastifyRequest, session: Session): void {
  const given = request.headers['x-csrf-token']
  const expected = Buffer.from(session.csrfToken)
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new AppError('InvalidCsrfToken')
}
