import type { Editor } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { Fragment, type Node, Slice } from '@tiptap/pm/model'
import { Selection, TextSelection, type Transaction } from '@tiptap/pm/state'
import { insertPoint } from '@tiptap/pm/transform'

/** Document positions; equal ones are a position between two characters or blocks. */
interface Range {
  from: number
  to: number
}

/**
 * Replaces `range` by blocks as one undo step. The caret moves to the paragraph after them (created if necessary), into
 * them, or stays where it is.
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

/** Makes what `run` changes an undo step of its own, separate from typing before and after. */
export function ownStep(editor: Editor, run: () => void): void {
  endStep(editor)
  run()
  endStep(editor)
}

/** Ends the current undo step. */
export function endStep(editor: Editor): void {
  if (!editor.isDestroyed) editor.view.dispatch(closeHistory(editor.state.tr))
}

/** Puts the caret into the paragraph after a position, creating one if necessary. */
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

/** The insertion point of a block: beside the paragraph that starts or ends here, or before the notes if inside one. */
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
