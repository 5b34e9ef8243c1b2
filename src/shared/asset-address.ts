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

/** What stands before `.assets` in an address, from the end: the space, and the host or the origin with a path before it. */
const beginning = /(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}$/i
const longestBeginning = 340

/** Stands in a text for the address of an asset that is carried along with it, wherever that will be read: `imori-asset://{id}/{fileName}`. */
const portable = /imori-asset:\/\/([0-9a-f]{24})\//g
export const portableAddress = (id: string): string => `imori-asset://${id}/`

/** Nothing but the address of one asset, perhaps with a query. */
const onlyAddress =
  /^(?:imori-asset:\/\/|(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}\.assets(?:\.[a-z0-9.-]{1,253})?(?::\d{1,5})?\/v1\/)[0-9a-f]{24}\/[^\s/?#"'<>]+(?:\?[^\s"'<>]*)?$/i

/** Is this text the address of an asset, and nothing else? */
export const isAssetAddress = (text: string): boolean => text.length <= 4_000 && onlyAddress.test(text)

/**
 * The text with other addresses of assets, portable ones included: `change` answers what stands for everything before the
 * name of the file, or undefined where the address stays.
 */
export function mapAssetAddresses(text: string, change: (id: string) => string | undefined): string {
  const told = text.includes('imori-asset:')
    ? text.replace(portable, (whole, id: string) => change(id) ?? whole)
    : text
  let result = ''
  let from = 0
  for (const match of told.matchAll(address)) {
    const to = change((match[1] ?? '').toLowerCase())
    if (to === undefined) continue
    const before = told.slice(Math.max(from, match.index - longestBeginning), match.index)
    const own = beginning.exec(before)?.[0]
    if (own === undefined) continue
    result += told.slice(from, match.index - own.length) + to
    from = match.index + match[0].length
  }
  return result + told.slice(from)
}
