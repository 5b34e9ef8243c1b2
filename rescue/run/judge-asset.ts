/** What the asset objects in the contents say of a file. */
export interface Expected {
  /** Every size said of it: copies of an asset object in other contents may be older. */
  sizes: number[]
  /** Media type; empty when nobody says. */
  type: string
}

/** The answer a host gave with status 200. */
export interface Delivered {
  bytes: number
  /** Its beginning, a kilobyte or all there is. */
  head: Buffer
  /** Media type the host names; may be empty. */
  contentType: string
}

/**
 * `as_said`: of the size the asset object names, or nothing is known against it. `other_size`: may be the file
 * all the same, or a part of it. `not_the_file`: an error or sign-in page, an error in XML or JSON, or nothing.
 */
export type Verdict = 'as_said' | 'other_size' | 'not_the_file'

/** Judges whether what came with status 200 is the file that was asked for. */
export function judgeAsset(url: string, expected: Expected | undefined, delivered: Delivered): Verdict {
  const { bytes, head, contentType } = delivered
  const sizes = expected?.sizes ?? []
  if (sizes.includes(bytes)) return 'as_said'
  const kind =
    `${expected?.type ?? ''} ${/\.(\w{1,8})$/.exec(new URL(url).pathname)?.[1] ?? ''}`.toLowerCase()
  if (bytes === 0) return sizes.length > 0 || isBinary(kind) ? 'not_the_file' : 'as_said'
  return isStandIn(kind, head, contentType) ? 'not_the_file' : sizes.length > 0 ? 'other_size' : 'as_said'
}

/** True for what is known not to be text of any kind; false when nothing is known. */
function isBinary(kind: string): boolean {
  return kind.trim() !== '' && !/text|html?\b|xml|svg|json|script|css|csv|md|txt|yaml|\bjs\b/.test(kind)
}

/** A page, an XML or a JSON document where something else was meant to come. */
function isStandIn(kind: string, head: Buffer, contentType: string): boolean {
  const start = head
    .toString('utf8')
    .replace(/^(?:\ufeff|\s|<!--[\s\S]*?-->)+/, '')
    .slice(0, 300)
  const isPage =
    /^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|title|meta|script|center|h1)\b/i.test(start)
  const isError = /^(?:<\?xml[^>]*>\s*)?<(?:error|errors|code|message)\b/i.test(start)
  if (isBinary(kind))
    return isPage || isError || /^(?:<\?xml\b|\{\s*"(?:error|errors|status|code|message)")/i.test(start)
  // A text may well show HTML; when the host itself calls it a page, it is one.
  if (isPage)
    return kind.trim() !== '' && !/html/.test(kind) && (/svg/.test(kind) || contentType.includes('html'))
  return isError && /svg/.test(kind)
}

/** So many files of another size than said, none of the size said: what is said is no size in bytes. */
const enough = 20

/** Counts how often the sizes said were right, to know whether they are to be believed. */
export class SizeTrust {
  #right = 0
  #wrong = 0

  count(isRight: boolean): void {
    if (isRight) this.#right += 1
    else this.#wrong += 1
  }

  get isLost(): boolean {
    return this.#right === 0 && this.#wrong >= enough
  }
}
