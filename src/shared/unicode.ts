/** Combining marks, and the two letters that NFKC turns into combining marks. */
const mark = String.raw`[\p{M}\uFF9E\uFF9F]`
/**
 * Maximum number of marks in a run, as in Unicode's stream-safe text format (UAX #15). No language needs longer runs.
 */
const maximumMarks = 30

const anyMark = new RegExp(mark, 'u')
const piece = new RegExp(`${mark.replace('[', '[^')}*${mark}{0,${maximumMarks}}`, 'gu')

/**
 * Normalises the text in linear time. Ordering marks takes quadratic time in the length of a run, so runs of more than
 * 30 marks are ordered in pieces of 30. The result for all other texts equals `String.normalize`.
 */
export function normalizeUnicode(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  if (!hasLongRun(text)) return text.normalize(form)
  return (text.match(piece) ?? []).map((part) => part.normalize(form)).join('')
}

/**
 * Characters that normalising may join with the character before them: marks and characters that become marks, letters
 * of Hangul, and vowels of Kirat Rai. (Older versions of Node do not support the script of Kirat Rai.)
 */
const joining = /[\p{M}\p{Script=Hangul}\u0e33\u0eb3\u{16d40}-\u{16d7f}\uff9e\uff9f]/u

/**
 * Cuts a text into pieces that can be normalised separately, of `size` to 2 × `size` UTF-16 units. The last piece may
 * be shorter. A run of characters that normalising may join is cut only if the piece would otherwise exceed 2 × `size`.
 */
export function* normalizablePieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start + size
    while (end < text.length && !isCutAllowed(text, end, end >= start + 2 * size)) end++
    yield text.slice(start, end)
    start = end
  }
}

function isCutAllowed(text: string, at: number, isForced: boolean): boolean {
  if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) return false
  return isForced || !joining.test(String.fromCodePoint(text.codePointAt(at) ?? 0))
}

/**
 * Returns whether the text contains a run of more than 30 marks, counted in UTF-16 units. Such a run includes a unit at
 * a multiple of 30, so only these units are checked first.
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

function isMark(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (!(unit >= 0x300)) return false // `unit` is NaN beyond the end of the text.
  const isLow = (unit & 0xfc00) === 0xdc00
  return anyMark.test(String.fromCodePoint(text.codePointAt(isLow ? at - 1 : at) ?? 0))
}

/** Returns whether {@link foldKana} replaces the code point with the one that is 0x60 less. */
export const isKatakana = (codePoint: number): boolean =>
  (codePoint >= 0x30a1 && codePoint <= 0x30f6) || codePoint === 0x30fd || codePoint === 0x30fe

/** Replaces katakana with hiragana, one code point for one. */
export const foldKana = (text: string): string =>
  text.replace(/[\u30a1-\u30f6\u30fd\u30fe]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))

/**
 * Removes the characters that PostgreSQL cannot store as text or in JSON. NUL is removed, and lone surrogates become
 * U+FFFD.
 */
export const storableTextOf = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/**
 * Invisible characters and bidirectional controls. A name that contains them could look like another name or break its
 * line. Joiners of letters and emoji (U+200C, U+200D) are not included.
 */
const invisible =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u

const everyInvisible = new RegExp(invisible, 'gu')

/** Returns the text with `replacement` for each {@link invisible} character. */
export const replaceInvisible = (text: string, replacement: string): string =>
  text.replace(everyInvisible, replacement)

/** A character that is visible alone, unlike combining marks, spaces, and fillers of Hangul and Braille. */
const visible = /[^\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Returns a name from another service in a form that can be stored. A name with a {@link nameProblem} loses its
 * invisible characters, and its line breaks become spaces. Returns `otherwise` if no visible character remains.
 */
export function shownName(name: string, otherwise: string): string {
  if (nameProblem(name) === null) return name
  const shown = replaceInvisible(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), '').trim()
  return shown !== '' && nameProblem(shown) === null ? shown : otherwise
}

/**
 * Returns why the text cannot be a name. `null` for a valid name and for an empty text. A text of white space is not
 * valid.
 */
export function nameProblem(name: string): 'InvalidCharacter' | 'NothingVisible' | null {
  if (invisible.test(name)) return 'InvalidCharacter'
  return name === '' || visible.test(name) ? null : 'NothingVisible'
}

/** Finds user-perceived characters, which are the same in all languages. */
export const segmenter = new Intl.Segmenter('ja', { granularity: 'grapheme' })

/**
 * Returns the beginning of the text as well-formed Unicode, at most `maxLength` UTF-16 units. Cuts between two
 * user-perceived characters, unless the first one is longer than `maxLength`.
 */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed()
  const { index = 0 } = segmenter.segment(text.slice(0, 2 * maxLength)).containing(maxLength) ?? {}
  return text.slice(0, index || maxLength).toWellFormed()
}

/** Returns the first user-perceived character: a family emoji is one. `''` for an empty text. */
export const firstCharacter = (text: string): string => segmenter.segment(text).containing(0)?.segment ?? ''
