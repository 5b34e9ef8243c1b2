import { diffWordsWithSpace } from 'diff'

/** A stretch of text; `own`: the other text does not have it. */
export interface Stretch {
  text: string
  own: boolean
}

/** Longer than this, in milliseconds, nobody waits for marks. */
const timeout = 300
const intlSegmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/** `text` in stretches, with those that `other` does not have. Whole and unmarked where telling would take too long. */
export function markDifferences(text: string, other: string): Stretch[] {
  const changes = diffWordsWithSpace(other, text, { intlSegmenter, timeout })
  if (!changes) return [{ text, own: false }]
  return changes.filter((change) => !change.removed).map(({ value, added }) => ({ text: value, own: added }))
}
