import { Mark, markPasteRule } from '@tiptap/core'
import type { MarkType } from '@tiptap/pm/model'
import { type EditorState, Plugin, PluginKey } from '@tiptap/pm/state'

/** An address as people write it in a text. Full-width signs end it, and so does what ends its sentence. */
const written = String.raw`https?:\/\/[^\s<>"'「」『』（）【】、。，．！？]*[^\s<>"'「」『』（）【】、。，．！？.,;:!?)\]]`
const everywhere = new RegExp(written, 'g')
/** Not as Markdown writes it: `[池](https://…)` has its address in its brackets. */
const atEnd = new RegExp(String.raw`(?<!\]\()${written}$`)
const alone = new RegExp(`^${written}$`)

/** Schemes that links never have: those that run something. */
const unsafe = /^(?:javascript|data|vbscript|file|blob):/i
const isSafe = (address: string) => !unsafe.test(address.replace(/[\s\p{Cc}]/gu, ''))

/** Sites decide on target and rel; what a text has of them already stays. */
const attributes = ['href', 'target', 'rel', 'title']

/** A link to an address. What is typed behind one goes on as plain text; typed and pasted addresses become links. */
export const Link = Mark.create({
  name: 'link',
  priority: 1000,
  keepOnSplit: false,
  inclusive: false,
  addAttributes: () => Object.fromEntries(attributes.map((name) => [name, { default: null }])),
  parseHTML: () => [
    { tag: 'a[href]', getAttrs: (element) => (isSafe(element.getAttribute('href') ?? '') ? null : false) },
  ],
  renderHTML: ({ HTMLAttributes }) => ['a', HTMLAttributes, 0],
  addPasteRules() {
    return [
      markPasteRule({
        find: everywhere,
        type: this.type,
        getAttributes: ([address]) => ({ href: address }),
      }),
    ]
  },
  addProseMirrorPlugins() {
    const { type } = this
    return [
      new Plugin({
        key: new PluginKey('links'),
        appendTransaction: (transactions, before, state) =>
          transactions.some((tr) => tr.docChanged && tr.getMeta('history$') === undefined)
            ? linkTyped(type, before, state)
            : null,
        props: {
          // An address that is pasted on a text becomes its link.
          handlePaste: (view, _event, slice) => {
            const { from, to, empty } = view.state.selection
            const text = slice.content.textBetween(0, slice.content.size, '\n')
            if (empty || !alone.test(text)) return false
            view.dispatch(view.state.tr.addMark(from, to, type.create({ href: text })))
            return true
          },
        },
      }),
    ]
  },
})

/** Makes a link of the address that a typed space or a new line has just ended. */
function linkTyped(type: MarkType, before: EditorState, { doc, selection, tr }: EditorState) {
  const typed = doc.content.size - before.doc.content.size
  const { $from, empty } = selection
  if (!empty || typed < 1 || typed > 2 || !$from.parent.isTextblock) return null
  const above = $from.parentOffset === 0 && $from.depth > 0 ? doc.resolve($from.before()).nodeBefore : null
  const block = above?.isTextblock ? above : $from.parent
  const start = above?.isTextblock ? $from.before() - 1 - above.content.size : $from.start()
  const text = block.textBetween(0, above ? block.content.size : $from.parentOffset, undefined, '\ufffc')
  if (!above && !/\s$/.test(text)) return null
  // What ends the sentence does not belong to the address.
  const ended = (above ? text : text.slice(0, -1)).replace(/[.,;:!?)\]」』）】、。，．！？]+$/, '')
  const found = atEnd.exec(ended)
  if (!found || block.type.spec.code) return null
  const [from, to] = [start + found.index, start + ended.length]
  const marks = ['link', 'documentLink', 'code'].flatMap((name) => doc.type.schema.marks[name] ?? [])
  if (marks.some((mark) => doc.rangeHasMark(from, to, mark))) return null
  return tr.addMark(from, to, type.create({ href: found[0] }))
}
