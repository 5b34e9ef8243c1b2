/** Combining marks, and the two letters that compatibility forms (NFKC) make combining marks of. */
const mark = String.raw`[\p{M}\uFF9E\uFF9F]`
/** Unicode's stream-safe text format has no longer runs either (UAX #15): no language needs them. */
const maximumMarks = 30

const anyMark = new RegExp(mark, 'u')
const longRun = new RegExp(`${mark}{${maximumMarks + 1}}`, 'u')
const piece = new RegExp(`${mark.replace('[', '[^')}*${mark}{0,${maximumMarks}}`, 'gu')

/**
 * The text in a normalisation form, in linear time. Putting marks in order takes time with the square of their number,
 * so runs of more than 30 are ordered in pieces of 30; every other text comes out as `String.normalize` writes it.
 */
export function normalizeUnicode(text: string, form: 'NFC' | 'NFKC'): string {
  if (!hasLongRun(text)) return text.normalize(form)
  return (text.match(piece) ?? []).map((part) => part.normalize(form)).join('')
}

/** Looks where no long run can pass unseen; what is around a mark there, it looks at closely. */
function hasLongRun(text: string): boolean {
  for (let at = maximumMarks; at < text.length; at += maximumMarks) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
    const character = text.codePointAt(isLow ? at - 1 : at) ?? 0
    if (character < 0x300 || !anyMark.test(String.fromCodePoint(character))) continue
    const reach = 2 * maximumMarks + 2 // in UTF-16 units
    if (longRun.test(text.slice(Math.max(0, at - reach), at + reach))) return true
  }
  return false
}
