/**
 * What was uploaded cannot be converted. `unknown`: it is nothing that we know; `broken`: it is cut short, or not what it begins as;
 * `tooLarge`: unpacked it is far larger than anything real; `tooComplex`: something in it has more of something than we read.
 */
export class BrokenSource extends Error {
  override readonly name = 'BrokenSource'
  readonly reason: 'unknown' | 'broken' | 'tooLarge' | 'tooComplex'
  /** Files of the upload with what is wrong in them. */
  readonly items: { file: string; why: string }[]
  constructor(reason: BrokenSource['reason'], items: BrokenSource['items'] = []) {
    super([reason, ...items.map(({ file, why }) => `${file}: ${why}`)].join(' '))
    this.reason = reason
    this.items = items
  }
}

/** What something may have too much of, as `why` says it. */
const bounds: ReadonlySet<string> = new Set([
  'aliases',
  'attributes',
  'columns',
  'depth',
  'elements',
  'fields',
  'keys',
  'nodes',
  'parts',
  'bytes',
  'values',
])

/** For files of which nothing is left: says which, and why. */
export const nothingRead = (items: BrokenSource['items']): BrokenSource =>
  new BrokenSource(
    items.length === 0 ? 'unknown' : items.every(({ why }) => bounds.has(why)) ? 'tooComplex' : 'broken',
    items,
  )
