/*
 * The Quill editor writes nested lists as flat lists whose items have a class (`ql-indent-1`), and alignment as a class
 * (`ql-align-center`). Both depend on Quill's stylesheet, so they are converted to nested lists and `text-align`.
 */

interface Element {
  name: string
  attributes: Map<string, string>
  children: (Element | string)[]
}

interface Item {
  /** The original list of the item. */
  list: Element
  type: 'ol' | 'ul'
  indent: number
  element: Element
}

const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
const tag = /<(\/?)([a-z][\w:-]*)((?:\s+[^\s=<>"'/]+(?:="[^"]*")?)*)\s*\/?>/gi
const attribute = /\s+([^\s=<>"'/]+)(?:="([^"]*)")?/g

/** Whether the HTML contains anything that depends on Quill's styles. */
export const isFromQuill = (html: string): boolean =>
  /\bql-(?:indent|align)-|\bdata-(?:list|checked)=/.test(html)

/**
 * Converts Quill's HTML to nested lists and alignment styles. `html` must be well-formed: closed tags, attributes in
 * double quotes.
 */
export function fromQuill(html: string): string {
  const root = parse(html)
  settle(root)
  return root.children.map(write).join('')
}

function parse(html: string): Element {
  const root: Element = { name: '', attributes: new Map(), children: [] }
  const open = [root]
  let at = 0
  for (const match of html.matchAll(tag)) {
    const [whole, closing, written = '', attributes = ''] = match
    const name = written.toLowerCase()
    const parent = open.at(-1) ?? root
    if (match.index > at) parent.children.push(html.slice(at, match.index))
    at = match.index + whole.length
    if (closing) {
      if (open.length > 1 && parent.name === name) open.pop()
      continue
    }
    const element: Element = { name, attributes: attributesIn(attributes), children: [] }
    parent.children.push(element)
    if (!voids.has(name)) open.push(element)
  }
  if (at < html.length) open.at(-1)?.children.push(html.slice(at))
  return root
}

const attributesIn = (written: string) =>
  new Map([...written.matchAll(attribute)].map(([, name = '', value]) => [name.toLowerCase(), value ?? '']))

const write = (piece: Element | string): string => {
  if (typeof piece === 'string') return piece
  const { name, attributes, children } = piece
  const said = [...attributes].map(([key, value]) => (value === '' ? ` ${key}` : ` ${key}="${value}"`))
  if (voids.has(name)) return `<${name}${said.join('')} />`
  return `<${name}${said.join('')}>${children.map(write).join('')}</${name}>`
}

function settle(parent: Element): void {
  align(parent)
  for (const child of parent.children) if (typeof child !== 'string') settle(child)
  const settled: Element['children'] = []
  let lists: Element[] = []
  const nest = () => {
    settled.push(...nested(lists))
    lists = []
  }
  for (const child of parent.children) {
    if (isFlatList(child)) lists.push(child)
    else if (typeof child !== 'string' || child.trim() !== '' || lists.length === 0) {
      nest()
      settled.push(child)
    }
  }
  nest()
  parent.children = settled
}

/** Converts `ql-align-center` to a style. */
function align({ attributes }: Element): void {
  const alignment = takeClass(attributes, /^ql-align-(center|right|justify|left)$/)
  if (alignment === undefined) return
  const style = attributes.get('style') ?? ''
  attributes.set('style', [`text-align:${alignment}`, style].filter((part) => part !== '').join(';'))
}

/** Removes the class that matches the pattern, and returns its first group. */
function takeClass(attributes: Map<string, string>, pattern: RegExp): string | undefined {
  const classes = (attributes.get('class') ?? '').split(/\s+/).filter((name) => name !== '')
  const found = classes.find((name) => pattern.test(name))
  if (found === undefined) return undefined
  const others = classes.filter((name) => name !== found)
  if (others.length > 0) attributes.set('class', others.join(' '))
  else attributes.delete('class')
  return pattern.exec(found)?.[1]
}

const isElement = (piece: Element | string): piece is Element => typeof piece !== 'string'

/** A list that consists of items only, none of which contains a list. */
const isFlatList = (piece: Element | string): piece is Element =>
  isElement(piece) &&
  (piece.name === 'ul' || piece.name === 'ol') &&
  piece.children.every((child) => (isElement(child) ? child.name === 'li' : child.trim() === '')) &&
  piece.children
    .filter(isElement)
    .every(({ children }) =>
      children.every((child) => !isElement(child) || (child.name !== 'ul' && child.name !== 'ol')),
    )

/** Converts consecutive lists to nested lists; lists not written by Quill are returned unchanged. */
function nested(lists: Element[]): Element[] {
  const isQuill = lists.some(
    ({ attributes, children }) =>
      attributes.has('data-checked') ||
      children.some(
        (item) =>
          isElement(item) &&
          (item.attributes.has('data-list') || /\bql-indent-\d/.test(item.attributes.get('class') ?? '')),
      ),
  )
  if (!isQuill) return lists
  const items = lists.flatMap((list) => list.children.filter(isElement).map((item) => itemOf(list, item)))
  const roots: Element[] = []
  /** The open lists, each with its last item. */
  const open: { element: Element; indent: number; last: Item }[] = []
  let previous: Item | undefined
  for (const item of items) {
    while ((open.at(-1)?.indent ?? -1) > item.indent) open.pop()
    const top = open.at(-1)
    // Two adjacent lists stay separate, unless one is the continuation after a nested list.
    const isSame =
      top?.indent === item.indent &&
      top.element.name === item.type &&
      (top.last.list === item.list || previous?.indent !== item.indent)
    if (!isSame) {
      if (top?.indent === item.indent) open.pop()
      const parent = open.at(-1)
      const attributes = new Map(parent ? [] : item.list.attributes)
      const element: Element = { name: item.type, attributes, children: [] }
      if (parent) parent.last.element.children.push(element)
      else roots.push(element)
      open.push({ element, indent: item.indent, last: item })
    }
    const place = open.at(-1)
    place?.element.children.push(item.element)
    if (place) place.last = item
    previous = item
  }
  return roots
}

function itemOf(list: Element, element: Element): Item {
  const { attributes } = element
  const indent = Number(takeClass(attributes, /^ql-indent-(\d{1,2})$/) ?? 0)
  const kind = attributes.get('data-list') ?? checkOf(list)
  attributes.delete('data-list')
  const children = element.children.filter(
    (child) => !isElement(child) || !/\bql-ui\b/.test(child.attributes.get('class') ?? ''),
  )
  if (kind === 'checked' || kind === 'unchecked') {
    const checked = kind === 'checked' ? [['checked', ''] as const] : []
    const box = new Map<string, string>([...checked, ['disabled', ''], ['type', 'checkbox']])
    children.unshift({ name: 'input', attributes: box, children: [] }, ' ')
  }
  element.children = children
  const isOrdered = kind === undefined ? list.name === 'ol' : kind === 'ordered'
  return { list, element, indent, type: isOrdered ? 'ol' : 'ul' }
}

/** State of a check list item in Quill 1. */
function checkOf({ attributes }: Element): string | undefined {
  const checked = attributes.get('data-checked')
  return checked === undefined ? undefined : checked === 'true' ? 'checked' : 'unchecked'
}
