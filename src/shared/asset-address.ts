/** The parts of the configuration from which asset addresses (URLs) are built. */
export interface AssetHost {
  url: string
  /** Wildcard domain below which each space has its own host. */
  domain?: string | undefined
}

/** Path of an asset below the origin of the installation: `/acme.assets/v1/{id}/{fileName}`. */
export function assetPath(spaceUid: string, id: string, fileName: string): string {
  return `/${spaceUid}.assets/v1/${id}/${encodeURIComponent(fileName)}`
}

/**
 * Returns the absolute URL of an asset. With a wildcard domain, the URL is on the host of the space, otherwise on the
 * origin of the installation.
 */
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

/**
 * The two parts of an address after `.assets`: first the rest of the host, which may be empty, then port, path and
 * `_id`.
 */
const hostPart = /[a-z0-9.-]*/iy
const afterHost = /(?::\d{1,5})?\/v1\/([0-9a-f]{24})\//iy
const longestHost = 253

/** An address in a text, from `.assets` to the slash before the file name. */
interface FoundAddress {
  index: number
  end: number
  id: string
}

/**
 * Finds asset addresses in a text, in the forms of Imori and Newt: `{space}.assets.example.com/v1/…`,
 * `/{space}.assets.newt.so/v1/…`, `/{space}.assets/v1/…`. Reads each host once, even if it contains `.assets` several
 * times.
 */
function* addressesIn(text: string): Generator<FoundAddress> {
  const start = /\.assets(?=[.:/])/gi
  for (let found = start.exec(text); found; found = start.exec(text)) {
    hostPart.lastIndex = start.lastIndex
    hostPart.exec(text)
    const hostEnd = hostPart.lastIndex
    afterHost.lastIndex = hostEnd
    const id = afterHost.exec(text)?.[1]
    if (id === undefined) {
      start.lastIndex = hostEnd
      continue
    }
    const end = afterHost.lastIndex
    while (found && found.index < hostEnd && !isHostLength(hostEnd - start.lastIndex))
      found = start.exec(text)
    if (found && found.index < hostEnd) yield { index: found.index, end, id: id.toLowerCase() }
    start.lastIndex = end
  }
}

/** Returns whether the part of the host after `.assets` has a valid length: empty, or a dot and 1 to 253 characters. */
const isHostLength = (length: number) => length === 0 || (length > 1 && length <= longestHost + 1)

/**
 * Returns the `_id`s of the asset addresses in a text, in order and with duplicates. Addresses of {@link
 * portableAddress} are not included.
 */
export const assetIdsIn = (text: string): string[] => Array.from(addressesIn(text), ({ id }) => id)

/**
 * Returns the assets of one space whose addresses the text contains, without duplicates. `fileName` is the decoded file
 * name in the first address of the asset.
 */
export function assetsNamedIn(text: string, spaceUid: string): { id: string; fileName: string }[] {
  const found = new Map<string, string>()
  for (const { index, end, id } of addressesIn(text)) {
    const before = text.slice(Math.max(0, index - longestUid - 1), index)
    if (/(?<![a-z0-9-])[a-z0-9-]*$/i.exec(before)?.[0].toLowerCase() !== spaceUid) continue
    const name = /^[^\s/?#"'<>()]*/.exec(text.slice(end, index + 1_000))?.[0]
    if (!found.has(id)) found.set(id, decoded(name ?? ''))
  }
  return [...found].map(([id, fileName]) => ({ id, fileName }))
}
const longestUid = 64

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/**
 * The part of an address before `.assets`, at the end of a text: optional protocol, host and slash, then the uid of the
 * space.
 */
const beginning = /(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}$/i
const longestBeginning = 340

/**
 * Placeholder for the address of an exported asset, independent of the installation: `imori-asset://{id}/{fileName}`.
 */
const portable = /imori-asset:\/\/([0-9a-f]{24})\//g
export const portableAddress = (id: string): string => `imori-asset://${id}/`

/** Matches a text that is the address of one asset, with an optional query string. */
const onlyAddress =
  /^(?:imori-asset:\/\/|(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}\.assets(?:\.[a-z0-9.-]{1,253})?(?::\d{1,5})?\/v1\/)[0-9a-f]{24}\/[^\s/?#"'<>]+(?:\?[^\s"'<>]*)?$/i

/** Returns whether the whole text is the address of an asset. False for more than 4,000 UTF-16 units. */
export const isAssetAddress = (text: string): boolean => text.length <= 4_000 && onlyAddress.test(text)

/**
 * Replaces the asset addresses in a text, including portable addresses. `change` returns the replacement for everything
 * before the file name, or `undefined` to keep the address.
 */
export function mapAssetAddresses(text: string, change: (id: string) => string | undefined): string {
  const told = text.includes('imori-asset:')
    ? text.replace(portable, (whole, id: string) => change(id) ?? whole)
    : text
  let result = ''
  let from = 0
  for (const { index, end, id } of addressesIn(told)) {
    const to = change(id)
    if (to === undefined) continue
    const before = told.slice(Math.max(from, index - longestBeginning), index)
    const own = beginning.exec(before)?.[0]
    if (own === undefined) continue
    result += told.slice(from, index - own.length) + to
    from = end
  }
  return result + told.slice(from)
}
