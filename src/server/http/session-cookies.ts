import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { absoluteDays, deviceDays, type Session, ssoSignInMinutes } from '#server/access/sessions.ts'
import { challengeSeconds } from '#server/access/sign-in-challenges.ts'
import type { Config } from '#server/config.ts'
import { AppError } from '#shared/errors.ts'

const isSecure = (config: Config) => config.url.startsWith('https:')
/** Over https the browser itself forbids that another host or path sets this cookie. */
export const cookieName = (config: Config) => (isSecure(config) ? '__Host-sid' : 'sid')

const cookieOptions = (config: Config) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(config) }) as const

export function writeSessionCookie(reply: FastifyReply, config: Config, id: string | null): void {
  const options = cookieOptions(config)
  if (id === null) reply.clearCookie(cookieName(config), options)
  else reply.setCookie(cookieName(config), id, { ...options, maxAge: absoluteDays * 86_400 })
}

/** Outlives sessions, and signs nobody in (access/known-device.ts). */
export const deviceCookieName = (config: Config) => (isSecure(config) ? '__Host-device' : 'device')

export function writeDeviceCookie(reply: FastifyReply, config: Config, value: string): void {
  const maxAge = deviceDays * 86_400
  reply.setCookie(deviceCookieName(config), value, { ...cookieOptions(config), maxAge })
}

/** Of a sign-in that is not finished (access/sign-in-challenges.ts). */
export const challengeCookieName = (config: Config) => (isSecure(config) ? '__Host-challenge' : 'challenge')

export function writeChallengeCookie(reply: FastifyReply, config: Config, token: string | null): void {
  const options = { ...cookieOptions(config), sameSite: 'strict' } as const
  if (token === null) reply.clearCookie(challengeCookieName(config), options)
  else reply.setCookie(challengeCookieName(config), token, { ...options, maxAge: challengeSeconds })
}

/** Of a sign-in by SSO that is under way. Our own pages send it, not those of an identity provider. */
export const ssoCookieName = (config: Config) => (isSecure(config) ? '__Host-sso' : 'sso')

export function writeSsoCookie(reply: FastifyReply, config: Config, token: string | null): void {
  const options = { ...cookieOptions(config), sameSite: 'strict' } as const
  if (token === null) reply.clearCookie(ssoCookieName(config), options)
  else reply.setCookie(ssoCookieName(config), token, { ...options, maxAge: ssoSignInMinutes * 60 })
}

/** A browser says where a request comes from; a foreign origin has no business here. Throws 403. */
export function checkOrigin(request: FastifyRequest, config: Config): void {
  const { origin, host } = request.headers
  const site = request.headers['sec-fetch-site']
  const own =
    origin === undefined || origin === config.url || (URL.canParse(origin) && new URL(origin).host === host)
  if (!own || site === 'cross-site')
    throw new AppError('InvalidCsrfToken', { message: 'The request comes from another origin' })
}

/** The token of this session, in the header of every call that changes something. Throws 403. */
export function checkCsrfToken(request: FastifyRequest, session: Session): void {
  const given = request.headers['x-csrf-token']
  const expected = Buffer.from(session.csrfToken)
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new AppError('InvalidCsrfToken')
}
