import type { Config } from '#server/config.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { invalid } from '#shared/errors.ts'

/**
 * `_id` of a space's connection. It is derived from the space, so that the addresses can be entered at the identity
 * provider before anything is saved, and stay when the connection is recreated.
 */
export const connectionIdOf = ({ spaceId }: SpaceScope): string =>
  sha256(`sso connection of space ${spaceId}`).toString('hex').slice(0, 24)

/**
 * The installation's addresses for an identity provider. They depend on the connection's id only, so they stay when a
 * space is renamed.
 */
export function ourAddresses({ url }: Pick<Config, 'url'>, connectionId: string) {
  const base = `${url}/api/sso/${connectionId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, redirectUri: `${base}/callback` }
}

/**
 * Validates an https URL, or one with an origin that the operator listed; an empty one is allowed in drafts. Throws
 * `ValidationFailed` at `path`.
 */
export function readUrl(text: string, path: string, config: Config): string {
  if (text === '') return ''
  if (!isAllowedUrl(text, config)) throw invalid(path, 'InvalidFormat')
  return text
}

/** Whether an identity provider may be contacted at this URL. The outgoing HTTP module checks the network. */
export function isAllowedUrl(text: string, { sso }: Config): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && sso.privateOrigins.includes(url.origin))
}
