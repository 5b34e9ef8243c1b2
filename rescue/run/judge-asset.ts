/** Statements of asset objects in the contents about a file. */
export interface Expected {
  /** All stated sizes in bytes. Copies of an asset object in other contents may be older and differ. */
  sizes: number[]
  /** Media type; empty when unknown. */
  type: string
}

/** A response of an asset host with status 200. */
export interface Delivered {
  bytes: number
  /** The beginning of the file, at least one kilobyte if the file is that long. */
  head: Buffer
  /** Media type sent by the host; may be empty. */
  contentType: string
}

/**
 * `as_said`: the size matches the asset object, or nothing contradicts it. `other_size`: possibly the file, or a part
 * of it. `not_the_file`: an error or sign-in page, an XML or JSON error, or an empty body.
 */
export type Verdict = 'as_said' | 'other_size' | 'not_the_file'

/** Judges whether a response with status 200 is the requested file. */
export function judgeAsset(url: string, expected: Expected | undefined, delivered: Delivered): Verdict {
  const { bytes, head, contentType } = delivered
  const sizes = expected?.sizes ?? []
  if (sizes.includes(bytes)) return 'as_said'
  const kind =
    `${expected?.type ?? ''} ${/\.(\w{1,8})$/.exec(new URL(url).pathname)?.[1] ?? ''}`.toLowerCase()
  if (bytes === 0) return sizes.length > 0 || isBinary(kind) ? 'not_the_file' : 'as_said'
  return isStandIn(kind, head, contentType) ? 'not_the_file' : sizes.length > 0 ? 'other_size' : 'as_said'
}

/** Returns whether the media type and file extension do not suggest text. False if both are unknown. */
function isBinary(kind: string): boolean {
  return kind.trim() !== '' && !/text|html?\b|xml|svg|json|script|css|csv|md|txt|yaml|\bjs\b/.test(kind)
}

/** Returns whether the response is an HTML, XML or JSON document instead of a file of another type. */
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
  // A text file may contain HTML. It only counts as a page if the host declares it as HTML, or if it should be an SVG.
  if (isPage)
    return kind.trim() !== '' && !/html/.test(kind) && (/svg/.test(kind) || contentType.includes('html'))
  return isError && /svg/.test(kind)
}

/** If at least this number of files differ from the stated size and none matches, stated sizes are ignored. */
const enough = 20

/** Counts how often stated sizes were correct, to decide whether they can be trusted. */
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
