import { isEmbedScript, keptFrameValue } from '#shared/embed-policy.ts'
import {
  allowedElements,
  beginsEmbed,
  droppedWithContent,
  isKeptAddress,
  isOwnClass,
  keptAddress,
  keptClasses,
  keptStyle,
  mayHave,
  removedProperties,
  withCellAlignment,
} from '#shared/html-policy.ts'
import { fromQuill, isFromQuill } from '#shared/quill-html.ts'

/** A removal by the policy: an element, an attribute, or one property of a style. */
export interface Removal {
  element: string
  attribute?: string
  property?: string
}

export interface PolicyResult {
  /** The sanitised content. It contains no node of the source. */
  content: DocumentFragment
  removed: Removal[]
}

/** Records a removal, once per kind. */
type Note = (removal: Removal) => void

/** Elements whose content is dropped when they are removed; other removed elements are unwrapped. */
const opaque = new Set([
  ...droppedWithContent,
  ...['script', 'template', 'iframe', 'noembed', 'noframes', 'svg', 'math'],
])
const allowed = new Set(allowedElements)

/**
 * Applies the server's HTML policy (shared/html-policy) and reports each kind of removal once, in the order of the
 * text. The HTML is only parsed, in a separate document: nothing in it runs or loads.
 */
export function applyHtmlPolicy(html: string): PolicyResult {
  const source = parse(html)
  // The parser's document does not load pictures.
  const content = source.createDocumentFragment()
  const removed = new Map<string, Removal>()
  const note = (removal: Removal) => {
    const key = [removal.element, removal.attribute, removal.property].join(' ')
    if (!removed.has(key)) removed.set(key, removal)
  }
  // Elements in the head are not kept.
  for (const element of source.head.children) note({ element: element.localName })
  copyChildren(source.body, content, false, note)
  return { content, removed: [...removed.values()] }
}

/** Parses HTML. Converts lists and alignment of Quill as the server does. */
function parse(html: string): Document {
  const source = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  if (isFromQuill(html)) source.body.innerHTML = fromQuill(source.body.innerHTML)
  return source
}

/**
 * Removes classes and the ids of headings, which could match styles and ids of the admin's page. Keeps the classes of
 * code and emphasis dots, and all other ids.
 */
export function withoutNames(content: DocumentFragment | Element): void {
  for (const element of content.querySelectorAll('[class], [id]')) {
    const classes = [...element.classList].filter((name) => isOwnClass(element.localName, name))
    if (classes.length > 0) element.className = classes.join(' ')
    else element.removeAttribute('class')
    if (/^H[1-6]$/.test(element.tagName)) element.removeAttribute('id')
  }
}

/** Returns the attributes of an element by name, in the form that the policy functions take. */
export function attributesIn(element: Element): Record<string, string> {
  return Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]))
}

function copyChildren(from: Node, to: Node, aroundIsEmbed: boolean, note: Note): void {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.appendChild(child.cloneNode())
    if (!isElement(child)) continue
    const name = child.localName
    const inEmbed = aroundIsEmbed || beginsEmbed(name, attributesIn(child))
    if (!isKept(child)) {
      note({ element: name })
      if (!opaque.has(name)) copyChildren(child, to, inEmbed, note)
      continue
    }
    const copy = child.ownerDocument.createElement(name)
    copyAttributes(child, copy, inEmbed, styleOf(to), note)
    if (name !== 'script') copyChildren(child, copy, inEmbed, note)
    to.appendChild(copy)
  }
}

function isKept(element: Element): boolean {
  const name = element.localName
  if (name === 'input') return element.getAttribute('type')?.toLowerCase() === 'checkbox'
  if (name === 'script') return isEmbedScript(element.getAttribute('src'))
  if (name === 'iframe') return /^(?:https:)?\/\/[^/]/i.test(element.getAttribute('src')?.trim() ?? '')
  return allowed.has(name)
}

const styleOf = (node: Node) => (isElement(node) && node.getAttribute('style')) || ''

function copyAttributes(
  from: Element,
  to: HTMLElement,
  inEmbed: boolean,
  parentStyle: string,
  note: Note,
): void {
  const element = from.localName
  const others = withCellAlignment(element, attributesIn(from))
  for (const [attribute, written = ''] of Object.entries(others)) {
    const value = keptAddress(element, attribute, written, inEmbed)
    if (!mayHave(element, attribute, value, inEmbed, others) || !isKeptAddress(element, attribute, value))
      note({ element, attribute })
    else if (attribute === 'style') copyStyle(value, to, inEmbed, parentStyle, note)
    else if (attribute === 'class') {
      const kept = keptClasses(element, value, inEmbed)
      if (kept.length > 0) to.setAttribute('class', kept.join(' '))
      if (kept.length < value.split(/\s+/).filter((name) => name !== '').length) note({ element, attribute })
    } else to.setAttribute(attribute, element === 'iframe' ? keptFrameValue(attribute, value) : value)
  }
}

function copyStyle(style: string, to: HTMLElement, inEmbed: boolean, parentStyle: string, note: Note): void {
  const element = to.localName
  for (const property of removedProperties(element, style, inEmbed, parentStyle))
    note({ element, attribute: 'style', property })
  const kept = keptStyle(element, style, inEmbed, parentStyle)
  if (kept !== '') to.setAttribute('style', kept)
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE
}
