/**
 * The upload cannot be converted. `unknown`: unsupported format; `broken`: truncated, malformed, or without readable
 * contents; `tooLarge`: unpacks to an implausible size; `tooComplex`: exceeds a limit on structure.
 */
export class BrokenSource extends Error {
  override readonly name = 'BrokenSource'
  readonly reason: 'unknown' | 'broken' | 'tooLarge' | 'tooComplex'
  /** Unreadable files or contents, each with the reason. */
  readonly items: { file: string; why: string }[]
  constructor(reason: BrokenSource['reason'], items: BrokenSource['items'] = []) {
    super([reason, ...items.map(({ file, why }) => `${file}: ${why}`)].join(' '))
    this.reason = reason
    this.items = items
  }
}

/** Values of `why` that name an exceeded limit. */
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

/**
 * Returns the error for an upload without readable contents. Reason: `unknown` without items, `tooComplex` if every
 * item exceeds a limit, otherwise `broken`.
 */
export const nothingRead = (items: BrokenSource['items']): BrokenSource =>
  new BrokenSource(
    items.length === 0 ? 'unknown' : items.every(({ why }) => bounds.has(why)) ? 'tooComplex' : 'broken',
    items,
  )
