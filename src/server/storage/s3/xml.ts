import { StorageAway, type StoredObject } from '../driver.ts'

/*
 * Parses S3's responses, which are flat XML with known elements. A DTD is refused, because it could make a parser
 * expand or fetch content. Patterns do not backtrack, so hostile responses take linear time in their limited length.
 */

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const point = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/** Returns the text of the first element with this name. `undefined` without such an element. */
export function element(xml: string, name: string): string | undefined {
  const open = `<${name}>`
  const start = xml.indexOf(open)
  const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start)
  return end < 0 ? undefined : decode(xml.slice(start + open.length, end))
}

export interface ListPage {
  objects: StoredObject[]
  /** Token for requesting the next page. */
  next: string | undefined
}

/** Parses a page of ListObjectsV2. Throws `StorageAway` for other texts. */
export function parseListPage(xml: string): ListPage {
  if (xml.includes('<!') || !/<ListBucketResult[\s>]/.test(xml)) throw new StorageAway('notS3')
  const encoded = element(xml, 'EncodingType') === 'url'
  const objects: StoredObject[] = []
  for (let at = xml.indexOf('<Contents>'), end = 0; at >= 0; at = xml.indexOf('<Contents>', end)) {
    end = xml.indexOf('</Contents>', at)
    if (end < 0) throw new StorageAway('notS3')
    const entry = xml.slice(at, end)
    const key = element(entry, 'Key')
    const size = Number(element(entry, 'Size'))
    const modifiedAt = new Date(element(entry, 'LastModified') ?? '')
    if (key === undefined || !Number.isSafeInteger(size) || Number.isNaN(modifiedAt.getTime()))
      throw new StorageAway('notS3')
    objects.push({ key: encoded ? decodeKey(key) : key, size, modifiedAt })
  }
  const truncated = element(xml, 'IsTruncated') === 'true'
  const next = element(xml, 'NextContinuationToken')
  if (truncated && !next) throw new StorageAway('notS3')
  return { objects, next: truncated ? next : undefined }
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new StorageAway('notS3')
  }
}
