import type { Collector, SaidOfFile } from '../collected.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'

const ghostUrl = '__GHOST_URL__'
const path = String.raw`/content/(?:images|media|files)/[^\s"'<>()\\?#&,]{1,1000}`
const query = String.raw`(?:[?#][^\s"'<>()\\,]{0,1000})?`
/** URLs of Ghost's own files in HTML, with or without the URL of the site. */
const inText = new RegExp(
  [
    String.raw`(?:${ghostUrl}|(?<=\b(?:src|href|poster)\s{0,3}=\s{0,3}["']?)(?:/[\w-]{1,100}){0,3}?)(${path})${query}`,
    String.raw`https?://[\w.:-]{1,253}(?:/[\w-]{1,100}){0,3}?(${path})${query}`,
  ].join('|'),
  'g',
)
const inAddress = new RegExp(`(${path})`)
const srcset = /\ssrcset="([^"]*)"(?:\s+sizes="[^"]*")?/g

/** The files of a Ghost site. They are in the upload next to the export, on the web, or missing. */
export class GhostFiles {
  readonly #files: SourceFiles
  readonly #into: Collector

  constructor(files: SourceFiles, into: Collector) {
    this.#files = files
    this.#into = into
  }

  /** Returns the field value for a file; null if the URL is not valid. */
  value(address: string, said: SaidOfFile = {}): Record<string, unknown> | null {
    const own = address.startsWith(ghostUrl) ? address.slice(ghostUrl.length) : address
    const isOwn = own !== address || /^\/(?!\/)/.test(own)
    const [, within = isOwn ? own : ''] = inAddress.exec(own) ?? []
    const stored = storedPath(within)
    const local = stored === '' ? undefined : this.#find(stored)
    if (local) return this.#into.file(local, said)
    if (isOwn) return stored === '' ? null : this.#into.missingFile(stored, said)
    const absolute = own.startsWith('//') ? `https:${own}` : own
    return /^https?:\/\//i.test(absolute) && URL.canParse(absolute) ? this.#into.remote(absolute, said) : null
  }

  /**
   * Returns HTML in which placeholder URLs replace the URLs of Ghost's files. URLs on the web stay unchanged if the
   * upload lacks the file. Other links within the site become relative, because an export does not contain the URL of
   * the site.
   */
  html(source: string): string {
    const html = source
      // An export contains no resized copies.
      .replace(srcset, (found, list: string) => (/\/content\/images\/size\//.test(list) ? '' : found))
      .replace(inText, (found, own: string | undefined, absolute: string | undefined) => {
        const stored = storedPath(own ?? absolute ?? '')
        const local = this.#find(stored)
        if (local) return this.#into.addressOf(local)
        return own === undefined ? found : String(this.#into.missingFile(stored).src)
      })
      .replace(/__GHOST_URL__(?=(\/)?)/g, (_found, slash?: string) => (slash ? '' : '/'))
    this.#into.embedded(html)
    return html
  }

  #find(stored: string): SourceFile | undefined {
    const plain = decoded(stored)
    // Ghost also imports zips of the folder `content`, whose paths may lack the name of this folder.
    const inside = plain.replace(/^content\//, '')
    const candidates = this.#files.named(plain.split('/').at(-1) ?? '')
    for (const place of [plain, inside])
      for (const file of candidates) if (file.path === place || file.path.endsWith(`/${place}`)) return file
    return undefined
  }
}

/** Returns the path of the original: `content/images/2024/a.png` for `/content/images/size/w600/2024/a.png`. */
const storedPath = (address: string) =>
  address
    .replace(/[?#].*$/s, '')
    .replace(/^\/+/, '')
    .replace(/^content\/images\/size\/[^/]+\/(?:format\/[^/]+\/)?/, 'content/images/')

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
