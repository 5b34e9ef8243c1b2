import { type AnyExtension, Mark, Node } from '@tiptap/core'
import { ReactNodeViewRenderer } from '@tiptap/react'
import { applyHtmlPolicy } from '../html-policy.ts'
import { elementOf, isShown } from './embeds.ts'
import { KeptHtmlView } from './kept-html-view.tsx'
import type { ReplaceBroken } from './pictures.ts'

/*
 * Elements of imported texts for which the editor has no tools, for example players, figures, boxes and description
 * lists.
 */

/**
 * Rejects elements of the page's own document, where a browser inserts a `div` while the user types. Stored texts are
 * parsed in a separate document.
 */
const isStored = (element: HTMLElement) => (element.ownerDocument === document ? false : null)

const Box = Node.create({
  name: 'box',
  group: 'block',
  content: 'block+',
  defining: true,
  addAttributes: () => ({
    element: {
      default: 'div',
      rendered: false,
      parseHTML: ({ localName }: HTMLElement) => (localName === 'section' ? 'section' : 'div'),
    },
  }),
  parseHTML: () => ['div', 'section'].map((tag) => ({ tag, priority: 40, getAttrs: isStored })),
  renderHTML: ({ node, HTMLAttributes }) => [String(node.attrs.element), HTMLAttributes, 0],
})

/** Returns whether a table has parts that the editor's tables do not support. */
const hasMoreParts = (table: HTMLElement) =>
  table.querySelector(
    ':scope > :is(caption, colgroup, tfoot), :scope > :is(thead, tbody):is([class], [style]), :scope > tbody ~ tbody',
  ) !== null

/** HTML that is kept unchanged, as one block. */
const KeptHtml = Node.create<{ replace: ReplaceBroken | null }>({
  name: 'keptHtml',
  addOptions: () => ({ replace: null }),
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    html: {
      default: '',
      rendered: false,
      parseHTML: (element: HTMLElement) =>
        applyHtmlPolicy(element.outerHTML).content.firstElementChild?.outerHTML ?? '',
    },
  }),
  parseHTML: () => [
    ...['video', 'audio', 'picture', 'figure', 'details', 'dl'].map((tag) => ({
      tag,
      priority: 55,
      getAttrs: isStored,
    })),
    {
      tag: 'table',
      priority: 55,
      getAttrs: (element) => (hasMoreParts(element) ? isStored(element) : false),
    },
  ],
  renderHTML: ({ node }) => elementOf(String(node.attrs.html)),
  renderText: () => '',
  addNodeView: () => {
    const card = ReactNodeViewRenderer(KeptHtmlView)
    // An empty element is used until React has mounted the editor. Otherwise the content would load twice.
    return (props) => (isShown(props.editor) ? card(props) : { dom: document.createElement('div') })
  },
})

const Span = Mark.create({
  name: 'span',
  excludes: '',
  parseHTML: () => [
    {
      tag: 'span',
      getAttrs: (element) =>
        ['class', 'style', 'data-html-class'].some((name) => element.hasAttribute(name)) ? null : false,
    },
  ],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
})

/** Returns a mark with one attribute, such as `abbr` with its title. */
const saying = (element: string, attribute: string) =>
  Mark.create({
    name: element,
    addAttributes: () => ({ [attribute]: { default: null } }),
    parseHTML: () => [{ tag: element }],
    renderHTML: ({ HTMLAttributes }) => [element, HTMLAttributes, 0],
  })

const flag = (name: string) => ({
  default: null,
  parseHTML: (element: HTMLElement) => (element.hasAttribute(name) ? '' : null),
})

const CheckBox = Node.create({
  name: 'checkBox',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ checked: flag('checked'), disabled: flag('disabled') }),
  parseHTML: () => [{ tag: 'input[type=checkbox]' }],
  renderHTML: ({ HTMLAttributes }) => ['input', { ...HTMLAttributes, type: 'checkbox' }],
  renderText: ({ node }) => (node.attrs.checked === null ? '[ ]' : '[x]'),
  addNodeView:
    () =>
    ({ node }) => {
      const dom = document.createElement('input')
      dom.type = 'checkbox'
      dom.disabled = true
      dom.checked = node.attrs.checked !== null
      return { dom }
    },
})

/** Returns the extensions for kept HTML. `replace` is the button for pictures in kept blocks that fail to load. */
export const keptHtml = (replace?: ReplaceBroken): AnyExtension[] => [
  Box,
  KeptHtml.configure({ replace: replace ?? null }),
  Span,
  saying('abbr', 'title'),
  saying('time', 'datetime'),
  CheckBox,
]
