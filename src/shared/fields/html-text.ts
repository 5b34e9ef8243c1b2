/** A Map rather than an object, which would also have keys like `constructor`. */
const namedEntities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
])

/** Blocks that end a line when HTML becomes plain text. */
const blockEnd = /<\/(?:p|div|h[1-6]|li|tr|blockquote|pre|figure|figcaption)>|<br\s*\/?>|<hr\s*\/?>/gi

/**
 * The text of sanitised HTML: tags removed, blocks on separate lines, entities decoded. It relies on well-formed,
 * script-free output of the server's sanitiser; it is not a sanitiser itself.
 */
export function htmlToText(html: string): string {
  const text = withoutMarkup(html)
    .replace(blockEnd, '\n')
    .replace(/<[^<>]*>/g, '') // linear, because the sanitiser leaves no bare < or > in a tag
  return decoded(text)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Characters after `&` in the longest entity that is decoded, with its semicolon: `#1114111;`. */
const longestEntity = 9

/** The text with its entities decoded. A loop, because a replacing function takes seconds for 200,000 entities. */
function decoded(text: string): string {
  let result = ''
  let copied = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const after = text.slice(at + 1, at + 1 + longestEntity)
    const end = after.indexOf(';')
    const character = end < 0 ? undefined : characterOf(after.slice(0, end))
    if (character === undefined) continue
    result += text.slice(copied, at) + character
    copied = at + 1 + end + 1
  }
  return copied === 0 ? text : result + text.slice(copied)
}

/** The character of an entity (`amp`, `#38`, `#x26`); `''` for a number without one; undefined for other names. */
function characterOf(entity: string): string | undefined {
  if (!entity.startsWith('#')) return namedEntities.get(entity.toLowerCase())
  const [, decimal, hex] = /^#(?:(\d{1,7})|x([0-9a-f]{1,6}))$/i.exec(entity) ?? []
  if (decimal === undefined && hex === undefined) return undefined
  const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex ?? '', 16)
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ''
}

/** Makes the meaning of markup visible in the text: footnote numbers in brackets, ruby readings after their words. */
function withoutMarkup(html: string): string {
  let told = html
  if (told.includes('role="doc-')) {
    let number = 0
    told = told
      .replace(/(<a [^<>]*role="doc-noteref"[^<>]*>)([^<>]*)/g, '$1[$2]')
      .replace(/<a [^<>]*role="doc-backlink"[^<>]*>[^<>]*/g, '')
      .replace(/<section role="doc-endnotes">|<li id="fn[^"<>]*">/g, (tag) =>
        tag.startsWith('<li') ? `[${++number}] ` : `${tag}\n`,
      )
  }
  if (told.includes('<rt>'))
    told = told.replace(/<rp>[^<>]*/g, '').replace(/<rt>([^<>]*)/g, (_whole, reading) => `（${reading}）`)
  return told
}

/** Converts plain text to HTML: one paragraph per block of lines, with line breaks inside. */
export function textToHtml(text: string): string {
  const escaped = (line: string) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => `<p>${block.split('\n').map(escaped).join('<br />')}</p>`)
    .join('')
}
