/*
 * Most of what editors write is paragraphs, headings, lists, emphasis, links and pictures, closed as they were opened. What our policy
 * makes of that is known without a parser; everything else is for the parser (html.ts).
 */

const address = /^(?:https?:\/\/|\/(?!\/)|#)[\w.~:/?#@!$*+=%-]+$/
const number = /^\d{1,5}$/

/** Attributes of plain elements with what they may say; of others there are none. */
const attributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: address, target: /^_blank$/, rel: /^[a-z]+(?: [a-z]+)*$/ },
  img: { src: address, alt: /^/, width: number, height: number },
}

const voids = new Set(['br', 'hr', 'img'])
const lists = new Set(['ul', 'ol'])
/** Elements that stand on their own, not in a line of text. */
const blocks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'hr', 'blockquote', ...lists])
/** What holds blocks; beside them, the document itself. */
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

/** A text, or a tag; control characters, entities that have to be read, and quotes of another kind are not plain. */
const token =
  /[^<>&\p{Cc}]*(?:[\n\t]|&(?:amp|lt|gt);|<(\/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>&\p{Cc}]*")*)( ?\/)?>|$)/uy
const attribute = / ([a-z]+)="([^"]*)"/g
const maximumOpen = 50

/** The HTML as the sanitiser writes it, when that is plain to see; undefined: it is to be asked. */
export function plainHtml(html: string): string | undefined {
  const open: string[] = []
  /** Tags of pictures and breaks are closed in one way of three. */
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

/** No parser closes another element where this one begins. */
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
