import type { Config } from '#server/config.ts'

/** What an identity provider is told of us. Made of the connection's id, so that they stay when a space is renamed. */
export function ourAddresses({ url }: Pick<Config, 'url'>, connectionId: string) {
  const base = `${url}/api/sso/${connectionId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, redirectUri: `${base}/callback` }
}
