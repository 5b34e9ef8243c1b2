/*
 * Most rich text consists of well-nested paragraphs, headings, lists, emphasis, links and pictures. For these, the fast
 * path in this file computes the sanitizer's output without parsing. The parser (html.ts) handles everything else.
 */

const address = /^(?:https?:\/\/|\/(?!\/)|#)[\w.~:/?#@!$*+=%-]+$/
const number = /^\d{1,5}$/

/** Attributes that the fast path accepts on each element, with patterns of their allowed values. */
const attributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: address, target: /^_blank$/, rel: /^[a-z]+(?: [a-z]+)*$/ },
  img: { src: address, alt: /^/, width: number, height: number },
}

const voids = new Set(['br', 'hr', 'img'])
const lists = new Set(['ul', 'ol'])
/** Block elements may occur only at the top level and inside `frames`. */
const blocks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'hr', 'blockquote', ...lists])
/** Elements that may contain blocks, in addition to the document itself. */
const frames = new Set(['blockquote', 'li'])
const inline = new Set([
  'br',
  'img',
  'a',
  'strong',
  'b',
  'em',
  'i',
  'u',
  's',
  'del',
  'code',
  'small',
  'sub',
  'sup',
])

/**
 * Matches text up to and including the next newline, tab, entity (`&amp;`, `&lt;`, `&gt;`) or tag, or up to the end.
 * Other control characters, other entities, and attributes without double quotes do not match.
 */
const token =
  /[^<>&\p{Cc}]*(?:[\n\t]|&(?:amp|lt|gt);|<(\/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>&\p{Cc}]*")*)( ?\/)?>|$)/uy
const attribute = / ([a-z]+)="([^"]*)"/g
const maximumOpen = 50

/**
 * Returns the HTML as the sanitizer would write it; undefined if the fast path does not apply and the parser must run.
 */
export function plainHtml(html: string): string | undefined {
  const open: string[] = []
  /** The output so far, with void elements in the sanitizer's ` />` notation. */
  let written = ''
  let copied = 0
  token.lastIndex = 0
  while (token.lastIndex < html.length) {
    const found = token.exec(html)
    if (!found) return undefined
    const [, closing, name, said, closed] = found
    if (name === undefined) continue
    if (closing) {
      if (said || closed || open.pop() !== name) return undefined
      continue
    }
    const isVoid = voids.has(name)
    if (!mayStandIn(name, open) || (said && !isPlain(name, said)) || (closed && !isVoid)) return undefined
    if (!isVoid) {
      if (open.push(name) > maximumOpen) return undefined
    } else if (closed !== ' /') {
      const end = token.lastIndex - (closed ? 2 : 1)
      written += `${html.slice(copied, end)} />`
      copied = token.lastIndex
    }
  }
  if (open.length > 0) return undefined
  return copied === 0 ? html : written + html.slice(copied)
}

/** Checks whether this element may occur here without a parser implicitly closing another one. */
function mayStandIn(name: string, open: readonly string[]): boolean {
  const parent = open.at(-1)
  if (name === 'li') return parent !== undefined && lists.has(parent)
  if (parent !== undefined && lists.has(parent)) return false
  if (blocks.has(name)) return parent === undefined || frames.has(parent)
  return inline.has(name) && !(name === 'a' && open.includes('a'))
}

function isPlain(element: string, said: string): boolean {
  const known = Object.hasOwn(attributes, element) ? attributes[element] : undefined
  if (!known) return false
  const names = new Set<string>()
  for (const [, name = '', value = ''] of said.matchAll(attribute)) {
    if (names.has(name) || !Object.hasOwn(known, name) || !known[name]?.test(value)) return false
    names.add(name)
  }
  return true
}
