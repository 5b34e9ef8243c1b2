import { unmarked } from '../exact-values.ts'
import { entryLink, type RichTextTargets } from '../rich-text-html.ts'
import { escapeHtml, isRecord, textOf } from '../values.ts'

type Node = Record<string, unknown>

/** Resolves the files and references in Portable Text. */
export interface PortableTextTargets {
  file(value: Node): { url: string; isImage: boolean; alt: string; caption: string } | undefined
  /** Returns the target of a reference. null: unknown target; undefined: not a reference. */
  entry(value: Node): ReturnType<RichTextTargets['entry']> | null
  /** Reports the type of a block or annotation of which only the contents are kept. */
  reduced(type: string): void
}

const styles: Record<string, string> = {
  h1: 'h1',
  h2: 'h2',
  h3: 'h3',
  h4: 'h4',
  h5: 'h5',
  h6: 'h6',
  blockquote: 'blockquote',
}

const decorators: Record<string, string> = {
  strong: 'strong',
  em: 'em',
  underline: 'u',
  code: 'code',
  'strike-through': 's',
  sup: 'sup',
  sub: 'sub',
}

const rules: ReadonlySet<string> = new Set(['hr', 'break', 'divider', 'horizontalRule'])
const deepestList = 20

/** Returns whether the value is a block of text. */
export const isBlock = (value: unknown): value is Node & { children: unknown[] } =>
  isRecord(value) && value._type === 'block' && Array.isArray(value.children)

/** Converts Portable Text to HTML. Reports blocks with unknown types, and converts only their contents. */
export function portableTextHtml(blocks: readonly unknown[], targets: PortableTextTargets): string {
  const html: string[] = []
  const lists: { tag: string; level: number }[] = []
  const closeLists = (level: number) => {
    for (let last = lists.at(-1); last && last.level > level; last = lists.at(-1)) {
      html.push(`</li></${last.tag}>`)
      lists.pop()
    }
  }
  for (const block of blocks) {
    if (isBlock(block) && typeof block.listItem === 'string') {
      const tag = block.listItem === 'number' ? 'ol' : 'ul'
      const level = Math.min(deepestList, Math.max(1, Math.trunc(Number(block.level)) || 1))
      closeLists(level)
      if (lists.at(-1)?.level === level && lists.at(-1)?.tag !== tag) closeLists(level - 1)
      if (lists.at(-1)?.level === level) html.push('</li>')
      else {
        html.push(`<${tag}>`)
        lists.push({ tag, level })
      }
      html.push(`<li>${inlineHtml(block, targets)}`)
      continue
    }
    closeLists(0)
    html.push(partHtml(block, targets))
  }
  closeLists(0)
  return html.join('')
}

function blockHtml(block: Node & { children: unknown[] }, targets: PortableTextTargets): string {
  const style = textOf(block.style)
  const tag = (Object.hasOwn(styles, style) && styles[style]) || 'p'
  return `<${tag}>${inlineHtml(block, targets)}</${tag}>`
}

function inlineHtml(block: Node & { children: unknown[] }, targets: PortableTextTargets): string {
  const links = new Map<string, string>()
  for (const definition of Array.isArray(block.markDefs) ? block.markDefs : [])
    if (isRecord(definition)) links.set(textOf(definition._key), linkStart(definition, targets))
  let html = ''
  /** Start tag of the open link, which may continue over several spans. */
  let link = ''
  for (const child of block.children) {
    if (!isRecord(child)) continue
    const marks = new Set(Array.isArray(child.marks) ? child.marks.map(textOf) : [])
    const next = [...marks].map((mark) => links.get(mark) ?? '').find((start) => start !== '') ?? ''
    if (next !== link) html += `${link === '' ? '' : '</a>'}${next}`
    link = next
    html += child._type === 'span' ? spanHtml(child, marks) : inlineObjectHtml(child, targets, link !== '')
  }
  return link === '' ? html : `${html}</a>`
}

function linkStart(definition: Node, targets: PortableTextTargets): string {
  const href = textOf(definition.href)
  if (href !== '') return `<a href="${escapeHtml(href)}">`
  const reference = [definition, ...Object.values(definition)].find(
    (value) => isRecord(value) && typeof value._ref === 'string',
  )
  const entry = isRecord(reference) ? targets.entry(reference) : undefined
  if (entry) return `<a data-document="${entry.id}" data-model="${escapeHtml(entry.model)}">`
  targets.reduced(textOf(definition._type))
  return ''
}

function spanHtml(span: Node, marks: ReadonlySet<string>): string {
  let html = escapeHtml(unmarked(textOf(span.text))).replaceAll('\n', '<br>')
  for (const mark of marks) {
    const tag = Object.hasOwn(decorators, mark) ? decorators[mark] : undefined
    if (tag) html = `<${tag}>${html}</${tag}>`
  }
  return html
}

function inlineObjectHtml(value: Node, targets: PortableTextTargets, isInLink: boolean): string {
  const file = targets.file(value)
  if (file?.isImage) return imageHtml(file)
  if (file) return isInLink ? escapeHtml(file.caption) : fileLink(file)
  const entry = targets.entry(value)
  if (entry !== undefined) return entry && !isInLink ? entryLink(entry, '') : escapeHtml(entry?.title ?? '')
  targets.reduced(textOf(value._type))
  return textsIn(value).map(escapeHtml).join(' ')
}

/** Converts a value between blocks of text, or inside another value, to HTML. */
function partHtml(value: unknown, targets: PortableTextTargets): string {
  if (typeof value === 'string') return paragraphs(unmarked(value))
  if (Array.isArray(value))
    return value.some(isBlock)
      ? portableTextHtml(value, targets)
      : value.map((item) => partHtml(item, targets)).join('')
  if (!isRecord(value)) return ''
  if (isBlock(value)) return blockHtml(value, targets)
  const type = textOf(value._type)
  if (rules.has(type)) return '<hr>'
  if (type === 'code' && typeof value.code === 'string')
    return `<pre><code>${escapeHtml(value.code)}</code></pre>`
  const file = targets.file(value)
  if (file) {
    const html = file.isImage ? imageHtml(file) : fileLink(file)
    const caption = escapeHtml(file.caption)
    return file.isImage && caption !== ''
      ? `<figure>${html}<figcaption>${caption}</figcaption></figure>`
      : `<p>${html}</p>`
  }
  const entry = targets.entry(value)
  if (entry !== undefined) return entry ? `<p>${entryLink(entry, '')}</p>` : ''
  if (type !== '') targets.reduced(type)
  return Object.entries(value)
    .map(([key, inner]) => (key.startsWith('_') ? '' : partHtml(inner, targets)))
    .join('')
}

const imageHtml = ({ url, alt }: { url: string; alt: string }) =>
  `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt)}">`

const fileLink = ({ url, caption }: { url: string; caption: string }) =>
  `<a href="${escapeHtml(url)}">${escapeHtml(caption || url)}</a>`

function paragraphs(text: string): string {
  if (text.trim() === '') return ''
  const html = escapeHtml(text)
  if (/^https?:\/\/[^\s]+$/i.test(text)) return `<p><a href="${html}">${html}</a></p>`
  return `<p>${html.replaceAll('\n', '<br>')}</p>`
}

/** Returns all texts in a value, except the texts under keys that start with `_`. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [unmarked(value)]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => (key.startsWith('_') ? [] : textsIn(inner)))
}
