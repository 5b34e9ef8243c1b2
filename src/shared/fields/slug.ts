import { normalizeUnicode } from '../unicode.ts'

/** Longer ones are cut between words. */
const longest = 80

/**
 * What stands in an address for a text: its Latin letters and digits in lower case, with hyphens between words
 * (`Café & Ｂａｒ 24` is `cafe-bar-24`). `''` for a text without any.
 */
export function makeSlug(text: string): string {
  const plain = normalizeUnicode(normalizeUnicode(text.slice(0, 1000), 'NFKC'), 'NFD').replace(
    /[\u0300-\u036f']/g,
    '',
  )
  const slug = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug.length <= longest
    ? slug
    : slug
        .slice(0, longest + 1)
        .replace(/-[^-]*$/, '')
        .slice(0, longest)
}
