import {
  alignedElements,
  alignments,
  allowedAttributes,
  allowedElements,
  codeClass,
  droppedWithContent,
  imageSchemes,
  linkSchemes,
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

/** Children that stay when their parent goes. */
const opaque = new Set([...droppedWithContent, 'template', 'iframe', 'noembed', 'noframes', 'svg', 'math'])
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
  copyChildren(source.body, content, note)
  return { content, removed: [...removed.values()] }
}

function copyChildren(from: Node, to: Node, note: (removal: Removal) => void): void {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.appendChild(child.cloneNode())
    if (!isElement(child)) continue
    const name = child.localName
    const control = name === 'input' && child.getAttribute('type')?.toLowerCase() !== 'checkbox'
    if (!allowed.has(name) || control) {
      note({ element: name })
      if (!opaque.has(name)) copyChildren(child, to, note)
      continue
    }
    const copy = child.ownerDocument.createElement(name)
    copyAttributes(child, copy, note)
    copyChildren(child, copy, note)
    to.appendChild(copy)
  }
}

function copyAttributes(from: Element, to: HTMLElement, note: (removal: Removal) => void): void {
  const element = from.localName
  for (const { name: attribute, value } of from.attributes) {
    if (attribute === 'style' && alignedElements.includes(element)) copyStyle(value, to, note)
    else if (attribute === 'class' && element === 'code') {
      const kept = value.split(/\s+/).filter((one) => codeClass.test(one))
      if (kept.length > 0) to.setAttribute('class', kept.join(' '))
      if (kept.length < value.trim().split(/\s+/).length) note({ element, attribute })
    } else if (allowedAttributes[element]?.includes(attribute) && isKeptAddress(element, attribute, value))
      to.setAttribute(attribute, value)
    else note({ element, attribute })
  }
}

function copyStyle(style: string, to: HTMLElement, note: (removal: Removal) => void): void {
  for (const declaration of style.split(';')) {
    const colon = declaration.indexOf(':')
    const property = declaration
      .slice(0, colon === -1 ? undefined : colon)
      .trim()
      .toLowerCase()
    const value = declaration.slice(colon + 1).trim()
    if (property === 'text-align' && alignments.test(value)) to.style.textAlign = value
    else if (property !== '') note({ element: to.localName, attribute: 'style', property })
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
  return (element === 'img' ? imageSchemes : linkSchemes).includes(scheme.toLowerCase())
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE
}
