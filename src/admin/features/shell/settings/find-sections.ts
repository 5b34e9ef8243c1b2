import { romajiOf } from '#shared/romaji.ts'
import { foldKana, normalizeUnicode } from '#shared/unicode.ts'

/** Unifies romaji variants: `shi` and `si`, `ou` and `o`, `mb` and `nb`. */
const spellings: [RegExp, string][] = [
  [/sh(?=[iaueo])/g, 's'],
  [/ch|ty|cy/g, 't'],
  [/ts/g, 't'],
  [/sy(?=[auo])/g, 's'],
  [/[jz]y?(?=[iauo])/g, 'z'],
  [/fu/g, 'hu'],
  [/m(?=[bmp])/g, 'n'],
  [/n'|nn/g, 'n'],
  [/ou|oo/g, 'o'],
  [/([aiue])\1/g, '$1'],
]

/** Normalises spelling: width, case, kana, long vowels, middle dots. */
const written = (text: string): string =>
  foldKana(normalizeUnicode(text, 'NFKC').toLowerCase()).replace(/[ー・]/g, '')

/** Normalises like {@link written}, and transcribes kana to Latin letters in one spelling. */
function spoken(text: string): string {
  const latin = written(text).replace(/[ぁ-ゖ]+/g, (kana) => romajiOf(kana) ?? kana)
  return spellings.reduce((rest, [from, to]) => rest.replace(from, to), latin)
}

/**
 * Returns the entries whose texts contain all words of the query. Entries whose name alone contains them come first.
 * Kana and romaji, and full and half width, are treated as equal: `めんば`, `menba` and `メンバー` find the same entries.
 */
export function findByWords<T>(
  entries: readonly T[],
  query: string,
  textsOf: (entry: T) => { name: string; words: string },
): T[] {
  const asked = query.split(/\s+/).filter(Boolean)
  const contains = (text: string) => {
    const [inKana, inLatin] = [written(text), spoken(text)]
    return asked.every((word) => inKana.includes(written(word)) || inLatin.includes(spoken(word)))
  }
  const found = entries.filter((entry) => {
    const { name, words } = textsOf(entry)
    return contains(`${name} ${words}`)
  })
  return [
    ...found.filter((entry) => contains(textsOf(entry).name)),
    ...found.filter((entry) => !contains(textsOf(entry).name)),
  ]
}
