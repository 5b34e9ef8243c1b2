import type { Editor } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { Fragment, type Node, Slice } from '@tiptap/pm/model'
import { Selection, TextSelection, type Transaction } from '@tiptap/pm/state'
import { insertPoint } from '@tiptap/pm/transform'

interface Range {
  from: number
  to: number
}

/**
 * Replaces `range` by blocks as one undo step. The caret moves to the paragraph after the blocks (created if
 * necessary), into the first block, or stays at its position.
 */
export function insertBlocks(
  editor: Editor,
  blocks: readonly Node[],
  range: Range,
  caret: 'behind' | 'inside' | 'stays',
): void {
  const [first] = blocks
  if (!first) return
  ownStep(editor, () => {
    const { tr } = editor.state
    const { from, to } = range.from === range.to ? placeFor(tr.doc, first, range.to) : range
    tr.replaceRange(from, to, new Slice(Fragment.from(blocks), 0, 0))
    if (caret === 'behind') caretBehind(tr, tr.mapping.map(to)).scrollIntoView()
    if (caret === 'inside') caretInside(tr, first).scrollIntoView()
    editor.view.dispatch(tr)
  })
}

/** Makes the changes of `run` a separate undo step. Typing before and after it belongs to other steps. */
export function ownStep(editor: Editor, run: () => void): void {
  endStep(editor)
  run()
  endStep(editor)
}

/** Ends the current undo step. */
export function endStep(editor: Editor): void {
  if (!editor.isDestroyed) editor.view.dispatch(closeHistory(editor.state.tr))
}

/**
 * Moves the caret to a position in text. Between blocks, moves it into the paragraph after the position, which is
 * created if necessary and possible.
 */
export function caretBehind(tr: Transaction, end: number): Transaction {
  const $end = tr.doc.resolve(end)
  if ($end.parent.inlineContent) return tr.setSelection(TextSelection.create(tr.doc, end))
  const { paragraph } = tr.doc.type.schema.nodes
  const index = $end.index()
  if (paragraph && $end.nodeAfter?.type !== paragraph && $end.parent.canReplaceWith(index, index, paragraph))
    tr.insert(end, paragraph.create())
  return tr.setSelection(Selection.near(tr.doc.resolve(end)))
}

function caretInside(tr: Transaction, block: Node): Transaction {
  let start: number | undefined
  tr.doc.descendants((node, position) => {
    if (node === block) start = position
    return start === undefined
  })
  return start === undefined ? tr : tr.setSelection(Selection.near(tr.doc.resolve(start + 1)))
}

/**
 * Returns the range at which to insert a block. At the start or end of a paragraph, this is the position before or
 * after the paragraph. Inside a note, it is the position before the list of notes. Otherwise it is the position itself.
 */
function placeFor(doc: Node, block: Node, position: number): Range {
  const $position = doc.resolve(position)
  const { parent } = $position
  if (parent.isTextblock && parent.type.spec.isolating) {
    const before = $position.before(1)
    return { from: before, to: before }
  }
  const point = parent.content.size > 0 ? insertPoint(doc, position, block.type) : null
  return { from: point ?? position, to: point ?? position }
}
