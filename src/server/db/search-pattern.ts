import { foldKana, normalizeUnicode } from '#shared/unicode.ts'

/**
 * Returns the LIKE pattern for texts that contain `search`. The texts must be stored or selected as
 * `fold_kana(lower(normalize(…, NFKC)))`, which ignores case, character width and kind of kana.
 */
export function searchPattern(search: string): string {
  const wanted = foldKana(normalizeUnicode(search.trim(), 'NFKC').toLowerCase())
  return `%${wanted.replace(/[\\%_]/g, '\\$&')}%`
}
