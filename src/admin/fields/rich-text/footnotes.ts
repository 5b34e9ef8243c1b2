import { type Editor, Node } from '@tiptap/core'
import { DOMSerializer, DOMParser as DocumentParser, type Node as Part, type Schema } from '@tiptap/pm/model'
import { type EditorState, NodeSelection, Plugin, type Transaction } from '@tiptap/pm/state'
import { ownStep } from './insert-blocks.ts'

/* Footnotes: a number in the text, and its note in a list at the end. Numbers and list are updated automatically.
   Sites receive links in both directions, identified by their roles (docs/decisions/0042). */

/** The number in the text that links to a note. */
const Reference = Node.create({
  name: 'footnoteReference',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    id: {
      default: null,
      rendered: false,
      parseHTML: (element: HTMLElement) => noteIdOf(linkIn(element)?.getAttribute('href')),
    },
    number: {
      default: 0,
      rendered: false,
      parseHTML: (element: HTMLElement) => Number.parseInt(element.textContent ?? '', 10) || 0,
    },
    /** The note's HTML, in a number that was just pasted or dropped; otherwise null. */
    note: {
      default: null,
      rendered: false,
      parseHTML: (element: HTMLElement) => linkIn(element)?.getAttribute('data-note') ?? null,
    },
  }),
  parseHTML: () => [
    {
      tag: 'sup',
      priority: 70,
      getAttrs: (element) => (element.firstElementChild?.matches(numberLink) ? null : false),
    },
    { tag: numberLink, priority: 1100 },
  ],
  renderHTML: ({ node: { attrs } }) => [
    'sup',
    ['a', { href: `#fn-${attrs.id}`, id: `fnref-${attrs.id}`, role: 'doc-noteref' }, String(attrs.number)],
  ],
  renderText: ({ node }) => `[${node.attrs.number}]`,
})

const numberLink = 'a[role=doc-noteref]'
const linkIn = (element: HTMLElement) =>
  element.matches(numberLink) ? element : element.querySelector(numberLink)
const noteIdOf = (address: string | null | undefined) =>
  /^#?fn[-:]?([\w-]{1,40})$/.exec(address ?? '')?.[1] ?? null

/** One note, as inline text. */
const noteNode = (backLabel: string) =>
  Node.create({
    name: 'footnote',
    content: '(text | hardBreak | ruby)*',
    defining: true,
    isolating: true,
    selectable: false,
    addAttributes: () => ({
      id: {
        default: null,
        rendered: false,
        parseHTML: (element: HTMLElement) => noteIdOf(element.id),
      },
    }),
    parseHTML: () => [{ tag: 'section[role=doc-endnotes] > ol > li', priority: 60, contentElement: wordsOf }],
    renderHTML: ({ node: { attrs } }) => [
      'li',
      { id: `fn-${attrs.id}` },
      ['span', 0],
      ['a', { href: `#fnref-${attrs.id}`, role: 'doc-backlink' }, '↩'],
    ],
    addKeyboardShortcuts() {
      const inNote = () => this.editor.state.selection.$from.parent.type.name === 'footnote'
      const leave = () => inNote() && goToReference(this.editor)
      const remove = () => {
        const { $from, empty } = this.editor.state.selection
        if (!inNote() || !empty || $from.parentOffset > 0) return false
        // Backspace in an empty note also deletes its number.
        return $from.parent.childCount > 0 || deleteReference(this.editor, $from.parent.attrs.id)
      }
      return { Enter: leave, Backspace: remove }
    },
    addNodeView:
      () =>
      ({ node, editor }) => {
        const dom = document.createElement('li')
        const contentDOM = document.createElement('span')
        const back = document.createElement('button')
        back.type = 'button'
        back.contentEditable = 'false'
        back.textContent = '↩'
        back.title = backLabel
        back.setAttribute('aria-label', backLabel)
        back.addEventListener('click', () => goToReference(editor, node.attrs.id))
        dom.append(contentDOM, back)
        return { dom, contentDOM, stopEvent: (event) => event.target === back }
      },
  })

/**
 * Returns the content of a list item without the back link. Paragraphs are replaced by their content, separated by line
 * breaks.
 */
function wordsOf(item: globalThis.Node): HTMLElement {
  const words = (item as HTMLElement).cloneNode(true) as HTMLElement
  for (const back of words.querySelectorAll('a[role=doc-backlink]')) back.remove()
  const paragraphs = [...words.querySelectorAll('p')]
  for (const [index, paragraph] of paragraphs.entries())
    paragraph.replaceWith(
      ...(index > 0 ? [words.ownerDocument.createElement('br')] : []),
      ...paragraph.childNodes,
    )
  return words
}

/**
 * The list of the notes at the end. Its plugin updates numbers and notes after each change, and adds the notes to
 * copied numbers.
 */
const NoteList = Node.create({
  name: 'footnotes',
  group: 'block',
  content: 'footnote+',
  isolating: true,
  selectable: false,
  parseHTML: () => [{ tag: 'section[role=doc-endnotes]', priority: 70, contentElement: 'ol' }],
  renderHTML: () => ['section', { role: 'doc-endnotes' }, ['ol', 0]],
  addKeyboardShortcuts() {
    return { 'Mod-Alt-f': () => toggleFootnote(this.editor) }
  },
  addProseMirrorPlugins() {
    const { schema } = this.editor
    let state = this.editor.state as EditorState | undefined
    return [
      new Plugin({
        appendTransaction: (transactions, before, now) =>
          transactions.some(({ docChanged }) => docChanged) ? settle(before, now) : null,
        view: (view) => {
          state = view.state
          return {
            update: (updated) => {
              state = updated.state
            },
          }
        },
        props: {
          clipboardSerializer: carryingNotes(schema, () => state?.doc),
          handleClickOn: (_view, _position, node) =>
            node.type.name === 'footnoteReference' && goToNote(this.editor, node.attrs.id),
          handleKeyDown: (view, event) => {
            const { selection } = view.state
            const node = selection instanceof NodeSelection ? selection.node : null
            if (event.key !== 'Enter' || event.isComposing || node?.type.name !== 'footnoteReference')
              return false
            return goToNote(this.editor, node.attrs.id)
          },
        },
      }),
    ]
  },
})

/** Returns all extensions of footnotes. `backLabel` is the label of the button from a note to its number. */
export const footnotes = (backLabel: string) => [Reference, noteNode(backLabel), NoteList]

interface Found {
  at: number
  node: Part
}

function find(doc: Part): { references: Found[]; lists: Found[] } {
  const references: Found[] = []
  const lists: Found[] = []
  doc.descendants((node, at) => {
    if (node.type.name === 'footnoteReference') references.push({ node, at })
    if (node.type.name === 'footnotes') lists.push({ node, at })
    return node.type.name !== 'footnotes'
  })
  return { references, lists }
}

/**
 * Renumbers the references and rebuilds one list of notes at the end. A note whose number was deleted is removed. A
 * note that already had no number stays.
 */
function settle(before: EditorState, now: EditorState): Transaction | null {
  const { references, lists } = find(now.doc)
  if (references.length === 0 && lists.length === 0) return null
  const had = new Set(find(before.doc).references.map(({ node }) => node.attrs.id))
  const notes = new Map<string, Part>()
  const loose: Part[] = []
  for (const { node: list } of lists)
    list.forEach((note) => {
      const { id } = note.attrs
      if (id !== null && !notes.has(id)) notes.set(id, note)
      else loose.push(note)
    })
  const used = new Set<string>()
  const { tr, schema } = now
  const ordered = references.map(({ at, node }, index) => {
    const { id, note } = node.attrs
    // A link around the number would create nested links.
    if (node.marks.length > 0) tr.removeMark(at, at + 1)
    // A copied number gets its own copy of the note.
    const own = id === null || used.has(id) ? newId() : id
    used.add(own)
    if (own !== id || node.attrs.number !== index + 1 || note !== null)
      tr.setNodeMarkup(at, null, { id: own, number: index + 1, note: null })
    const known = notes.get(id)
    if (known) return own === id ? known : known.type.create({ id: own }, known.content)
    return noteFrom(schema, own, note)
  })
  for (const [id, note] of notes) if (!used.has(id) && !had.has(id)) loose.push(note)
  const wanted = [...ordered, ...loose]
  const [list] = lists
  const isSettled =
    lists.length === (wanted.length > 0 ? 1 : 0) &&
    (!list ||
      (list.at + list.node.nodeSize === now.doc.content.size &&
        list.node.childCount === wanted.length &&
        wanted.every((note, index) => list.node.child(index) === note)))
  if (!isSettled) {
    for (const { at, node } of lists.toReversed()) tr.delete(at, at + node.nodeSize)
    if (wanted.length > 0) tr.insert(tr.doc.content.size, schema.nodes.footnotes?.create(null, wanted) ?? [])
  }
  return tr.docChanged ? tr : null
}

function noteFrom(schema: Schema, id: string, html: string | null): Part {
  const empty = schema.node('footnote', { id })
  if (html === null) return empty
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return DocumentParser.fromSchema(schema).parse(body, { topNode: empty })
}

const newId = () => crypto.randomUUID().slice(0, 8)

/** Returns a serializer that adds the notes of copied or cut numbers. */
function carryingNotes(schema: Schema, doc: () => Part | undefined): DOMSerializer {
  const plain = DOMSerializer.fromSchema(schema)
  const carrying = new DOMSerializer(plain.nodes, plain.marks)
  carrying.serializeFragment = (fragment, options, target) => {
    const result = plain.serializeFragment(fragment, options, target)
    const links = (result as DocumentFragment).querySelectorAll(numberLink)
    for (const link of links) {
      const note = noteOf(doc(), noteIdOf(link.getAttribute('href')))
      if (!note) continue
      const box = link.ownerDocument.createElement('div')
      plain.serializeFragment(note.node.content, { document: link.ownerDocument }, box)
      link.setAttribute('data-note', box.innerHTML)
    }
    return result
  }
  return carrying
}

function noteOf(doc: Part | undefined, id: string | null): Found | undefined {
  let found: Found | undefined
  doc?.descendants((node, at) => {
    if (node.type.name === 'footnote' && node.attrs.id === id) found ??= { node, at }
    return node.type.name !== 'paragraph'
  })
  return found
}

const referenceOf = (doc: Part, id: unknown) => find(doc).references.find(({ node }) => node.attrs.id === id)

function goToNote(editor: Editor, id: string | null): boolean {
  const note = noteOf(editor.state.doc, id)
  if (!note) return false
  return editor
    .chain()
    .focus()
    .setTextSelection(note.at + note.node.nodeSize - 1)
    .scrollIntoView()
    .run()
}

/** Moves the caret after a note's number. By default, `id` is the note that contains the selection. */
function goToReference(editor: Editor, id: unknown = editor.state.selection.$from.parent.attrs.id): boolean {
  const reference = referenceOf(editor.state.doc, id)
  if (!reference) return false
  return editor
    .chain()
    .focus()
    .setTextSelection(reference.at + 1)
    .scrollIntoView()
    .run()
}

function deleteReference(editor: Editor, id: unknown): boolean {
  const reference = referenceOf(editor.state.doc, id)
  if (!reference) return false
  const { at } = reference
  return editor
    .chain()
    .focus()
    .deleteRange({ from: at, to: at + 1 })
    .setTextSelection(at)
    .scrollIntoView()
    .run()
}

/**
 * Moves the caret from a note to its number, or from a selected number to its note. Elsewhere, inserts a footnote after
 * the selection. Returns false if no footnote is possible there.
 */
export function toggleFootnote(editor: Editor): boolean {
  const { selection } = editor.state
  if (selection.$from.parent.type.name === 'footnote') return goToReference(editor)
  if (selection instanceof NodeSelection && selection.node.type.name === 'footnoteReference')
    return goToNote(editor, selection.node.attrs.id)
  const { $to } = selection
  if (!$to.parent.inlineContent || $to.parent.type.spec.code) return false
  const id = newId()
  ownStep(editor, () =>
    editor.chain().insertContentAt($to.pos, { type: 'footnoteReference', attrs: { id } }).run(),
  )
  return goToNote(editor, id)
}
