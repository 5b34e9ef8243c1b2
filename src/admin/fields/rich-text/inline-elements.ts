import { type AnyExtension, type Editor, Mark, Node } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { emphasisDots } from '#shared/html-policy.ts'

/** Inline elements for which the editor has no tools but which imported texts contain: m², ⌘, highlighted words. */
const keptElements = ['sub', 'sup', 'mark', 'small', 'ins', 'kbd', 'cite', 'q'] as const

const marks: AnyExtension[] = keptElements.map((tag) =>
  Mark.create({
    name: tag,
    // Superscript and subscript exclude each other.
    excludes: tag === 'sub' || tag === 'sup' ? 'sub sup' : tag,
    parseHTML: () => [{ tag }],
    renderHTML: ({ HTMLAttributes }) => [tag, HTMLAttributes, 0],
  }),
)

/** Emphasis dots above or next to each character (圏点), the Japanese counterpart of italics. */
const EmphasisDots = Mark.create({
  name: 'emphasisDots',
  parseHTML: () => [{ tag: `em.${emphasisDots}`, priority: 60 }],
  renderHTML: () => ['em', { class: emphasisDots }, 0],
  addKeyboardShortcuts() {
    return { 'Mod-Alt-.': () => this.editor.commands.toggleMark(this.name) }
  },
})

/** A part of a ruby: its element name (null for bare text) and its text. */
type RubyPart = readonly [name: 'rb' | 'rt' | 'rp' | null, text: string]

/** Words with their reading above them, handled as one unit. The parts of the ruby are kept as plain text. */
const Ruby = Node.create({
  name: 'ruby',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    parts: {
      default: [],
      rendered: false,
      parseHTML: (element: HTMLElement): RubyPart[] =>
        [...element.childNodes].map((child) => {
          const name = child.nodeName.toLowerCase()
          return [name === 'rb' || name === 'rt' || name === 'rp' ? name : null, child.textContent ?? '']
        }),
    },
  }),
  parseHTML: () => [{ tag: 'ruby' }],
  renderHTML: ({ node }) => ['ruby', ...partsOf(node).map(([name, text]) => (name ? [name, text] : text))],
  renderText: ({ node }) =>
    partsOf(node)
      .map(([name, text]) => (name === 'rt' ? `（${text}）` : name === 'rp' ? '' : text))
      .join(''),
})

function partsOf(node: { attrs: Record<string, unknown> }): readonly RubyPart[] {
  return node.attrs.parts as readonly RubyPart[]
}

export interface Reading {
  words: string
  reading: string
}

/**
 * Returns the selected ruby, or the selected words without a reading; null if a ruby is not possible at the selection.
 */
export function rubyAt(editor: Editor): (Reading & { isNew: boolean }) | null {
  const { selection, doc } = editor.state
  if (selection instanceof NodeSelection && selection.node.type.name === 'ruby') {
    const said = (...names: (string | null)[]) =>
      partsOf(selection.node)
        .filter(([name]) => names.includes(name))
        .map(([, text]) => text)
        .join('')
    return { words: said(null, 'rb'), reading: said('rt'), isNew: false }
  }
  const { $from, from, to } = selection
  if (!$from.parent.inlineContent || $from.parent.type.spec.code || !selection.$to.sameParent($from))
    return null
  // A footnote inside the selected words would be lost.
  let isPlain = true
  doc.nodesBetween(from, to, (node) => {
    if (node.isInline && !node.isText) isPlain = false
  })
  return isPlain ? { words: doc.textBetween(from, to), reading: '', isNew: true } : null
}

/**
 * Replaces the selection by a ruby. If this is not possible (see `rubyAt`), inserts the ruby after the selection.
 * Brackets (`rp`) are a fallback for browsers without ruby support.
 */
export function setRuby(editor: Editor, { words, reading }: Reading): void {
  const parts: RubyPart[] = [
    [null, words],
    ['rp', '（'],
    ['rt', reading],
    ['rp', '）'],
  ]
  const { from, to } = editor.state.selection
  const place = rubyAt(editor) ? { from, to } : to
  const start = typeof place === 'number' ? place : place.from
  editor
    .chain()
    .focus()
    .insertContentAt(place, { type: 'ruby', attrs: { parts } })
    // Moves the caret after the ruby. Otherwise the editor selects a footnote number that follows.
    .setTextSelection(start + 1)
    .run()
}

/** Replaces the selected ruby by its words. */
export function removeRuby(editor: Editor): void {
  const ruby = rubyAt(editor)
  if (ruby && !ruby.isNew) editor.chain().focus().insertContent({ type: 'text', text: ruby.words }).run()
}

export const inlineElements: AnyExtension[] = [...marks, EmphasisDots, Ruby]
