import { diffWordsWithSpace } from 'diff'

/** A piece of one of two compared texts. `own`: whether the other text does not have it. */
export interface Stretch {
  text: string
  own: boolean
}

/** The time limit of a comparison in milliseconds. */
const timeout = 300
const intlSegmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Splits `text` into pieces and marks those that `other` does not have. Returns one unmarked piece if the comparison
 * exceeds its time limit.
 */
export function markDifferences(text: string, other: string): Stretch[] {
  const changes = diffWordsWithSpace(other, text, { intlSegmenter, timeout })
  if (!changes) return [{ text, own: false }]
  return changes.filter((change) => !change.removed).map(({ value, added }) => ({ text: value, own: added }))
}
