import { allowedFeatures, isEmbedScript } from '#shared/embed-policy.ts'
import {
  allowedElements,
  beginsEmbed,
  droppedWithContent,
  frameSchemes,
  imageSchemes,
  keepsClass,
  keepsStyle,
  linkSchemes,
  mayHave,
} from '#shared/html-policy.ts'

/** What the policy takes away: an element, one of its attributes, or one property of its style. */
export interface Removal {
  element: string
  attribute?: string
  property?: string
}

export interface PolicyResult {
  /** What is left, made anew from what the policy names: nothing of the source's own nodes is in it. */
  content: DocumentFragment
  removed: Removal[]
}

/** What is noted of a removal: each once. */
type Note = (removal: Removal) => void

/** Children that go with their parent. */
const opaque = new Set([
  ...droppedWithContent,
  ...['script', 'template', 'iframe', 'noembed', 'noframes', 'svg', 'math'],
])
const allowed = new Set(allowedElements)

/**
 * Keeps of HTML what the server keeps when it is saved (shared/html-policy), and says what went: each once, in the
 * order of the text. The HTML is only parsed, in a document of its own: nothing of it runs or loads.
 */
export function applyHtmlPolicy(html: string): PolicyResult {
  const source = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  // In the parser's own document: a picture that is made there does not load.
  const content = source.createDocumentFragment()
  const removed = new Map<string, Removal>()
  const note = (removal: Removal) => {
    const key = [removal.element, removal.attribute, removal.property].join(' ')
    if (!removed.has(key)) removed.set(key, removal)
  }
  // Scripts and styles at the very beginning end up in the head.
  for (const element of source.head.children) note({ element: element.localName })
  copyChildren(source.body, content, false, note)
  return { content, removed: [...removed.values()] }
}

/** The attributes of an element by name, as the policy asks for them. */
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
    copyAttributes(child, copy, inEmbed, note)
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

function copyAttributes(from: Element, to: HTMLElement, inEmbed: boolean, note: Note): void {
  const element = from.localName
  for (const { name: attribute, value: written } of from.attributes) {
    const byProtocol = attribute === 'src' && inEmbed && written.startsWith('//')
    const value = byProtocol ? `https:${written}` : written
    if (!mayHave(element, attribute, value, inEmbed) || !isKeptAddress(element, attribute, value))
      note({ element, attribute })
    else if (attribute === 'style') copyStyle(value, to, inEmbed, note)
    else if (attribute === 'class') {
      const names = value.split(/\s+/).filter((name) => name !== '')
      const kept = names.filter((name) => keepsClass(element, name, inEmbed))
      if (kept.length > 0) to.setAttribute('class', kept.join(' '))
      if (kept.length < names.length) note({ element, attribute })
    } else to.setAttribute(attribute, attribute === 'allow' ? allowedFeatures(value) : value)
  }
}

function copyStyle(style: string, to: HTMLElement, inEmbed: boolean, note: Note): void {
  for (const declaration of style.split(';')) {
    const [name = '', ...rest] = declaration.split(':')
    const property = name.trim().toLowerCase()
    const value = rest.join(':').trim()
    if (property === '') continue
    if (keepsStyle(to.localName, property, value, inEmbed)) to.style.setProperty(property, value)
    else note({ element: to.localName, attribute: 'style', property })
  }
}

function isKeptAddress(element: string, attribute: string, value: string): boolean {
  if (attribute === 'srcset')
    return value.split(/,\s+/).every((one) => isKeptAddress(element, 'src', one.trim().split(/\s/)[0] ?? ''))
  if (attribute !== 'href' && attribute !== 'src') return true
  // As browsers read it: without blanks and control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant.
  const address = value.replace(/[\u0000-\u0020]+/g, '')
  const scheme = /^([a-z][a-z0-9.+-]*):/i.exec(address)?.[1]
  if (scheme === undefined) return !/^[/\\]{2}/.test(address)
  return schemesOf(element).includes(scheme.toLowerCase())
}

function schemesOf(element: string): readonly string[] {
  if (element === 'img') return imageSchemes
  return element === 'a' ? linkSchemes : frameSchemes
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE
}
