import type { Config } from '#server/config.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'

/**
 * `_id` of a space's connection. It follows from the space, so that the addresses can be entered at the identity provider
 * before anything is saved here, and stay when the connection is made anew.
 */
export const connectionIdOf = ({ spaceId }: SpaceScope): string =>
  sha256(`sso connection of space ${spaceId}`).toString('hex').slice(0, 24)

/** What an identity provider is told of us. Made of the connection's id, so that they stay when a space is renamed. */
export function ourAddresses({ url }: Pick<Config, 'url'>, connectionId: string) {
  const base = `${url}/api/sso/${connectionId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, redirectUri: `${base}/callback` }
}
