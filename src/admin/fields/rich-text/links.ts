import { Mark, markPasteRule } from '@tiptap/core'
import type { MarkType } from '@tiptap/pm/model'
import { type EditorState, Plugin, PluginKey } from '@tiptap/pm/state'
import { endingUrl, japaneseInUrl } from '#shared/written-urls.ts'

/** Characters that end a URL: spaces, quotes, angle brackets, and full-width and Japanese characters. */
const ending = String.raw`\s<>"'${endingUrl}`
/** A URL in running text. It does not include the punctuation that ends the sentence. */
const written = String.raw`https?:\/\/(?:[^${ending}]|${japaneseInUrl})*[^${ending}.,;:!?)\]]`
const everywhere = new RegExp(written, 'gu')
/** Excludes Markdown links: in `[池](https://…)` the URL is in parentheses. */
const typedOnes = new RegExp(String.raw`(?<!\]\()${written}`, 'gu')
/** A URL that is the whole text of the clipboard. It may end with Japanese characters. */
const alone =
  /^https?:\/\/[^\s<>"'「」『』（）【】、。，．！？]*[^\s<>"'「」『』（）【】、。，．！？.,;:!?)\]]$/

/** Schemes that are rejected because they can run code. */
const unsafe = /^(?:javascript|data|vbscript|file|blob):/i
const isSafe = (address: string) => !unsafe.test(address.replace(/[\s\p{Cc}]/gu, ''))

/** Sites decide on `target` and `rel`. Values that a text already has are kept. */
const attributes = ['href', 'target', 'rel', 'title']

/**
 * A link to a URL. Text that is typed after the link does not become part of it. Typed and pasted URLs become links.
 */
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
          // A URL pasted over selected text links that text.
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

/** Links the URLs in the word that a typed space or new line has just ended. */
function linkTyped(type: MarkType, before: EditorState, { doc, selection, tr }: EditorState) {
  const typed = doc.content.size - before.doc.content.size
  const { $from, empty } = selection
  if (!empty || typed < 1 || typed > 2 || !$from.parent.isTextblock) return null
  const above = $from.parentOffset === 0 && $from.depth > 0 ? doc.resolve($from.before()).nodeBefore : null
  const block = above?.isTextblock ? above : $from.parent
  if (block.type.spec.code) return null
  const start = above?.isTextblock ? $from.before() - 1 - above.content.size : $from.start()
  const text = block.textBetween(0, above ? block.content.size : $from.parentOffset, undefined, '\ufffc')
  if (!above && !/\s$/.test(text)) return null
  const ended = above ? text : text.slice(0, -1)
  let word = ended.length
  while (word > 0 && /\S/.test(ended[word - 1] ?? '')) word--
  const marks = ['link', 'documentLink', 'code'].flatMap((name) => doc.type.schema.marks[name] ?? [])
  for (const { index, 0: address } of ended.matchAll(typedOnes)) {
    const from = start + index
    const to = from + address.length
    if (index < word || marks.some((mark) => doc.rangeHasMark(from, to, mark))) continue
    tr.addMark(from, to, type.create({ href: address }))
  }
  return tr.docChanged ? tr : null
}
