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
 * Markdown delimiters for bold and similar marks. Any letter may precede `**`, because Japanese has no spaces. A single
 * `*`, `_` or `__` directly after a letter or digit is ignored, because it may be a footnote mark (`価格*`), a
 * multiplication (`2*3*4`) or part of a name (`a_b_c`).
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
  /**
   * Start of the opening delimiter, end of the closing one, and length of each delimiter, in characters of the text.
   */
  from: number
  to: number
  length: number
}

/** Returns the spans of a text that delimiters mark as bold, italic, strike or code, in order and without overlaps. */
export function markedSpans(text: string): MarkedSpan[] {
  const spans: MarkedSpan[] = []
  for (const { mark, delimiter, find } of shortcuts)
    for (const match of text.matchAll(find)) {
      const span = { mark, from: match.index, to: match.index + match[0].length, length: delimiter.length }
      if (spans.every((other) => span.to <= other.from || span.from >= other.to)) spans.push(span)
    }
  return spans.sort((a, b) => a.from - b.from)
}

/** Removes the delimiters of a span and applies its mark. `start` is the position where the block's text starts. */
function applySpan(tr: Transaction, start: number, { from, to, length }: MarkedSpan, type: MarkType): void {
  tr.delete(start + to - length, start + to)
  tr.delete(start + from, start + from + length)
  tr.addMark(start + from, start + to - 2 * length, type.create())
  tr.removeStoredMark(type)
}

/**
 * Returns the text of the block before a position, and the position where the block's text starts. Non-text nodes count
 * as one character, so that indexes match positions. Returns null in code, and outside of blocks with text.
 */
function textBefore(state: EditorState, position: number): { start: number; text: string } | null {
  const $at = state.doc.resolve(position)
  if (!$at.parent.inlineContent || $at.parent.type.spec.code) return null
  const { nodeBefore } = $at
  if (nodeBefore?.marks.some((mark) => mark.type.spec.code)) return null
  return { start: $at.start(), text: $at.parent.textBetween(0, $at.parentOffset, undefined, '\ufffc') }
}

/** Applies a mark when its closing delimiter is typed. Backspace restores the delimiters. */
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
          // The last character is not in the document yet, unless an input method inserted it.
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

/** Matches text that contains words, not only block prefixes (`- `, `1. `). */
const hasWords = /[^\s\d#>*+\-.`~[\]]/

/**
 * Handles several characters that text expanders or dictation insert in one step. The input rules for single keys would
 * compute positions that are not in the document yet. Inserts the text first, then applies its marks as a separate undo
 * step.
 * @param insertion creates the transaction that inserts the text
 * @returns true if the text was inserted
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
