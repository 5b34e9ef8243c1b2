import type { Config } from '#server/config.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { invalid } from '#shared/errors.ts'

/**
 * Returns the `_id` of a space's connection. It is derived from the space, so that the addresses can be entered at the
 * identity provider before the connection is saved, and stay valid when the connection is recreated.
 */
export const connectionIdOf = ({ spaceId }: SpaceScope): string =>
  sha256(`sso connection of space ${spaceId}`).toString('hex').slice(0, 24)

/**
 * Returns the installation's addresses for an identity provider. They depend only on the installation's URL and the
 * connection's id, so they stay valid when a space is renamed.
 */
export function ourAddresses({ url }: Pick<Config, 'url'>, connectionId: string) {
  const base = `${url}/api/sso/${connectionId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, redirectUri: `${base}/callback` }
}

/**
 * Validates an https URL, or an http URL with an origin that the operator listed. An empty text is valid, because
 * incomplete settings can be saved. Throws `ValidationFailed` at `path`.
 */
export function readUrl(text: string, path: string, config: Config): string {
  if (text === '') return ''
  if (!isAllowedUrl(text, config)) throw invalid(path, 'InvalidFormat')
  return text
}

/**
 * Returns whether an identity provider may be contacted at this URL. The outgoing HTTP module checks its IP address.
 */
export function isAllowedUrl(text: string, { sso }: Config): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && sso.privateOrigins.includes(url.origin))
}
