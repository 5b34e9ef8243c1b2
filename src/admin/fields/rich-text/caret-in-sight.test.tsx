import { Editor } from '@tiptap/core'
import { type EditorState, TextSelection } from '@tiptap/pm/state'
import { expect, it } from 'vitest'
import { richTextExtensions } from './extensions.ts'

/** Returns whether the view scrolls to the caret when the caret moves after this event. */
function isFollowed(event: Event): boolean {
  const editor = new Editor({ extensions: richTextExtensions(), content: '<p>一</p><p>二</p>' })
  editor.view.dom.dispatchEvent(event)
  const before = editor.state
  const { state, transactions } = before.applyTransaction(moved(before))
  editor.destroy()
  expect(state.selection.from).toBe(4)
  return transactions.some(({ scrolledIntoView }) => scrolledIntoView)
}

const moved = ({ tr }: EditorState) => tr.setSelection(TextSelection.create(tr.doc, 4))

it('the editor scrolls to the caret if the caret moves after a key press, but not after a pointer press', () => {
  expect(isFollowed(new KeyboardEvent('keydown', { key: 'Home', ctrlKey: true, bubbles: true }))).toBe(true)
  expect(isFollowed(new MouseEvent('pointerdown', { bubbles: true }))).toBe(false)
  expect(isFollowed(new Event('other'))).toBe(false)
})
