import { Extension, InputRule } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import type { MarkType } from '@tiptap/pm/model'
import type { EditorState, Transaction } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

interface Shortcut {
  mark: 'bold' | 'italic' | 'strike' | 'code'
  delimiter: string
  find: RegExp
}

/**
 * Markdown's way to write bold and the like. Japanese has no spaces: any letter may stand before `**`. A single `*` or
 * `_` behind a letter or digit is left alone: it is a footnote, a product, a name (`価格*`, `2*3*4`, `a_b_c`).
 */
const shortcuts: readonly Shortcut[] = [
  { mark: 'bold', delimiter: '**', find: /(?<!\*)\*\*(?![\s*])([^*\n]*[^*\s])\*\*(?!\*)/g },
  {
    mark: 'bold',
    delimiter: '__',
    find: /(?<![\p{L}\p{N}_])__(?![\s_])([^_\n]*[^_\s])__(?![\p{L}\p{N}_])/gu,
  },
  { mark: 'italic', delimiter: '*', find: /(?<![\p{L}\p{N}*])\*(?![\s*])([^*\n]*[^*\s])\*(?!\*)/gu },
  { mark: 'italic', delimiter: '_', find: /(?<![\p{L}\p{N}_])_(?![\s_])([^_\n]*[^_\s])_(?![\p{L}\p{N}_])/gu },
  { mark: 'strike', delimiter: '~~', find: /(?<!~)~~(?![\s~])([^~\n]*[^~\s])~~(?!~)/g },
  { mark: 'code', delimiter: '`', find: /(?<!`)`([^`\n]+)`(?!`)/g },
]

export interface MarkedSpan {
  mark: Shortcut['mark']
  /** Where the opening marks begin and the closing ones end, and how long each is; in characters of the text. */
  from: number
  to: number
  length: number
}

/** The places of a text that its marks make bold, italic, struck or code, in order and without overlaps. */
export function markedSpans(text: string): MarkedSpan[] {
  const spans: MarkedSpan[] = []
  for (const { mark, delimiter, find } of shortcuts)
    for (const match of text.matchAll(find)) {
      const span = { mark, from: match.index, to: match.index + match[0].length, length: delimiter.length }
      if (spans.every((other) => span.to <= other.from || span.from >= other.to)) spans.push(span)
    }
  return spans.sort((a, b) => a.from - b.from)
}

/** Takes the marks of a span away and makes what they enclose what they said. `start`: where the text block begins. */
function applySpan(tr: Transaction, start: number, { from, to, length }: MarkedSpan, type: MarkType): void {
  tr.delete(start + to - length, start + to)
  tr.delete(start + from, start + from + length)
  tr.addMark(start + from, start + to - 2 * length, type.create())
  tr.removeStoredMark(type)
}

/** The text of the block before a position; what is no text counts as one character, as its position does. */
function textBefore(state: EditorState, position: number): { start: number; text: string } | null {
  const $at = state.doc.resolve(position)
  if (!$at.parent.inlineContent || $at.parent.type.spec.code) return null
  const { nodeBefore } = $at
  if (nodeBefore?.marks.some((mark) => mark.type.spec.code)) return null
  return { start: $at.start(), text: $at.parent.textBetween(0, $at.parentOffset, undefined, '\ufffc') }
}

/** The closing mark that was just typed; Backspace brings the marks back. */
export const TypedMarks = Extension.create({
  name: 'typedMarks',
  addInputRules() {
    const { schema } = this.editor
    return [
      new InputRule({
        find: (text) => {
          const span = markedSpans(text).at(-1)
          return span && span.to === text.length
            ? { index: span.from, text: text.slice(span.from), data: { ...span } }
            : null
        },
        handler: ({ state, range, match }) => {
          const span = match.data as MarkedSpan | undefined
          const type = span && schema.marks[span.mark]
          if (!span || !type) return null
          // The last character is not in the document yet, unless an input method wrote it.
          const { length } = match[0]
          const isWritten =
            range.to - range.from === length && state.doc.textBetween(range.from, range.to) === match[0]
          const { tr } = state
          tr.delete(
            range.from + length - span.length,
            isWritten ? range.to : Math.max(range.to, range.from + length - 1),
          )
          tr.delete(range.from, range.from + span.length)
          tr.addMark(range.from, range.from + length - 2 * span.length, type.create())
          tr.removeStoredMark(type)
          return undefined
        },
      }),
    ]
  },
})

/** Words, and not only marks that begin a line (`- `, `1. `). */
const hasWords = /[^\s\d#>*+\-.`~[\]]/

/**
 * Several characters at once, as text expanders and dictation insert them: the rules for single keys count positions
 * that are not in the document yet, and must not see them. Puts the words in first and reads their marks then, as a
 * step of its own to undo.
 * @param insertion makes the step that would put the text in
 * @returns true when it has put the text in
 */
export function insertMarkedText(
  view: EditorView,
  from: number,
  _to: number,
  text: string,
  insertion: () => Transaction,
): boolean {
  if (text.length < 2 || view.composing || !hasWords.test(text)) return false
  const before = textBefore(view.state, from)
  view.dispatch(insertion().scrollIntoView())
  const spans = before ? markedSpans(before.text + text).filter((span) => span.to > before.text.length) : []
  if (!before || spans.length === 0) return true
  const tr = closeHistory(view.state.tr)
  for (const span of spans.reverse()) {
    const type = view.state.schema.marks[span.mark]
    if (type) applySpan(tr, before.start, span, type)
  }
  view.dispatch(tr)
  return true
}
