import { type AnyExtension, Extension, Node } from '@tiptap/core'
import { Blockquote } from '@tiptap/extension-blockquote'
import { Bold } from '@tiptap/extension-bold'
import { Code } from '@tiptap/extension-code'
import { CodeBlock } from '@tiptap/extension-code-block'
import { Document } from '@tiptap/extension-document'
import { Heading } from '@tiptap/extension-heading'
import { HorizontalRule } from '@tiptap/extension-horizontal-rule'
import { Italic } from '@tiptap/extension-italic'
import { BulletList, ListItem, ListKeymap, OrderedList } from '@tiptap/extension-list'
import { Paragraph } from '@tiptap/extension-paragraph'
import { Strike } from '@tiptap/extension-strike'
import { Table, TableCell, TableHeader, TableRow } from '@tiptap/extension-table'
import { Text } from '@tiptap/extension-text'
import { TextAlign } from '@tiptap/extension-text-align'
import { Underline } from '@tiptap/extension-underline'
import { Dropcursor, Gapcursor, Placeholder, TrailingNode, UndoRedo } from '@tiptap/extensions'
import { imeSpan } from 'prosemirror-safari-ime-span'
import { CaretInSight } from './caret-in-sight.ts'
import { cleanPastedHtml, type PasteLoss, type PasteSources } from './clean-paste.ts'
import { CurrentSelection } from './current-selection.ts'
import type { EditorDialog } from './editor-dialogs.tsx'
import { Embed } from './embeds.ts'
import { footnotes } from './footnotes.ts'
import { inlineElements } from './inline-elements.ts'
import { byElements, KeptAttributes, tableHead } from './kept-attributes.ts'
import { keptHtml } from './kept-html.ts'
import { DocumentLink, type LinkState, linkStates } from './linked-documents.ts'
import { LinkedWords } from './linked-words.ts'
import { Link } from './links.ts'
import { type PictureParts, pictures } from './pictures.ts'
import { SlashMenuExtension } from './slash-menu-plugin.ts'
import { TypedMarks } from './typed-marks.ts'
import { WriteBehind } from './write-behind.ts'

/** Safari removes an empty element when a composition ends in it, unless it contains a span. */
const SafariIme = Extension.create({
  name: 'safariIme',
  addProseMirrorPlugins: () => [imeSpan],
})

/** A line break on Shift+Enter. The starter kit's version also handles ⌘Enter, which publishes in Imori. */
const LineBreak = Node.create({
  name: 'hardBreak',
  inline: true,
  group: 'inline',
  selectable: false,
  linebreakReplacement: true,
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
  addKeyboardShortcuts() {
    return {
      'Shift-Enter': () =>
        this.editor.commands.first(({ commands }) => [
          () => commands.exitCode(),
          () => commands.insertContent({ type: this.name }),
        ]),
    }
  },
})

/** A table whose HTML does not contain the editor's column widths. */
const PlainTable = Table.extend({
  addAttributes: () => tableHead,
  renderHTML: ({ HTMLAttributes }) => ['table', HTMLAttributes, ['tbody', 0]],
}).configure({ resizable: false })

/** A code block with an inner `code` element, or without one, as some other editors write it. */
const PlainCodeBlock = CodeBlock.extend({
  addAttributes() {
    const parseHTML = (element: HTMLElement) =>
      element.querySelector(':scope > code') === null && element.textContent !== ''
    return { ...this.parent?.(), isBare: { default: false, rendered: false, parseHTML } }
  },
  renderHTML({ node, HTMLAttributes }) {
    const { isBare, language } = node.attrs
    if (isBare) return ['pre', HTMLAttributes, 0]
    return ['pre', HTMLAttributes, ['code', { class: language ? `language-${language}` : null }, 0]]
  },
})

const span = (name: 'colspan' | 'rowspan') => ({
  default: 1,
  parseHTML: (element: HTMLElement) => Number(element.getAttribute(name)) || 1,
  renderHTML: (attributes: Record<string, unknown>) =>
    attributes[name] === 1 ? {} : { [name]: attributes[name] },
})
const cellAttributes = () => ({
  colspan: span('colspan'),
  rowspan: span('rowspan'),
  colwidth: { default: null, rendered: false },
})

/** The standard extensions. They are imported individually, because the starter kit includes a link parser. */
const plain: AnyExtension[] = [
  byElements(Bold, ['strong', 'b']),
  Blockquote,
  BulletList,
  Code,
  PlainCodeBlock,
  Document,
  Dropcursor,
  Gapcursor,
  Heading,
  UndoRedo,
  HorizontalRule,
  byElements(Italic, ['em', 'i']),
  ListItem,
  ListKeymap,
  OrderedList,
  Paragraph,
  byElements(Strike, ['s', 'del']),
  Text,
  byElements(Underline, ['u']),
]

interface EditorParts {
  placeholder?: string
  pictures?: PictureParts
  onPasteLoss?: (lost: PasteLoss) => void
  /** Returns the content of the clipboard in addition to its HTML, during a paste. */
  pasteSources?: () => PasteSources
  ask?: (dialog: EditorDialog) => void
  /** Label of the button that returns from a footnote to its number. */
  backToText?: string
  /** Returns the text after a link whose document is not published or does not exist. */
  linkState?: (state: LinkState) => string
}

/** Returns the extensions of the editor. */
export function richTextExtensions(parts: EditorParts = {}): AnyExtension[] {
  return [
    ...plain,
    TrailingNode.configure({ notAfter: ['footnotes'] }),
    TypedMarks,
    ...inlineElements,
    ...footnotes(parts.backToText ?? ''),
    LineBreak,
    Link,
    DocumentLink,
    LinkedWords,
    linkStates(parts.linkState ?? ((state) => state)),
    Embed,
    ...keptHtml(parts.pictures?.replace),
    KeptAttributes,
    PlainTable,
    TableRow,
    TableHeader.extend({ addAttributes: cellAttributes }),
    TableCell.extend({ addAttributes: cellAttributes }),
    TextAlign.configure({
      types: ['heading', 'paragraph'],
      alignments: ['left', 'center', 'right', 'justify'],
    }),
    pictures(parts.pictures ?? { broken: (address) => address }),
    Placeholder.configure({ placeholder: parts.placeholder ?? '' }),
    SafariIme,
    CaretInSight,
    CurrentSelection,
    SlashMenuExtension,
    WriteBehind,
    Extension.create({
      name: 'dialogKeys',
      addKeyboardShortcuts: () => {
        const open = (dialog: EditorDialog) => () => {
          parts.ask?.(dialog)
          return true
        }
        return { 'Mod-k': open('link'), 'Mod-Alt-l': open('link'), 'Mod-Alt-r': open('ruby') }
      },
    }),
    Extension.create({
      name: 'cleanPaste',
      transformPastedHTML: (html) => {
        const pasted = cleanPastedHtml(html, parts.pasteSources?.())
        if (pasted.lost.pictures > 0 || pasted.lost.embeds.length > 0) parts.onPasteLoss?.(pasted.lost)
        return pasted.html
      },
    }),
  ]
}

/**
 * Names of the extensions whose input rules are enabled. Bold and similar marks use `typedMarks`, which supports
 * Japanese, instead of their own rules.
 */
export const withTypingRules = [
  'typedMarks',
  'heading',
  'bulletList',
  'orderedList',
  'blockquote',
  'codeBlock',
  'horizontalRule',
  'image',
]
