import { escapeHtml, isRecord, textOf } from './values.ts'

/** Resolves the references in a rich text document. */
export interface RichTextTargets {
  /** Returns an embedded or linked file. */
  asset(id: string): { url: string; isImage: boolean; title: string } | undefined
  /** Returns an embedded or linked content, with its new id. */
  entry(id: string): { id: string; model: string; title: string } | undefined
}

const blocks: Record<string, string> = {
  paragraph: 'p',
  'heading-1': 'h1',
  'heading-2': 'h2',
  'heading-3': 'h3',
  'heading-4': 'h4',
  'heading-5': 'h5',
  'heading-6': 'h6',
  'unordered-list': 'ul',
  'ordered-list': 'ol',
  'list-item': 'li',
  blockquote: 'blockquote',
  table: 'table',
  'table-row': 'tr',
  'table-header-cell': 'th',
  'table-cell': 'td',
}

/** HTML elements for the formats of a text, by name of the format. */
export const marks: Record<string, string> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  code: 'code',
  strikethrough: 's',
  superscript: 'sup',
  subscript: 'sub',
}

/** Maximum nesting of nodes. */
export const deepest = 100

/** Converts a rich text document of Contentful to HTML. Embedded entries become links. */
export function contentfulHtml(document: unknown, targets: RichTextTargets): string {
  const inner = (node: Record<string, unknown>, depth: number): string => {
    const content = Array.isArray(node.content) ? node.content : []
    return depth > deepest ? '' : content.map((child) => html(child, depth + 1)).join('')
  }
  const targetOf = (node: Record<string, unknown>) => {
    const data = isRecord(node.data) ? node.data : {}
    const target = isRecord(data.target) && isRecord(data.target.sys) ? data.target.sys : {}
    return {
      uri: textOf(data.uri),
      asset: target.linkType === 'Asset' ? targets.asset(textOf(target.id)) : undefined,
      entry: target.linkType === 'Entry' ? targets.entry(textOf(target.id)) : undefined,
    }
  }
  function html(node: unknown, depth: number): string {
    if (!isRecord(node)) return ''
    const type = textOf(node.nodeType)
    if (type === 'text') return textHtml(node)
    const block = blocks[type]
    if (block) return `<${block}>${inner(node, depth)}</${block}>`
    switch (type) {
      case 'hr':
        return '<hr>'
      case 'hyperlink':
        return `<a href="${escapeHtml(targetOf(node).uri)}">${inner(node, depth)}</a>`
      case 'asset-hyperlink': {
        const { asset } = targetOf(node)
        return asset ? `<a href="${escapeHtml(asset.url)}">${inner(node, depth)}</a>` : inner(node, depth)
      }
      case 'embedded-asset-block': {
        const { asset } = targetOf(node)
        if (!asset) return ''
        const [url, title] = [escapeHtml(asset.url), escapeHtml(asset.title)]
        return asset.isImage
          ? `<p><img src="${url}" alt="${title}"></p>`
          : `<p><a href="${url}">${title || url}</a></p>`
      }
      case 'entry-hyperlink':
        return entryLink(targetOf(node).entry, inner(node, depth))
      case 'embedded-entry-inline':
        return entryLink(targetOf(node).entry, '')
      case 'embedded-entry-block': {
        const link = entryLink(targetOf(node).entry, '')
        return link === '' ? '' : `<p>${link}</p>`
      }
      default:
        return inner(node, depth)
    }
  }
  return html(document, 0)
}

/**
 * Returns a link to a content, or only the words if there is no target. A link without words shows the title of its
 * target, otherwise the model.
 */
export function entryLink(entry: ReturnType<RichTextTargets['entry']>, words: string): string {
  if (!entry) return words
  const { id, model, title } = entry
  return `<a data-document="${id}" data-model="${escapeHtml(model)}">${words || escapeHtml(title || model)}</a>`
}

function textHtml(node: Record<string, unknown>): string {
  let text = escapeHtml(textOf(node.value)).replaceAll('\n', '<br>')
  for (const mark of Array.isArray(node.marks) ? node.marks : []) {
    const tag = isRecord(mark) ? marks[textOf(mark.type)] : undefined
    if (tag) text = `<${tag}>${text}</${tag}>`
  }
  return text
}

/** Converts the blocks of Strapi's editor to HTML. */
export function blocksHtml(list: unknown): string {
  const inner = (node: Record<string, unknown>, depth: number): string =>
    depth > deepest || !Array.isArray(node.children)
      ? ''
      : node.children.map((child) => html(child, depth + 1)).join('')
  function html(node: unknown, depth: number): string {
    if (!isRecord(node)) return ''
    switch (node.type) {
      case 'text': {
        let text = escapeHtml(textOf(node.text)).replaceAll('\n', '<br>')
        for (const [mark, tag] of Object.entries(marks))
          if (node[mark] === true) text = `<${tag}>${text}</${tag}>`
        return text
      }
      case 'heading': {
        const level = Math.min(6, Math.max(1, Number(node.level) || 1))
        return `<h${level}>${inner(node, depth)}</h${level}>`
      }
      case 'list': {
        const tag = node.format === 'ordered' ? 'ol' : 'ul'
        return `<${tag}>${inner(node, depth)}</${tag}>`
      }
      case 'list-item':
        return `<li>${inner(node, depth)}</li>`
      case 'quote':
        return `<blockquote>${inner(node, depth)}</blockquote>`
      case 'code':
        return `<pre><code>${inner(node, depth)}</code></pre>`
      case 'link':
        return `<a href="${escapeHtml(textOf(node.url))}">${inner(node, depth)}</a>`
      case 'image': {
        const image = isRecord(node.image) ? node.image : {}
        return `<p><img src="${escapeHtml(textOf(image.url))}" alt="${escapeHtml(textOf(image.alternativeText))}"></p>`
      }
      default:
        return `<p>${inner(node, depth)}</p>`
    }
  }
  return (Array.isArray(list) ? list : []).map((node) => html(node, 0)).join('')
}
