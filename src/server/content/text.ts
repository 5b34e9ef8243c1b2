import type { DocumentTextTable } from '#server/db/tables.ts'
import { fitMultiple, type StoredValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { allFields, walkField } from '#shared/fields/walk.ts'
import { foldKana, normalizeUnicode } from '#shared/unicode.ts'

/** What one row of document_text holds beside its keys. */
export interface DocumentText {
  /** Normalised plain text by field `_id`; items, and the texts of a field inside of values, on lines of their own. */
  texts: Record<string, string>
  /** The hashed pairs of neighbouring characters in all of them, of either kana as hiragana, each once. */
  grams: number[]
  /** {@link charactersOf} all of them. */
  characters: number[]
}

/** What a row keeps: pairs of characters, and of current states the characters too. */
export function keptGrams({ grams, characters }: DocumentText, stage: DocumentTextTable['stage']): number[] {
  return stage === 1 ? grams : [...grams, ...characters]
}

/** The form in which text is searched: width and compatibility forms made equal (NFKC), case dropped. */
export function normalizeText(text: string): string {
  return normalizeUnicode(text, 'NFKC').toLowerCase()
}

/** The row of document_text for one state of a document (which rows there are: `textRows`, derived.ts). */
export function documentText(model: { fields: Field[] }, values: StoredValues): DocumentText {
  const texts: Record<string, string> = {}
  const grams = new Set<number>()
  const characters = new Set<number>()
  for (const field of model.fields) {
    if (values[field._id] === undefined || !hasTexts(field)) continue
    const text = textsOf(field, values[field._id]).join('\n')
    texts[field._id] = text
    addGrams(foldKana(text), grams, characters)
  }
  return { texts, grams: [...grams], characters: [...characters] }
}

/** Is there text in values of this field that `match` and full-text search look in? */
export function hasTexts(field: Field): boolean {
  const { searchable, nesting } = typeOf(field)
  return searchable || (nesting !== undefined && allFields([field]).some((inner) => typeOf(inner).searchable))
}

function textsOf(field: Field, value: unknown): string[] {
  const texts: string[] = []
  walkField(field, value, '', (visited) => {
    const { searchable, text } = typeOf(visited.field)
    const fitted = searchable ? fitMultiple(visited.field, visited.value) : undefined
    for (const item of [fitted].flat()) if (typeof item === 'string') texts.push(normalizeText(text(item)))
  })
  return texts
}

/** The grams that a text must hold to contain `normalized`, in whichever kana; none for less than two characters. */
export function gramsOf(normalized: string): number[] {
  const grams = new Set<number>()
  addGrams(foldKana(normalized), grams)
  return [...grams].sort((a, b) => a - b)
}

/**
 * The characters of a text, of either kana as hiragana: what finds words of one. As their code points, which no hash of a
 * pair is likely to be.
 */
export function charactersOf(normalized: string): number[] {
  const characters = new Set<number>()
  addGrams(foldKana(normalized), new Set(), characters)
  return [...characters]
}

function addGrams(text: string, grams: Set<number>, characters?: Set<number>): void {
  let previous = -1
  for (let at = 0; at < text.length; at++) {
    const current = text.codePointAt(at) ?? 0
    if (current > 0xffff) at++
    characters?.add(current)
    if (previous >= 0) grams.add(hashPair(previous, current))
    previous = current
  }
}

/** A pair of code points as an int32. Stored: changing this needs a migration that makes every row anew. */
function hashPair(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  return (hash ^ (hash >>> 15)) | 0
}
