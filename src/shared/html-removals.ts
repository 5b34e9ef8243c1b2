import { isEmbedScript } from './embed-policy.ts'
import {
  type Attributes,
  allowedElements,
  beginsEmbed,
  droppedWithContent,
  isKeptAddress,
  keptAddress,
  keptClasses,
  keptStyle,
  mayHave,
  removedProperties,
  withCellAlignment,
} from './html-policy.ts'

const allowed = new Set(allowedElements)
/** Elements without an end tag. */
export const voidElements = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
)
/** Elements whose content contains no tags. */
export const rawElements = new Set([...droppedWithContent, 'script', 'title', 'noembed', 'noframes'])
/**
 * Attributes of Quill. Their removal loses nothing, because they are converted (shared/quill-html.ts) or concern only
 * Quill's editor.
 */
const ofQuill = new Set(['data-list', 'data-checked', 'spellcheck', 'contenteditable'])

const attribute = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g
const longestTag = 20_000
const mostKinds = 200

/**
 * Counts the parts of HTML that the policy removes, by kind (`<font>`, `<p align>`, `<p style="position">`), for at
 * most 200 kinds. Scans the tags in one pass without a parser, because imports check many texts.
 */
export function removalsOf(html: string): Map<string, number> {
  const found = new Map<string, number>()
  const note = (kind: string) => {
    if (found.has(kind) || found.size < mostKinds) found.set(kind, (found.get(kind) ?? 0) + 1)
  }
  /** Open elements, beginning with the one that started the embed. */
  const embed: string[] = []
  /**
   * The allowed style of the element whose start tag was read last: the parent of the next element. `''` after an end
   * tag.
   */
  let parentStyle = ''
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at)
      if (end < 0) break
      at = end + 3
      continue
    }
    const [, closing, written] = /^<(\/?)([a-z][^\s/>]{0,90})/i.exec(html.slice(at, at + 100)) ?? []
    if (written === undefined) {
      at++
      continue
    }
    const end = endOfTag(html, at)
    if (end < 0) break
    const name = written.toLowerCase()
    const inside = html.slice(at + written.length + 1 + (closing ?? '').length, end)
    at = end + 1
    if (closing) {
      if (embed.at(-1) === name) embed.pop()
      parentStyle = ''
      continue
    }
    const attributes = inside.length > longestTag ? {} : withCellAlignment(name, attributesIn(inside))
    if ((embed.length > 0 || beginsEmbed(name, attributes)) && !voidElements.has(name)) embed.push(name)
    noteElement(name, attributes, embed.length > 0, parentStyle, note)
    parentStyle = keptStyle(name, attributes.style ?? '', embed.length > 0)
    if (!rawElements.has(name)) continue
    const close = new RegExp(`</${name}`, 'gi')
    close.lastIndex = at
    const closed = close.exec(html)
    if (!closed) break
    at = closed.index
  }
  return found
}

/** Returns the position of the end of the tag that starts at `from`, skipping quoted `>`. -1 if the tag has no end. */
export function endOfTag(html: string, from: number): number {
  let quote = ''
  for (let at = from + 1; at < html.length; at++) {
    const sign = html[at] as string
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '>') return at
    else if ((sign === '"' || sign === "'") && /[=\s]/.test(html[at - 1] ?? '')) quote = sign
  }
  return -1
}

/** Returns the attributes in the text between a tag's name and its end. */
export function attributesIn(inside: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null)
  for (const [, name = '', double, single, bare] of inside.matchAll(attribute))
    attributes[name.toLowerCase()] ??= double ?? single ?? bare ?? ''
  return attributes
}

function noteElement(
  element: string,
  attributes: Attributes,
  inEmbed: boolean,
  parentStyle: string,
  note: (kind: string) => void,
): void {
  if (!isKept(element, attributes)) {
    note(`<${element}>`)
    return
  }
  for (const [name, written = ''] of Object.entries(attributes)) {
    const value = keptAddress(element, name, written, inEmbed)
    if (!mayHave(element, name, value, inEmbed, attributes) || !isKeptAddress(element, name, value)) {
      if (!ofQuill.has(name)) note(`<${element} ${name}>`)
    } else if (name === 'style') {
      for (const property of removedProperties(element, written, inEmbed, parentStyle))
        note(`<${element} style="${property}">`)
    } else if (name === 'class') {
      const count = written.split(/\s+/).filter((one) => one !== '').length
      if (keptClasses(element, written, inEmbed).length < count) note(`<${element} class>`)
    }
  }
}

/** Returns whether the policy keeps the element, judged by its name, `type` and `src`. */
export function isKept(element: string, { type, src }: Attributes): boolean {
  if (element === 'input') return type?.toLowerCase() === 'checkbox'
  if (element === 'script') return isEmbedScript(src)
  if (element === 'iframe') return /^(?:https:)?\/\/[^/]/i.test(src?.trim() ?? '')
  return allowed.has(element)
}
