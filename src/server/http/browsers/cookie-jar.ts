import type { FastifyReply, FastifyRequest } from 'fastify'
import { absoluteDays, deviceDays, ssoSignInMinutes } from '#server/access/sessions.ts'
import { challengeSeconds } from '#server/access/sign-in-challenges.ts'
import type { Config } from '#server/config.ts'

/** The cookies of the management API: lifetime in seconds, and SameSite policy. */
const kinds = {
  sid: { seconds: absoluteDays * 86_400, sameSite: 'lax' },
  /**
   * A known browser, in which an account has signed in (access/known-device.ts). Outlives sessions, and does not sign
   * the user in.
   */
  device: { seconds: deviceDays * 86_400, sameSite: 'lax' },
  /** A pending sign-in (access/sign-in-challenges.ts). */
  challenge: { seconds: challengeSeconds, sameSite: 'strict' },
  /**
   * A pending SSO sign-in. Browsers send it only with requests from pages of the installation's site, not from pages of
   * an identity provider.
   */
  sso: { seconds: ssoSignInMinutes * 60, sameSite: 'strict' },
} as const
export type CookieKind = keyof typeof kinds

const isSecure = (config: Config) => config.url.startsWith('https:')

/**
 * Returns the name of a cookie. Over https, browsers reject `__Host-` cookies set by another host or for another path.
 */
export const cookieName = (config: Config, kind: CookieKind) => (isSecure(config) ? `__Host-${kind}` : kind)

/**
 * The cookies of a request and of its response. The cookies of the response are written when the call has succeeded.
 */
export class CookieJar {
  readonly #config: Config
  readonly #given: FastifyRequest['cookies']
  readonly #changes = new Map<CookieKind, string | null>()

  constructor(config: Config, { cookies }: FastifyRequest) {
    this.#config = config
    this.#given = cookies
  }

  get(kind: CookieKind): string | undefined {
    return this.#given[cookieName(this.#config, kind)]
  }

  /** Sets a cookie in the response. `value` null: removes the cookie. */
  set(kind: CookieKind, value: string | null): void {
    this.#changes.set(kind, value)
  }

  write(reply: FastifyReply): void {
    for (const [kind, value] of this.#changes) {
      const { seconds, sameSite } = kinds[kind]
      const options = { path: '/', httpOnly: true, sameSite, secure: isSecure(this.#config) }
      const name = cookieName(this.#config, kind)
      if (value === null) reply.clearCookie(name, options)
      else reply.setCookie(name, value, { ...options, maxAge: seconds })
    }
  }
}
