import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '#server/config.ts'
import { assetPath } from '#shared/asset-address.ts'

/** The signed query parameters by name. The signature also covers the asset's `_id`. */
export type SignedParameters = Record<string, string>

/**
 * Returns the key with which a space's sites sign URLs of assets. `generation` is incremented when the key is renewed.
 */
export const siteKey = ({ sessionKey }: Secrets, spaceId: number, generation: number): string =>
  createHmac('sha256', sessionKey).update(`asset addresses ${spaceId} ${generation}`).digest('base64url')

/** Returns the key for URLs that the server signs for the admin. */
const ownKey = ({ sessionKey }: Secrets, spaceUid: string): string =>
  createHmac('sha256', sessionKey)
    .update(`asset addresses of the admin ${spaceUid.toLowerCase()}`)
    .digest('base64url')

/**
 * Returns the signature of an asset's URL. It covers the asset's `_id` and all parameters except `signature` and `v`,
 * sorted by name, as `{_id}?a=1&b=2`, percent-encoded like URLSearchParams.
 */
export function signatureOf(key: string, assetId: string, parameters: SignedParameters): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', key)
    .update(`${assetId}?${new URLSearchParams(sorted)}`)
    .digest('base64url')
}

/** Returns whether the signature is valid, by the space's key or by the server's own key. */
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

/** The parts of an asset that determine the URL of its thumbnail. */
export interface Thumbnailed {
  id: string
  fileName: string
  /** Hash of the content, in hex. */
  hash: string
  private: boolean
}

/** A day in seconds. */
const day = 86_400

/**
 * Returns the URL path of a picture of at most 480 px for the admin, below the installation's origin. The URL is
 * signed, so the space's limits on transforms do not apply. It changes with the content. The URL of a private asset
 * also changes daily and is valid for one to two days.
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
