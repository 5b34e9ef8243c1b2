import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** How source texts look: as the page around them. */
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

/** Is this what {@link replaceText} did, and nobody's typing? */
export const isOutside = (transactions: readonly { isUserEvent(event: string): boolean }[]) =>
  transactions.some((one) => one.isUserEvent('outside'))

/** Puts a text in the place of the whole, without telling of it as if it had been typed. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  view.dispatch({
    changes: { from: 0, to: before.length, insert: text },
    selection: { anchor: caretAfter(before, text, view.state.selection.main.head) },
    userEvent: 'outside',
  })
}

/**
 * Where the caret belongs after a text was replaced by a slightly different one: at the same distance from the start
 * when all before it is the same, else from the end.
 */
function caretAfter(before: string, after: string, caret: number): number {
  if (after.startsWith(before.slice(0, caret))) return caret
  return Math.max(0, after.length - (before.length - caret))
}
