/** A Map, because an object would also know `constructor`. */
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
 * The text of sanitised HTML: tags dropped, blocks on lines of their own, entities read. It is for HTML that our
 * sanitiser has written (well formed, no scripts); it is not a sanitiser.
 */
export function htmlToText(html: string): string {
  return withoutMarkup(html)
    .replace(blockEnd, '\n')
    .replace(/<[^<>]*>/g, '') // the sanitiser leaves no bare < or > in a tag; this way it is linear
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
      if (name) return namedEntities.get(name.toLowerCase()) ?? whole
      const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16)
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : ''
    })
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** What is told by more than words: numbers of footnotes are in brackets, readings (ruby) behind the words they belong to. */
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

/** Plain text as HTML: a paragraph for each block of lines, line breaks inside it. */
export function textToHtml(text: string): string {
  const escaped = (line: string) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => `<p>${block.split('\n').map(escaped).join('<br />')}</p>`)
    .join('')
}
