/**
 * What was uploaded cannot be converted. `unknown`: it is nothing that we know; `broken`: it is cut short, or not what it begins as;
 * `tooLarge`: unpacked it is far larger than anything real.
 */
export class BrokenSource extends Error {
  override readonly name = 'BrokenSource'
  readonly reason: 'unknown' | 'broken' | 'tooLarge'
  /** Files of the upload with what is wrong in them. */
  readonly items: { file: string; why: string }[]
  constructor(reason: BrokenSource['reason'], items: BrokenSource['items'] = []) {
    super([reason, ...items.map(({ file, why }) => `${file}: ${why}`)].join(' '))
    this.reason = reason
    this.items = items
  }
}
