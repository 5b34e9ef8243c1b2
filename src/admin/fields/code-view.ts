import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** The theme of source editors, matched to the page around them. */
export const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--mantine-color-text)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.8', overflow: 'auto' },
  '.cm-content': { padding: '14px 0 28px', caretColor: 'var(--mantine-color-text)', fontSize: '15px' },
  '.cm-line': { padding: '0 18px' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 28%, transparent)',
  },
})

export const readOnlyPart = new Compartment()
export const readOnlyAs = (readOnly: boolean): Extension => [
  EditorState.readOnly.of(readOnly),
  EditorView.editable.of(!readOnly),
]

/** Whether the transactions come from {@link replaceText} and not from typing. */
export const isOutside = (transactions: readonly { isUserEvent(event: string): boolean }[]) =>
  transactions.some((one) => one.isUserEvent('outside'))

/** Replaces the whole text and marks the transaction as not typed. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  view.dispatch({
    changes: { from: 0, to: before.length, insert: text },
    selection: { anchor: caretAfter(before, text, view.state.selection.main.head) },
    userEvent: 'outside',
  })
}

/**
 * The caret position after replacing a text by a similar one: the same distance from the start if the text before it is
 * unchanged, else from the end.
 */
function caretAfter(before: string, after: string, caret: number): number {
  if (after.startsWith(before.slice(0, caret))) return caret
  return Math.max(0, after.length - (before.length - caret))
}
