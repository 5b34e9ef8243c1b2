import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config, Secrets } from '#server/config.ts'

/*
 * Addresses of assets, and the signatures that some of them need.
 */

/** Parameters that a signature covers beside the path, by name. */
export type SignedParameters = Record<string, string>

/** The key that a space's sites sign addresses with. `generation` counts how often it was made anew. */
export const siteKey = ({ sessionKey }: Secrets, spaceId: number, generation: number): string =>
  createHmac('sha256', sessionKey).update(`asset addresses ${spaceId} ${generation}`).digest('base64url')

/** The key of addresses that we sign ourselves, for the admin. */
const ownKey = ({ sessionKey }: Secrets, spaceId: number): string =>
  createHmac('sha256', sessionKey).update(`asset addresses of the admin ${spaceId}`).digest('base64url')

/**
 * The signature of an asset's address: of its uid and all parameters but `signature` and `v`, by name, as
 * `{uid}?a=1&b=2`, percent-encoded as URLSearchParams does.
 */
export function signatureOf(key: string, assetId: string, parameters: SignedParameters): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', key)
    .update(`${assetId}?${new URLSearchParams(sorted)}`)
    .digest('base64url')
}

/** Is this the signature of that address, by the space's key or by ours? */
export function isSigned(
  secrets: Secrets,
  { spaceId, keyGeneration, id }: { spaceId: number; keyGeneration: number; id: string },
  parameters: SignedParameters,
  signature: string,
): boolean {
  const given = Buffer.from(signature)
  return [ownKey(secrets, spaceId), siteKey(secrets, spaceId, keyGeneration)].some((key) => {
    const right = Buffer.from(signatureOf(key, id, parameters))
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

/** What an address is made of. */
export interface Addressed {
  id: string
  fileName: string
  version: number
  isPrivate: boolean
}

const day = 86_400

/** Where sites read an asset of a space: on its own host where there are such hosts, below our origin otherwise. */
export function assetAddress(
  config: Config,
  spaceUid: string,
  asset: Pick<Addressed, 'id' | 'fileName'>,
): string {
  const path = `/v1/${asset.id}/${encodeURIComponent(asset.fileName)}`
  if (!config.domain) return `${config.url}/${spaceUid}.assets${path}`
  const { protocol, port } = new URL(config.url)
  return `${protocol}//${spaceUid}.assets.${config.domain}${port && `:${port}`}${path}`
}

/**
 * A picture of at most `side` px for the admin, below our own origin, signed so that it is given whatever the space lets
 * sites ask for. It stays the same for a day or two where the asset is private, for ever otherwise.
 */
export function thumbnailAddress(
  secrets: Secrets,
  space: { id: number; uid: string },
  asset: Addressed,
  side = 480,
): string {
  const parameters: SignedParameters = {
    ...(asset.isPrivate && { expires: String((Math.floor(Date.now() / 1000 / day) + 2) * day) }),
    fit: 'inside',
    format: 'webp',
    height: String(side),
    width: String(side),
  }
  const signature = signatureOf(ownKey(secrets, space.id), asset.id, parameters)
  const query = new URLSearchParams({ ...parameters, v: String(asset.version), signature })
  return `/${space.uid}.assets/v1/${asset.id}/${encodeURIComponent(asset.fileName)}?${query}`
}
