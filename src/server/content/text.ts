import type { DocumentTextTable } from '#server/db/tables.ts'
import { Pace } from '#server/lib/pace.ts'
import { fitMultiple, type StoredValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { allFields, walkField } from '#shared/fields/walk.ts'
import { isKatakana, normalizablePieces, normalizeUnicode } from '#shared/unicode.ts'

/**
 * Number of UTF-16 units that are processed before other requests may run. One unit can become 18 when it is
 * normalised.
 */
const pieceSize = 8_192
/**
 * Maximum length of the searchable texts of a document, in UTF-16 units. Texts that do not grow when they are
 * normalised are never longer, because a document has at most a megabyte.
 */
const maximumText = 1024 * 1024

/** The columns of a `document_text` row without its keys. */
export interface DocumentText {
  /** Normalised plain text by field `_id`; items and the texts of inner values are on separate lines. */
  texts: Record<string, string>
  /** Hashes of all pairs of adjacent characters, each once, with katakana folded to hiragana. */
  grams: number[]
  /** The result of {@link charactersOf} for all texts. */
  characters: number[]
}

/** Returns the grams to store in a row: character pairs, and for current states single characters too. */
export function keptGrams({ grams, characters }: DocumentText, stage: DocumentTextTable['stage']): number[] {
  return stage === 1 ? grams : [...grams, ...characters]
}

/** Returns the form in which text is searched: NFKC (equal width and compatibility forms), in lower case. */
export function normalizeText(text: string): string {
  return normalizeUnicode(text, 'NFKC').toLowerCase()
}

/**
 * Returns the content of a `document_text` row for one state of a document (`textRows` in derived.ts decides which rows
 * exist). Yields to other requests while it processes long texts.
 */
export async function documentText(
  model: { fields: Field[] },
  values: StoredValues,
  pace = new Pace(),
): Promise<DocumentText> {
  const texts: Record<string, string> = {}
  const grams = new Set<number>()
  const characters = new Set<number>()
  let room = maximumText
  for (const field of model.fields) {
    if (values[field._id] === undefined || !hasTexts(field)) continue
    const items: string[] = []
    for (const textOf of textsOf(field, values[field._id])) {
      const item = await normalizedUpTo(room, textOf(), pace)
      room -= item.length
      items.push(item)
    }
    const text = items.join('\n')
    texts[field._id] = text
    for (const _ of addingGrams(text, grams, characters)) await pace.giveWay()
  }
  return { texts, grams: [...grams], characters: [...characters] }
}

/** Normalises a text like {@link normalizeText}, piece by piece, until a piece would exceed `room` UTF-16 units. */
async function normalizedUpTo(room: number, text: string, pace: Pace): Promise<string> {
  let normalized = ''
  for (const piece of normalizablePieces(text, pieceSize)) {
    await pace.giveWay()
    const next = normalizeUnicode(piece, 'NFKC')
    if (normalized.length + next.length > room) break
    normalized += next
  }
  // The whole text is lower-cased in one call, because the lower case of a sigma depends on the following characters.
  return normalized.toLowerCase()
}

/** Checks whether values of this field contain text for `match` and full-text search. */
export function hasTexts(field: Field): boolean {
  const { searchable, nesting } = typeOf(field)
  return searchable || (nesting !== undefined && allFields([field]).some((inner) => typeOf(inner).searchable))
}

/** Returns functions that create the plain texts of a value. */
function textsOf(field: Field, value: unknown): (() => string)[] {
  const texts: (() => string)[] = []
  walkField(field, value, '', (visited) => {
    const { searchable, text } = typeOf(visited.field)
    const fitted = searchable ? fitMultiple(visited.field, visited.value) : undefined
    for (const item of [fitted].flat()) if (typeof item === 'string') texts.push(() => text(item))
  })
  return texts
}

/**
 * Returns the grams that a text must have to contain `normalized`. They do not distinguish hiragana and katakana. Empty
 * for fewer than two characters.
 */
export function gramsOf(normalized: string): number[] {
  const grams = new Set<number>()
  for (const _ of addingGrams(normalized, grams));
  return [...grams].sort((a, b) => a - b)
}

/**
 * Returns the characters of a text as code points, with katakana folded to hiragana, to search for words of one
 * character. Hashes of pairs are unlikely to equal a code point.
 */
export function charactersOf(normalized: string): number[] {
  const characters = new Set<number>()
  for (const _ of addingGrams(normalized, new Set(), characters));
  return [...characters]
}

/** Adds the pairs and characters of a text. Yields after every `pieceSize` UTF-16 units. */
function* addingGrams(text: string, grams: Set<number>, characters?: Set<number>): Generator<void> {
  let previous = -1
  let nextStep = pieceSize
  for (let at = 0; at < text.length; at++) {
    const current = text.codePointAt(at) ?? 0
    if (current > 0xffff) at++
    const folded = isKatakana(current) ? current - 0x60 : current
    characters?.add(folded)
    if (previous >= 0) grams.add(hashPair(previous, folded))
    previous = folded
    if (at < nextStep) continue
    nextStep = at + pieceSize
    yield
  }
}

/**
 * Returns a hash of two code points as an int32. Hashes are stored: a change of this function needs a migration that
 * rebuilds every row.
 */
function hashPair(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  return (hash ^ (hash >>> 15)) | 0
}
