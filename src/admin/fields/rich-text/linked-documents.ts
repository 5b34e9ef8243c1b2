import { type Editor, Extension, Mark } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { type EditorState, Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

export interface DocumentLinkValue {
  document: string
  /** The model's uid at the time when the link was created; null if the link does not name a model. */
  model: string | null
  /** The document's URL on the site, for sites that do not resolve links themselves. */
  href: string | null
}

const attribute = (name: string) => ({
  default: null,
  parseHTML: (element: HTMLElement) => element.getAttribute(name),
  renderHTML: () => ({}),
})

/** A link to a document of the app by its `_id` (docs/decisions/0042). */
export const DocumentLink = Mark.create({
  name: 'documentLink',
  inclusive: false,
  excludes: 'link documentLink',
  addAttributes: () => ({
    document: attribute('data-document'),
    model: attribute('data-model'),
    href: attribute('href'),
  }),
  parseHTML: () => [{ tag: 'a[data-document]', priority: 1100 }],
  renderHTML: ({ mark: { attrs } }) => [
    'a',
    {
      ...(attrs.href === null ? {} : { href: attrs.href }),
      'data-document': attrs.document,
      ...(attrs.model === null ? {} : { 'data-model': attrs.model }),
    },
    0,
  ],
})

/** The state of a linked document. Published documents have no state. */
export type LinkState = 'missing' | 'draft'

/** Link states by the `_id` of the document. */
export type LinkStates = ReadonlyMap<string, LinkState>

const statesKey = new PluginKey<{ states: LinkStates; marks: DecorationSet }>('linkStates')

/** Marks links to missing or unpublished documents with a text. {@link showLinkStates} sets the states. */
export function linkStates(words: (state: LinkState) => string) {
  function decorate({ doc }: Pick<EditorState, 'doc'>, states: LinkStates): DecorationSet {
    if (states.size === 0) return DecorationSet.empty
    const found = documentLinksIn(doc).flatMap(({ from, to, value }) => {
      const state = states.get(value.document)
      if (!state) return []
      return [
        Decoration.inline(from, to, { class: 'link-unseen' }),
        Decoration.widget(to, () => noteOf(words(state)), {
          side: -1,
          marks: [],
          key: `${value.document} ${state}`,
        }),
      ]
    })
    return DecorationSet.create(doc, found)
  }
  return Extension.create({
    name: 'linkStates',
    addProseMirrorPlugins: () => [
      new Plugin({
        key: statesKey,
        state: {
          init: () => ({ states: new Map() as LinkStates, marks: DecorationSet.empty }),
          apply(tr, known, _before, now) {
            const told = tr.getMeta(statesKey) as LinkStates | undefined
            if (!told && !tr.docChanged) return known
            const states = told ?? known.states
            return { states, marks: states.size === 0 ? DecorationSet.empty : decorate(now, states) }
          },
        },
        props: { decorations: (state) => statesKey.getState(state)?.marks },
      }),
    ],
  })
}

function noteOf(words: string): HTMLElement {
  const note = document.createElement('small')
  note.className = 'link-note'
  note.textContent = words
  return note
}

export function showLinkStates(editor: Editor, states: LinkStates): void {
  editor.view.dispatch(editor.state.tr.setMeta(statesKey, states))
}

/** Returns the document links in a text, one for each contiguous run of text with the same document. */
export function documentLinksIn(doc: Node): { from: number; to: number; value: DocumentLinkValue }[] {
  const found: { from: number; to: number; value: DocumentLinkValue }[] = []
  doc.descendants((node, position) => {
    const mark = node.marks.find(({ type }) => type.name === 'documentLink')
    if (!mark) return
    const value = mark.attrs as DocumentLinkValue
    const last = found.at(-1)
    if (last?.to === position && last.value.document === value.document) last.to += node.nodeSize
    else found.push({ from: position, to: position + node.nodeSize, value })
  })
  return found
}
