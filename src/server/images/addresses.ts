import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '#server/config.ts'
import { assetPath } from '#shared/asset-address.ts'

/* Addresses of assets, and their signatures. */

/** The signed query parameters by name; the signature covers the path too. */
export type SignedParameters = Record<string, string>

/** The key with which a space's sites sign addresses. `generation` is incremented when the key is renewed. */
export const siteKey = ({ sessionKey }: Secrets, spaceId: number, generation: number): string =>
  createHmac('sha256', sessionKey).update(`asset addresses ${spaceId} ${generation}`).digest('base64url')

/** The key of addresses that the server signs for the admin. */
const ownKey = ({ sessionKey }: Secrets, spaceUid: string): string =>
  createHmac('sha256', sessionKey)
    .update(`asset addresses of the admin ${spaceUid.toLowerCase()}`)
    .digest('base64url')

/**
 * The signature of an asset's address. It covers the asset's uid and all parameters except `signature` and `v`, sorted
 * by name, as `{uid}?a=1&b=2`, percent-encoded like URLSearchParams.
 */
export function signatureOf(key: string, assetId: string, parameters: SignedParameters): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', key)
    .update(`${assetId}?${new URLSearchParams(sorted)}`)
    .digest('base64url')
}

/** Whether the address has a valid signature, by the space's key or by the server's own. */
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

/** The parts of an asset that its thumbnail's address depends on. */
export interface Thumbnailed {
  id: string
  fileName: string
  /** Hash of the content, in hex. */
  hash: string
  private: boolean
}

/** In seconds. */
const day = 86_400

/**
 * Address of a picture of at most 480 px for the admin, below the installation's origin. It is signed, so the space's
 * limits on transforms do not apply, and it changes with the content; that of a private asset changes daily and is
 * valid for two days.
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
