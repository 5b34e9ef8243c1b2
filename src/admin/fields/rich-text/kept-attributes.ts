import { type AnyExtension, Extension, type Mark } from '@tiptap/core'
import { keptClasses, keptStyle, mayHave } from '#shared/html-policy.ts'
import { declarationsOf } from '#shared/html-styles.ts'

/*
 * Classes, styles and ids of imported texts. In the editor, `data-*` attributes contain them, because ids and classes
 * have other meanings in the admin's page. {@link forSites} restores them.
 */

const named = { class: 'data-html-class', id: 'data-html-id' } as const
/** Attribute for the style in its original notation. The DOM would serialise it differently. */
const writtenStyle = 'data-html-style'
const headRows = 'data-html-head'

const readNamed = (element: HTMLElement, name: keyof typeof named) =>
  element.getAttribute(name) ?? element.getAttribute(named[name])

const htmlClass = {
  default: null,
  parseHTML(element: HTMLElement) {
    const kept = keptClasses(element.localName, readNamed(element, 'class') ?? '', false)
    return kept.length > 0 ? kept.join(' ') : null
  },
  renderHTML: ({ htmlClass }: Record<string, unknown>) => (htmlClass ? { [named.class]: htmlClass } : {}),
}

const htmlId = {
  default: null,
  // Splitting a heading must not duplicate its id.
  keepOnSplit: false,
  parseHTML(element: HTMLElement) {
    const id = readNamed(element, 'id')
    return id !== null && mayHave(element.localName, 'id', id, false) ? id : null
  },
  renderHTML: ({ htmlId }: Record<string, unknown>) => (htmlId ? { [named.id]: htmlId } : {}),
}

const alignments = /^(?:left|center|right|justify)$/

/** `ownAlignment`: the alignment is a separate attribute that the tools change, so it is omitted here. */
const htmlStyle = (ownAlignment: boolean) => ({
  default: null,
  parseHTML(element: HTMLElement) {
    const style = element.getAttribute(writtenStyle) ?? element.getAttribute('style') ?? ''
    const kept = declarationsOf(keptStyle(element.localName, style, false))
    const others = kept.filter(
      ({ property, value }) => !ownAlignment || property !== 'text-align' || !alignments.test(value),
    )
    return others.map(({ property, value }) => `${property}: ${value}`).join('; ') || null
  },
  renderHTML: ({ htmlStyle }: Record<string, unknown>) =>
    htmlStyle ? { style: htmlStyle, [writtenStyle]: htmlStyle } : {},
})

const attribute = (name: string) => ({
  default: null,
  parseHTML: (element: HTMLElement) => element.getAttribute(name),
  renderHTML: (attributes: Record<string, unknown>) =>
    attributes[name] === null ? {} : { [name]: attributes[name] },
})

const aligned = ['paragraph', 'heading']
const blocks =
  'blockquote bulletList orderedList listItem codeBlock table tableRow tableCell tableHeader image box'.split(
    ' ',
  )
const marks = 'bold italic underline strike code link span abbr time sub sup mark small ins kbd cite q'.split(
  ' ',
)

export const KeptAttributes = Extension.create({
  name: 'keptAttributes',
  addGlobalAttributes: () => [
    { types: aligned, attributes: { htmlClass, htmlStyle: htmlStyle(true) } },
    { types: [...blocks, ...marks], attributes: { htmlClass, htmlStyle: htmlStyle(false) } },
    { types: ['heading'], attributes: { htmlId } },
    { types: ['orderedList'], attributes: { reversed: attribute('reversed') } },
    { types: ['listItem'], attributes: { value: attribute('value') } },
    { types: ['tableHeader'], attributes: { scope: attribute('scope') } },
  ],
})

/** Attribute for the number of rows in the table's head. */
export const tableHead = {
  headRows: {
    default: 0,
    parseHTML: (element: HTMLElement) =>
      Number(element.getAttribute(headRows)) || element.querySelectorAll(':scope > thead > tr').length,
    renderHTML: (attributes: Record<string, unknown>) =>
      attributes.headRows ? { [headRows]: attributes.headRows } : {},
  },
}

/**
 * Extends a mark so that it keeps its element, such as `b` instead of `strong`. The mark is not parsed from styles,
 * because clean-paste.ts has already converted them to elements.
 */
export const byElements = (mark: Mark, [first = '', ...others]: string[]): AnyExtension =>
  mark.extend({
    addAttributes() {
      const parseHTML = ({ localName }: HTMLElement) => (others.includes(localName) ? localName : first)
      return { ...this.parent?.(), element: { default: first, rendered: false, parseHTML } }
    },
    parseHTML() {
      return (this.parent?.() ?? []).filter((rule) => !('style' in rule && rule.style !== undefined))
    },
    renderHTML: ({ mark, HTMLAttributes }) => [String(mark.attrs.element), HTMLAttributes, 0],
  })

/** Converts the editor's HTML to the HTML that sites receive. */
export function forSites(written: ParentNode): void {
  for (const [name, inEditor] of Object.entries(named))
    for (const element of written.querySelectorAll(`[${inEditor}]`)) {
      element.setAttribute(name, element.getAttribute(inEditor) ?? '')
      element.removeAttribute(inEditor)
    }
  for (const element of written.querySelectorAll<HTMLElement>(`[${writtenStyle}]`)) {
    const style = element.getAttribute(writtenStyle) ?? ''
    const alignment = /(?:^|;)\s*text-align:/.test(style) ? '' : element.style.textAlign
    element.setAttribute('style', alignment === '' ? style : `text-align: ${alignment}; ${style}`)
    element.removeAttribute(writtenStyle)
  }
  for (const table of written.querySelectorAll(`table[${headRows}]`)) {
    const rows = [...table.querySelectorAll(':scope > tbody > tr')].slice(
      0,
      Number(table.getAttribute(headRows)),
    )
    table.removeAttribute(headRows)
    const head = table.ownerDocument.createElement('thead')
    head.append(...rows)
    if (rows.length > 0) table.prepend(head)
    const body = table.querySelector(':scope > tbody')
    if (body?.childElementCount === 0) body.remove()
  }
}
