/** A Map, because an object would also have keys like `constructor`. */
const namedEntities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
])

const namesOf = (names: string) => names.split(' ')

/** Elements that end a line even if they are empty, as an empty paragraph does. */
const lines = namesOf('p div h1 h2 h3 h4 h5 h6 pre li figure')
/** Elements that begin and end on a line of their own, but add no empty line. */
const boxes = namesOf(
  'ul ol dl dt dd table caption thead tbody tfoot tr th td blockquote section details summary figcaption',
)
const breaks = ['br', 'hr']

/** Elements that end a line when HTML becomes plain text. */
export const lineElements: readonly string[] = [...lines, ...boxes, ...breaks]

const kinds = new Map<string, 'line' | 'box' | 'break'>([
  ...lines.map((name) => [name, 'line'] as const),
  ...boxes.map((name) => [name, 'box'] as const),
  ...breaks.map((name) => [name, 'break'] as const),
])

/**
 * Returns the text of sanitised HTML: tags removed, entities decoded, one line per block, list item and table cell.
 * White space between blocks is left out, except in `pre`. Takes linear time in the length.
 */
export function htmlToText(html: string): string {
  const text = new TextLines()
  /** Number of the last footnote; null if the HTML has no footnotes. */
  let noteNumber = html.includes('role="doc-') ? 0 : null
  /** Characters around the next text. `null`: the next text is omitted. */
  let around: readonly [string, string] | null = bare
  for (let at = 0; at < html.length; ) {
    const tagStart = nextTag(html, at)
    const words = html.slice(at, tagStart)
    if (around === bare) text.add(words)
    else if (around) text.add(around[0] + words + around[1])
    around = bare
    const tagEnd = endOfTag(html, tagStart)
    const name = nameAt(html, tagStart)
    const isClosing = html[tagStart + 1] === '/'
    const kind = kinds.get(name)
    if (kind) text.meet(kind, name, isClosing)
    else if (name === 'rt' && !isClosing) around = ['（', '）']
    else if (name === 'rp' && !isClosing) around = null
    if (noteNumber !== null && !isClosing) {
      const tag = html.slice(tagStart, tagEnd)
      if (name === 'a' && tag.includes('role="doc-noteref"')) around = ['[', ']']
      else if (name === 'a' && tag.includes('role="doc-backlink"')) around = null
      else if (name === 'section' && tag.includes('role="doc-endnotes"')) text.meet('break', 'br', false)
      else if (name === 'li' && tag.startsWith('<li id="fn')) text.begin(`[${++noteNumber}] `)
    }
    at = tagEnd
  }
  return decoded(text.toString())
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const bare = ['', ''] as const

/** Arranges the texts of HTML in lines. */
class TextLines {
  private text = ''
  /** White space that counts only if a text follows on the same line. */
  private space = ''
  private isLineEmpty = true
  /** Whether the previous block tag ended a block. The end tag of the block around it then adds no empty line. */
  private isAfterBlock = false
  /** Number of open `pre` elements. */
  private verbatim = 0

  add(words: string): void {
    let from = 0
    let to = words.length
    if (this.verbatim === 0) {
      while (to > 0 && isSpace(words.charCodeAt(to - 1))) to--
      if (this.isLineEmpty) while (from < to && isSpace(words.charCodeAt(from))) from++
    }
    if (from < to) {
      this.text += this.space + words.slice(from, to)
      this.space = ''
      this.isLineEmpty = false
    }
    if (!this.isLineEmpty) this.space += words.slice(to)
  }

  /** Writes a text at the beginning of an element. The first block in the element stays on the same line. */
  begin(words: string): void {
    this.text += words
  }

  meet(kind: 'line' | 'box' | 'break', name: string, isClosing: boolean): void {
    if (name === 'pre') this.verbatim = isClosing ? Math.max(0, this.verbatim - 1) : this.verbatim + 1
    const addsEmptyLine = kind === 'break' || (kind === 'line' && isClosing && !this.isAfterBlock)
    if (!this.isLineEmpty || addsEmptyLine) this.text += '\n'
    this.space = ''
    this.isLineEmpty = true
    this.isAfterBlock = kind !== 'break' && (isClosing || (kind === 'box' && this.isAfterBlock))
  }

  toString(): string {
    return this.text
  }
}

/**
 * Returns whether HTML collapses this character. False for the ideographic space, which indents Japanese paragraphs.
 */
const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13 && code !== 11)

const isLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122

/** Returns the start of the next tag or comment. The length of the HTML if there is none. */
function nextTag(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at >= 0; at = html.indexOf('<', at + 1)) {
    const next = html.charCodeAt(at + 1)
    if (isLetter(next) || next === 47 /* / */ || next === 33 /* ! */) return at
  }
  return html.length
}

/**
 * Returns the index after a tag or comment. A `>` in a quoted attribute does not end the tag. A tag without an end
 * extends to the end of the HTML.
 */
function endOfTag(html: string, start: number): number {
  if (html.startsWith('<!--', start)) {
    const end = html.indexOf('-->', start + 4)
    return end < 0 ? html.length : end + 3
  }
  for (let at = start + 1; at < html.length; at++) {
    const code = html.charCodeAt(at)
    if (code === 62 /* > */) return at + 1
    if (code !== 34 /* " */ && code !== 39 /* ' */) continue
    at = html.indexOf(html.charAt(at), at + 1)
    if (at < 0) break
  }
  return html.length
}

/** Returns the name of the tag, in lower case. */
function nameAt(html: string, tagStart: number): string {
  const start = html[tagStart + 1] === '/' ? tagStart + 2 : tagStart + 1
  let end = start
  for (let code = html.charCodeAt(end); isLetter(code) || (code >= 48 && code <= 57); )
    code = html.charCodeAt(++end)
  return html.slice(start, end).toLowerCase()
}

/** Number of characters after `&` in the longest entity that is decoded, with its semicolon: `#1114111;`. */
const longestEntity = 9

/**
 * Returns the text with its entities decoded. Uses a loop, because a replacing function takes seconds for 200,000
 * entities.
 */
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

/**
 * Returns the character of an entity (`amp`, `#38`, `#x26`). `''` for a number without a character, `undefined` for an
 * unknown or malformed entity.
 */
function characterOf(entity: string): string | undefined {
  if (!entity.startsWith('#')) return namedEntities.get(entity.toLowerCase())
  const [, decimal, hex] = /^#(?:(\d{1,7})|x([0-9a-f]{1,6}))$/i.exec(entity) ?? []
  if (decimal === undefined && hex === undefined) return undefined
  const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex ?? '', 16)
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ''
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
