import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Theme of the source editors; it matches the surrounding page. */
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

/** Whether at least one of the transactions comes from {@link replaceText} and not from typing. */
export const isOutside = (transactions: readonly { isUserEvent(event: string): boolean }[]) =>
  transactions.some((one) => one.isUserEvent('outside'))

/** Replaces the whole text. The transaction is marked so that {@link isOutside} recognises it. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  view.dispatch({
    changes: { from: 0, to: before.length, insert: text },
    selection: { anchor: caretAfter(before, text, view.state.selection.main.head) },
    userEvent: 'outside',
  })
}

/**
 * Returns the caret position after a text is replaced by a similar one. If the text before the caret is unchanged, the
 * caret keeps its distance from the start, otherwise from the end.
 */
function caretAfter(before: string, after: string, caret: number): number {
  if (after.startsWith(before.slice(0, caret))) return caret
  return Math.max(0, after.length - (before.length - caret))
}
