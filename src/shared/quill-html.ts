/*
 * The Quill editor writes nested lists as flat lists whose items have a class (`ql-indent-1`). It also writes indents
 * and alignment of other blocks as classes. These classes depend on Quill's stylesheet, so they are converted to nested
 * lists and styles.
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

/** Returns whether the HTML contains markup that depends on Quill's stylesheet. */
export const isFromQuill = (html: string): boolean =>
  /\bql-(?:indent|align)-|\bdata-(?:list|checked)=/.test(html)

/**
 * Converts Quill's HTML to nested lists, and its indents and alignment to styles. `html` must be well-formed: closed
 * tags, attributes in double quotes.
 */
export function fromQuill(html: string): string {
  const root = parse(html)
  settle(root, 0)
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

/** Converts the content of an element inside `depth` lists. */
function settle(parent: Element, depth: number): void {
  align(parent)
  const isFlat = isFlatList(parent)
  const childDepth = isList(parent) ? depth + 1 : depth
  for (const child of parent.children) {
    if (!isElement(child)) continue
    // Nesting indents the items of flat lists.
    if (!isFlat) indent(child, takeIndent(child.attributes) - (child.name === 'li' ? depth : 0))
    settle(child, childDepth)
  }
  const settled: Element['children'] = []
  let lists: Element[] = []
  const nest = () => {
    settled.push(...nested(lists, depth))
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

function align({ attributes }: Element): void {
  const alignment = takeClass(attributes, /^ql-align-(center|right|justify|left)$/)
  if (alignment === undefined) return
  addStyle(attributes, `text-align:${alignment}`)
}

/** Removes a class like `ql-indent-2` and returns its number of levels. 0 without such a class. */
const takeIndent = (attributes: Map<string, string>) =>
  Number(takeClass(attributes, /^ql-indent-([1-9])$/) ?? 0)

/**
 * Indents a block by a number of levels. A level is as wide as in Quill's stylesheet, or for a list item, as wide as a
 * nested list in browsers.
 */
function indent({ name, attributes }: Element, levels: number): void {
  if (levels <= 0) return
  addStyle(attributes, name === 'li' ? `margin-left:${levels * 2.5}em` : `padding-left:${levels * 3}em`)
}

/** Adds a declaration before the existing ones, so that the existing ones override it. */
function addStyle(attributes: Map<string, string>, declaration: string): void {
  const style = attributes.get('style') ?? ''
  attributes.set('style', [declaration, style].filter((part) => part !== '').join(';'))
}

/** Removes the class that matches the pattern and returns its first group. `undefined` without such a class. */
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
const isList = ({ name }: Element) => name === 'ul' || name === 'ol'

/** Returns whether the element is a list that consists of items only, and no item directly contains a list. */
const isFlatList = (piece: Element | string): piece is Element =>
  isElement(piece) &&
  isList(piece) &&
  piece.children.every((child) => (isElement(child) ? child.name === 'li' : child.trim() === '')) &&
  piece.children
    .filter(isElement)
    .every(({ children }) => children.every((child) => !isElement(child) || !isList(child)))

/**
 * Converts consecutive lists inside `depth` lists to nested lists. Lists not written by Quill are returned unchanged.
 * An item whose levels above are missing gets a margin instead.
 */
function nested(lists: Element[], depth: number): Element[] {
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
  /** The open lists. Each is inside the last item of the previous list. */
  const open: { element: Element; last: Item }[] = []
  let previous: Item | undefined
  for (const item of items) {
    while ((open.at(-2)?.last.indent ?? -1) >= item.indent) open.pop()
    const top = open.at(-1)
    if (!top || top.last.indent < item.indent || !isContinued(top, item, previous)) {
      if (top && top.last.indent >= item.indent) open.pop()
      const parent = open.at(-1)
      const attributes = new Map(parent ? [] : item.list.attributes)
      const element: Element = { name: item.type, attributes, children: [] }
      if (parent) parent.last.element.children.push(element)
      else roots.push(element)
      open.push({ element, last: item })
    }
    const place = open.at(-1)
    place?.element.children.push(item.element)
    if (place) place.last = item
    indent(item.element, item.indent - (open.at(-2)?.last.indent ?? depth - 1) - 1)
    previous = item
  }
  return roots
}

/**
 * Returns whether the item continues the list. The caller guarantees that the last item of the list is indented at
 * least as far as `item`.
 */
function isContinued(
  list: { element: Element; last: Item },
  item: Item,
  previous: Item | undefined,
): boolean {
  const { element, last } = list
  // Quill counts the items of each indent separately.
  const isCounted = item.type === 'ol' && last.indent !== item.indent
  // Two adjacent lists stay separate, unless one continues the other after a nested list.
  const isAdjacent = last.list !== item.list && previous?.indent === item.indent
  return element.name === item.type && !isCounted && !isAdjacent
}

function itemOf(list: Element, element: Element): Item {
  const { attributes } = element
  const indent = takeIndent(attributes)
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

/** Returns the state of a check list item in Quill 1. `undefined` if the list is not a check list. */
function checkOf({ attributes }: Element): string | undefined {
  const checked = attributes.get('data-checked')
  return checked === undefined ? undefined : checked === 'true' ? 'checked' : 'unchecked'
}
