/** Combining marks, and the two letters that compatibility forms (NFKC) make combining marks of. */
const mark = String.raw`[\p{M}\uFF9E\uFF9F]`
/** Unicode's stream-safe text format has no longer runs either (UAX #15): no language needs them. */
const maximumMarks = 30

const anyMark = new RegExp(mark, 'u')
const piece = new RegExp(`${mark.replace('[', '[^')}*${mark}{0,${maximumMarks}}`, 'gu')

/**
 * The text in a normalisation form, in linear time. Putting marks in order takes time with the square of their number,
 * so runs of more than 30 are ordered in pieces of 30; every other text comes out as `String.normalize` writes it.
 */
export function normalizeUnicode(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  if (!hasLongRun(text)) return text.normalize(form)
  return (text.match(piece) ?? []).map((part) => part.normalize(form)).join('')
}

/**
 * Is there a run of more marks, counted in UTF-16 units? Looks only where no such run can pass unseen, and at each unit
 * of a run once.
 */
function hasLongRun(text: string): boolean {
  for (let at = maximumMarks; at < text.length; at += maximumMarks) {
    if (!isMark(text, at)) continue
    let start = at
    while (start > 0 && at - start < maximumMarks && isMark(text, start - 1)) start--
    while (at - start <= maximumMarks && isMark(text, at)) at++
    if (at - start > maximumMarks) return true
  }
  return false
}

/** Does the unit belong to a mark? */
function isMark(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (!(unit >= 0x300)) return false // also beyond the end
  const isLow = (unit & 0xfc00) === 0xdc00
  return anyMark.test(String.fromCodePoint(text.codePointAt(isLow ? at - 1 : at) ?? 0))
}

/** The text with katakana as hiragana: one code point for one. */
export const foldKana = (text: string): string =>
  text.replace(/[\u30a1-\u30f6\u30fd\u30fe]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))

/** The text as PostgreSQL can keep it, as text and inside of JSON: without NUL, and lone surrogates as U+FFFD. */
export const storableTextOf = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/**
 * What nobody sees and what turns the direction of writing, so that a name could look like another one or break the line that it stands
 * in. What joins letters and emoji (U+200C, U+200D) stays.
 */
export const invisible =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u
