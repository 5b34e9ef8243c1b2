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

/** In every form that we or Newt give: `{space}.assets.example.com/v1/…`, `/{space}.assets.newt.so/v1/…`, `/{space}.assets/v1/…`. */
const address = /\.assets(?:\.[a-z0-9.-]{1,253})?(?::\d{1,5})?\/v1\/([0-9a-f]{24})\//gi

/** The `_id`s in addresses of assets that stand in a text, in their order. */
export function assetIdsIn(text: string): string[] {
  return Array.from(text.matchAll(address), ([, id = '']) => id.toLowerCase())
}
