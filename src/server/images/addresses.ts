import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '#server/config.ts'
import { assetPath } from '#shared/asset-address.ts'

/*
 * Addresses of assets, and the signatures that some of them need.
 */

/** Parameters that a signature covers beside the path, by name. */
export type SignedParameters = Record<string, string>

/** The key that a space's sites sign addresses with. `generation` counts how often it was made anew. */
export const siteKey = ({ sessionKey }: Secrets, spaceId: number, generation: number): string =>
  createHmac('sha256', sessionKey).update(`asset addresses ${spaceId} ${generation}`).digest('base64url')

/** The key of addresses that we sign ourselves, for the admin. */
const ownKey = ({ sessionKey }: Secrets, spaceUid: string): string =>
  createHmac('sha256', sessionKey)
    .update(`asset addresses of the admin ${spaceUid.toLowerCase()}`)
    .digest('base64url')

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
  {
    spaceId,
    spaceUid,
    keyGeneration,
    id,
  }: { spaceId: number; spaceUid: string; keyGeneration: number; id: string },
  parameters: SignedParameters,
  signature: string,
): boolean {
  const given = Buffer.from(signature)
  return [ownKey(secrets, spaceUid), siteKey(secrets, spaceId, keyGeneration)].some((key) => {
    const right = Buffer.from(signatureOf(key, id, parameters))
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

/** What a thumbnail's address is made of. */
export interface Thumbnailed {
  id: string
  fileName: string
  /** Of the content, in hex. */
  hash: string
  private: boolean
}

/** Seconds. */
const day = 86_400

/**
 * A picture of at most 480 px for the admin, below our own origin, signed so that it is given whatever the space lets
 * sites ask for. Another content has another address; that of a private one changes every day, and is good for two.
 */
export function thumbnailAddress(secrets: Secrets, spaceUid: string, asset: Thumbnailed): string {
  const parameters: SignedParameters = {
    width: '480',
    height: '480',
    fit: 'inside',
    format: 'webp',
    ...(asset.private && { expires: String((Math.floor(Date.now() / 1000 / day) + 2) * day) }),
  }
  const signature = signatureOf(ownKey(secrets, spaceUid), asset.id, parameters)
  const query = new URLSearchParams({ ...parameters, v: asset.hash.slice(0, 16), signature })
  return `${assetPath(spaceUid, asset.id, asset.fileName)}?${query}`
}
