import { normalizeUnicode } from './unicode.ts'

/** Hiragana rows in Hepburn, vowels a i u e o. */
const rows: [letters: string, syllables: string][] = [
  ['あいうえお', 'a i u e o'],
  ['かきくけこ', 'ka ki ku ke ko'],
  ['さしすせそ', 'sa shi su se so'],
  ['たちつてと', 'ta chi tsu te to'],
  ['なにぬねの', 'na ni nu ne no'],
  ['はひふへほ', 'ha hi fu he ho'],
  ['まみむめも', 'ma mi mu me mo'],
  ['やゆよ', 'ya yu yo'],
  ['らりるれろ', 'ra ri ru re ro'],
  ['わゐゑをん', 'wa i e o n'],
  ['がぎぐげご', 'ga gi gu ge go'],
  ['ざじずぜぞ', 'za ji zu ze zo'],
  ['だぢづでど', 'da ji zu de do'],
  ['ばびぶべぼ', 'ba bi bu be bo'],
  ['ぱぴぷぺぽ', 'pa pi pu pe po'],
  ['ゔ', 'vu'],
]
const syllables = new Map(
  rows.flatMap(([letters, names]) => {
    const list = names.split(' ')
    return [...letters].map((letter, index) => [letter, list[index] ?? ''] as const)
  }),
)
const smallYa: Record<string, string> = { ゃ: 'a', ゅ: 'u', ょ: 'o' }
const smallVowels: Record<string, string> = { ぁ: 'a', ぃ: 'i', ぅ: 'u', ぇ: 'e', ぉ: 'o' }

export const toHiragana = (text: string): string =>
  text.replace(/[ァ-ヴ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))

/**
 * Converts kana to Latin letters without marks for long vowels: `ブログ` → `burogu`, `きょうと` → `kyoto`. Returns `null` for
 * any other text.
 */
export function romajiOf(kana: string): string | null {
  let latin = ''
  let doubled = false
  for (const letter of toHiragana(normalizeUnicode(kana, 'NFKC'))) {
    if (letter === 'ー') continue
    if (letter === 'っ') {
      doubled = true
      continue
    }
    const next = append(latin, letter)
    if (next === null) return null
    latin = doubled ? doubleConsonant(latin, next) : next
    doubled = false
  }
  // Long vowels are shortened.
  return latin.replace(/ou|oo/g, 'o').replace(/uu/g, 'u')
}

function append(latin: string, letter: string): string | null {
  const ya = smallYa[letter]
  // し + ゃ is sha, き + ゃ is kya.
  if (ya)
    return latin.endsWith('i') ? `${latin.slice(0, -1)}${/(?:sh|ch|j)i$/.test(latin) ? '' : 'y'}${ya}` : null
  const vowel = smallVowels[letter]
  // ウ + ェ is we, フ + ァ is fa.
  if (vowel) return latin.replace(/(^|[aiueo])u$/, '$1w').replace(/(?<=[^aiueo])[aiueo]$/, '') + vowel
  const syllable = syllables.get(letter)
  return syllable ? latin + syllable : null
}

function doubleConsonant(before: string, after: string): string {
  const added = after.slice(before.length)
  return before + (added.startsWith('ch') ? 't' : /^[^aiueo]/.test(added) ? added[0] : '') + added
}
