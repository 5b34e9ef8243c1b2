import { lineElements } from '#shared/fields/html-text.ts'

/**
 * Returns SQL that approximates the text of stored HTML (shared/fields/html-text.ts), exact enough to search for words.
 */
export function htmlTextInSql(html: string): string {
  const ends = `</?(${lineElements.join('|')})(\\s[^<>]*)?/?>`
  const lines = `regexp_replace(${html}, '${ends}', chr(10), 'gi')`
  const entities = [
    ['&lt;', "'<'"],
    ['&gt;', "'>'"],
    ['&quot;', "'\"'"],
    ['&nbsp;', 'chr(160)'],
    ['&amp;', "'&'"],
  ] as const
  const bare = `regexp_replace(${lines}, '<[^<>]*>', '', 'g')`
  return entities.reduce((sql, [entity, character]) => `replace(${sql}, '${entity}', ${character})`, bare)
}
