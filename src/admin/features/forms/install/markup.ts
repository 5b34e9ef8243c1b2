/** An element of the generated code, which is rendered as HTML or as JSX. */
export interface Element {
  tag: string
  /** Attributes with their HTML names. true: an attribute without a value. Omitted if undefined or false. */
  attributes: Record<string, string | number | boolean | undefined>
  children: readonly Node[]
}
export type Node = Element | string

/** Creates an element. Children that are null or false are omitted. */
export const element = (
  tag: string,
  attributes: Element['attributes'] = {},
  ...children: readonly (Node | null | false)[]
): Element => ({
  tag,
  attributes,
  children: children.filter((child) => child !== null && child !== false),
})

/** Length of a start tag above which each attribute has its own line. */
const longestTag = 100

const voidTags = new Set(['input', 'br'])
const inlineTags = new Set(['a', 'input', 'option', 'small'])

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const escapeAttribute = (text: string) => escapeText(text).replaceAll('"', '&quot;')

interface Syntax {
  attribute: (name: string, value: string | number | true) => string
  text: (text: string) => string
  /** The end of the start tag of an element without children. */
  voidEnd: string
}

const html: Syntax = {
  attribute: (name, value) => (value === true ? name : `${name}="${escapeAttribute(String(value))}"`),
  text: escapeText,
  voidEnd: '>',
}

/** Names of properties in React that differ from the attribute. */
const properties: Record<string, string> = {
  for: 'htmlFor',
  class: 'className',
  'accept-charset': 'acceptCharset',
  enctype: 'encType',
  autocomplete: 'autoComplete',
  inputmode: 'inputMode',
  maxlength: 'maxLength',
  minlength: 'minLength',
}

const jsx: Syntax = {
  attribute(name, value) {
    const property = properties[name] ?? name
    if (value === true) return property
    // Braces contain code, such as the name of a function.
    if (typeof value === 'string' && /^\{\w+\}$/.test(value) && name.startsWith('on'))
      return `${property}=${value}`
    if (typeof value === 'number') return `${property}={${value}}`
    return /["\\&\n]/.test(value) ? `${property}={${JSON.stringify(value)}}` : `${property}="${value}"`
  },
  text: (text) => (/[{}<>&]|^\s|\s$/.test(text) ? `{${JSON.stringify(text)}}` : text),
  voidEnd: ' />',
}

function render(node: Node, syntax: Syntax, indent: string): string {
  if (typeof node === 'string') return indent + syntax.text(node)
  const attributes = Object.entries(node.attributes).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [syntax.attribute(name, value)],
  )
  const line = `${indent}<${[node.tag, ...attributes].join(' ')}`
  const start =
    line.length <= longestTag ? line : `${indent}<${node.tag}\n${indent}  ${attributes.join(`\n${indent}  `)}`
  if (voidTags.has(node.tag)) return start + syntax.voidEnd
  if (node.children.length === 0) return `${start}></${node.tag}>`
  // A line break between inline elements would be white space on the page.
  if (node.children.every((child) => typeof child === 'string' || inlineTags.has(child.tag)) && isShort(node))
    return `${start}>${node.children.map((child) => render(child, syntax, '')).join('')}</${node.tag}>`
  const inner = node.children.map((child) => render(child, syntax, `${indent}  `)).join('\n')
  return `${start}>\n${inner}\n${indent}</${node.tag}>`
}

const isShort = ({ tag }: Element) => tag !== 'select' && tag !== 'fieldset' && tag !== 'form'

/** Renders an element as HTML. */
export const toHtml = (node: Element, indent = ''): string => render(node, html, indent)

/** Renders an element as JSX for React. */
export const toJsx = (node: Element, indent = ''): string => render(node, jsx, indent)
