/** Where an installation is reached, as far as the addresses of assets go. */
export interface AssetHost {
  url: string
  /** Spaces have hosts of their own below it. */
  domain?: string | undefined
}

/** Where an asset is read, below the origin of the installation: `/acme.assets/v1/{id}/{fileName}`. */
export function assetPath(spaceUid: string, id: string, fileName: string): string {
  return `/${spaceUid}.assets/v1/${id}/${encodeURIComponent(fileName)}`
}

/** The same with a host: that of the space when there is a wildcard domain, else the installation's own. */
export function assetAddress(
  { url, domain }: AssetHost,
  spaceUid: string,
  id: string,
  fileName: string,
): string {
  if (!domain) return url + assetPath(spaceUid, id, fileName)
  const protocol = url.startsWith('https:') ? 'https:' : 'http:'
  return `${protocol}//${spaceUid}.assets.${domain}/v1/${id}/${encodeURIComponent(fileName)}`
}

/** `acme.assets/v1/{id}/…` in a path, `acme.assets.example.com/v1/{id}/…` as a host or, from Newt, in a path. */
const addresses = /[\w-]\.assets(?:[.:][\w.:-]{0,260})?\/v1\/([0-9a-f]{24})(?=\/)/gi

/** The `_id`s in the addresses of assets that stand in a text, in any of their forms, each once. */
export function assetIdsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(addresses), ([, id = '']) => id.toLowerCase()))]
}
