import type { Config } from '#server/config.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { isListed } from '#server/outgoing.ts'
import { invalid } from '#shared/errors.ts'

/**
 * Returns the `_id` of a space's connection. It is derived from the space's id. So this installation's URLs can be
 * entered at the identity provider before the connection is saved, and stay valid when the connection is recreated.
 */
export const connectionIdOf = ({ spaceId }: SpaceScope): string =>
  sha256(`sso connection of space ${spaceId}`).toString('hex').slice(0, 24)

/** Returns the URLs of this installation that are entered at the identity provider. */
export function ourAddresses({ url }: Pick<Config, 'url'>, connectionId: string) {
  const base = `${url}/api/sso/${connectionId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, redirectUri: `${base}/callback` }
}

/**
 * Returns `text` if it is empty or a URL that {@link isAllowedUrl} allows. Otherwise throws `ValidationFailed` at
 * `path`. Empty text is allowed, because incomplete settings can be saved.
 */
export function readUrl(text: string, path: string, config: Config): string {
  if (text === '') return ''
  if (!isAllowedUrl(text, config)) throw invalid(path, 'InvalidFormat')
  return text
}

/**
 * Returns whether an identity provider may have this URL. It must use https, or http with an origin that the operator
 * listed, and contain no credentials or fragment. The outgoing HTTP module checks its IP address.
 */
export function isAllowedUrl(text: string, config: Config): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isListed(config, 'sso', url))
}
