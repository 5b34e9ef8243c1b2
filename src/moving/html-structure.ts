import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { keptFrameValue } from '#shared/embed-policy.ts'
import {
  type Attributes,
  beginsEmbed,
  droppedWithContent,
  isKeptAddress,
  keptAddress,
  keptClasses,
  keptStyle,
  mayHave,
  withCellAlignment,
} from '#shared/html-policy.ts'
import { attributesIn, endOfTag, isKept, rawElements, voidElements } from '#shared/html-removals.ts'
import { fromQuill, isFromQuill } from '#shared/quill-html.ts'

/*
 * A canonical form of the visible content of HTML, independent of notation. It lists every piece of text, picture and
 * player with its enclosing elements, according to the HTML policy. Texts with the same structure are equivalent for a
 * site.
 */

/** Elements with an optional end tag, and the elements that end them. */
const endedBy: Readonly<Record<string, RegExp>> = {
  p: /^(?:p|h[1-6]|div|section|ul|ol|dl|table|blockquote|pre|figure|details|hr)$/,
  li: /^li$/,
  dt: /^d[dt]$/,
  dd: /^d[dt]$/,
  tr: /^(?:tr|tbody|tfoot)$/,
  td: /^(?:t[dhr]|tbody|tfoot)$/,
  th: /^(?:t[dhr]|tbody|tfoot)$/,
  thead: /^t(?:body|foot)$/,
  tbody: /^t(?:body|foot)$/,
  rt: /^r[tp]$/,
  rp: /^r[tp]$/,
}
/** Block elements whose texts must not be merged. */
const places = /^(?:p|li|h[1-6]|blockquote|pre|t[rdh]|d[tdl]|figure|figcaption|details|summary|caption)$/
const shows = new Set('img br hr iframe video audio source track input script col'.split(' '))
/** Elements that are compared when Markdown was rendered again: the block structure, links and media. */
const frames =
  /^(?:[uo]l|li|h[1-6]|blockquote|pre|table|t[rdh]|a|img|iframe|video|audio|source|track|input|figure)\b/
const words = new MarkdownIt().utils

/** Decodes named and numeric entities. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi, words.unescapeAll)
    : text

const closedEntities = /&(?:amp|lt|gt|quot|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi

/** Decodes the entities of a text as HTML parsers do, which also accept `&copy 2024` without a semicolon. */
function decodeText(text: string): string {
  const isSimple = !/&[#a-z]/i.test(text.replace(closedEntities, ''))
  return decodeEntities(
    isSimple ? text : sanitizeHtml(text.replaceAll('<', '&lt;'), { allowedTags: [], allowedAttributes: {} }),
  )
}

interface Open {
  name: string
  /** Name and compared attributes. '': the element itself is ignored. */
  told: string
  style: string
}

/**
 * Returns the pieces of a text, each with its enclosing elements. `loosely`: ignores paragraphs, line breaks and inline
 * markup except links, and most attributes and styles (see {@link tell}).
 */
export function structureOf(html: string, { loosely = false } = {}): string {
  const pieces: string[] = []
  const open: Open[] = []
  let embed = 0
  let text = ''
  const place = () =>
    open
      .map(({ told }) => told)
      .filter((told) => told !== '' && (!loosely || frames.test(told)))
      .join('>')
  const flush = () => {
    const said = decodeText(text).replace(/[\s\u00a0]+/gu, '')
    if (said !== '') pieces.push(`${place()}: ${said}`)
    text = ''
  }
  const close = (from: number) => {
    flush()
    open.length = from
    if (from < embed) embed = 0
  }
  for (const token of tokensOf(isFromQuill(html) ? fromQuill(html) : html)) {
    if (typeof token === 'string') {
      text += token
      continue
    }
    const { name, closing, attributes } = token
    if (closing) {
      const at = open.findLastIndex((one) => one.name === name)
      if (at >= 0) close(at)
      else if (name === 'p') {
        // Parsers create an empty paragraph for an end tag without a start tag.
        flush()
        if (!loosely) pieces.push(`${place()}> p`)
      }
      continue
    }
    while (endedBy[open.at(-1)?.name ?? '']?.test(name)) close(open.length - 1)
    flush()
    if (embed === 0 && beginsEmbed(name, attributes)) embed = open.length + 1
    const parentStyle = open.at(-1)?.style ?? ''
    const style = keptStyle(name, decodeEntities(attributes.style ?? ''), embed > 0, parentStyle)
    const told = isKept(name, attributes) ? tell(name, attributes, style, embed > 0, loosely) : ''
    const counts = shows.has(name)
      ? !(loosely && name === 'br')
      : places.test(name) && !(loosely && name === 'p')
    if (told !== '' && counts) pieces.push(`${place()}> ${told}`)
    if (!voidElements.has(name)) open.push({ name, told: name === 'tbody' ? '' : told, style })
    else if (embed > open.length) embed = 0
  }
  flush()
  return merged(pieces).join('\n')
}

/** Returns whether the HTML shows nothing but blank lines: paragraphs without content. */
export const isBlankHtml = (html: string): boolean =>
  /^\s*<p\b/i.test(html) &&
  structureOf(html)
    .split('\n')
    .every((piece) => /^(?:> p|p> br)$/.test(piece))

/** Merges adjacent texts with the same enclosing elements. */
function merged(pieces: readonly string[]): string[] {
  const result: string[] = []
  for (const piece of pieces) {
    const colon = piece.indexOf(': ')
    const before = result.at(-1)
    const prefix = piece.slice(0, colon + 2)
    if (before !== undefined && colon >= 0 && !piece.includes('> ') && before.startsWith(prefix))
      result[result.length - 1] = before + piece.slice(colon + 2)
    else result.push(piece)
  }
  return result
}

/**
 * Returns an element with its allowed attributes in canonical notation. `allowedStyle`: the allowed part of its style.
 */
function tell(
  element: string,
  attributes: Attributes,
  allowedStyle: string,
  inEmbed: boolean,
  loosely: boolean,
): string {
  const said: string[] = []
  for (const [name, written = ''] of Object.entries(attributes)) {
    const value = keptAddress(element, name, decodeEntities(written), inEmbed)
    if (!mayHave(element, name, value, inEmbed, attributes) || !isKeptAddress(element, name, value)) continue
    if (name === 'class') {
      if (!loosely) said.push(...keptClasses(element, value, inEmbed).map((one) => `.${one}`))
    } else if (name === 'style') {
      const style = allowedStyle.toLowerCase().replace(/\s*([,:;/])\s*/g, '$1')
      const kept = style.split(';').filter((one) => one !== '' && (!loosely || one.startsWith('text-align')))
      said.push(...kept.map((one) => `{${one}}`))
    } else if (name === 'allow' || name === 'sandbox') said.push(`${name}=${keptFrameValue(name, value)}`)
    else if (!loosely || (value !== '' && /^(?:src|srcset|href|poster|alt|type)$/.test(name)))
      said.push(`${name}=${value.trim()}`)
  }
  return [element, ...said.sort()].join(' ')
}

type Token = string | { name: string; closing: boolean; attributes: Attributes }

function* tokensOf(html: string): Generator<Token> {
  let from = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      yield html.slice(from, at)
      const end = html.indexOf('-->', at)
      from = end < 0 ? html.length : end + 3
      at = from
      continue
    }
    // Declarations and instructions are comments in HTML.
    if (html[at + 1] === '!' || html[at + 1] === '?') {
      yield html.slice(from, at)
      const end = html.indexOf('>', at)
      from = end < 0 ? html.length : end + 1
      at = from
      continue
    }
    const [, closing, written] = /^<(\/?)([a-z][^\s/>]{0,90})/i.exec(html.slice(at, at + 100)) ?? []
    const end = written === undefined ? -1 : endOfTag(html, at)
    if (written === undefined || end < 0) {
      at++
      continue
    }
    yield html.slice(from, at)
    const name = written.toLowerCase()
    const attributes = closing
      ? {}
      : withCellAlignment(name, attributesIn(html.slice(at + 1 + name.length, end)))
    from = end + 1
    at = from
    yield { name, closing: closing === '/', attributes }
    if (closing || !rawElements.has(name)) continue
    const ending = new RegExp(`</${name}`, 'gi')
    ending.lastIndex = at
    const found = ending.exec(html)
    // The content of scripts and of elements that are dropped with their content is invisible.
    if (!droppedWithContent.includes(name) && name !== 'script') yield html.slice(at, found?.index)
    if (!found) return
    from = found.index
    at = from
  }
  yield html.slice(from)
}
