import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Session } from '#server/access/sessions.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Refuses requests from other origins, by the headers that browsers send. Navigations have no `Origin`, so navigations
 * from another host of the same site are refused, too. Throws 403.
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
 * Returns whether an origin belongs to the admin. Without a configured URL, only the host can be compared. A proxy may
 * rewrite the host, and it has no scheme.
 */
const isAdminOrigin = (origin: string, host: string | undefined, { adminOrigins }: Config) =>
  adminOrigins ? adminOrigins.includes(origin) : URL.canParse(origin) && new URL(origin).host === host

/** Checks the session's CSRF token, which every call that changes something must send in a header. Throws 403. */
export function checkCsrfToken(request: FastifyRequest, session: Session): void {
  const given = request.headers['x-csrf-token']
  const expected = Buffer.from(session.csrfToken)
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new AppError('InvalidCsrfToken')
}
