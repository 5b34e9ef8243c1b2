/** The parts of an installation's address that the addresses of assets need. */
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
 * The absolute address: on the host of the space when there is a wildcard domain, otherwise on the installation's
 * origin.
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

/** Host or end of an address after `.assets`. */
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
 * All address forms of Imori and Newt: `{space}.assets.example.com/v1/…`, `/{space}.assets.newt.so/v1/…`,
 * `/{space}.assets/v1/…`. Each host is read once, however many times it contains `.assets`.
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

/** Nothing, or a dot and a host. */
const isHostLength = (length: number) => length === 0 || (length > 1 && length <= longestHost + 1)

/** The `_id`s of all asset addresses in a text, in order. */
export const assetIdsIn = (text: string): string[] => Array.from(addressesIn(text), ({ id }) => id)

/** The assets of one space that a text embeds or links to, without duplicates, with the file name in the address. */
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
 * The part of an address before `.assets`, anchored at the end: the space, and the host or the origin with a path
 * before it.
 */
const beginning = /(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}$/i
const longestBeginning = 340

/**
 * Placeholder in a text for the address of an exported asset, independent of the installation:
 * `imori-asset://{id}/{fileName}`.
 */
const portable = /imori-asset:\/\/([0-9a-f]{24})\//g
export const portableAddress = (id: string): string => `imori-asset://${id}/`

/** Matches the address of one asset and nothing else, except a query string. */
const onlyAddress =
  /^(?:imori-asset:\/\/|(?:(?:https?:)?\/\/(?:[a-z0-9.-]{1,253}(?::\d{1,5})?\/)?|\/)?[a-z0-9-]{1,64}\.assets(?:\.[a-z0-9.-]{1,253})?(?::\d{1,5})?\/v1\/)[0-9a-f]{24}\/[^\s/?#"'<>]+(?:\?[^\s"'<>]*)?$/i

/** Whether the text is the address of an asset and nothing else. */
export const isAssetAddress = (text: string): boolean => text.length <= 4_000 && onlyAddress.test(text)

/**
 * Replaces asset addresses in the text, portable ones included. `change` returns the new text for everything before the
 * file name, or undefined to keep the address.
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
