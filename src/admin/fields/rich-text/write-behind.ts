import { Extension } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { type EditorState, NodeSelection, Plugin, type Transaction } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { caretBehind } from './insert-blocks.ts'

/**
 * Text that is written while a picture, an embed or a reading is selected goes behind it: no key and no input method
 * takes it away. What was pasted or dropped does not stay selected, and is undone by itself.
 */
export const WriteBehind = Extension.create({
  name: 'writeBehind',
  addProseMirrorPlugins: () => [
    new Plugin({
      appendTransaction: (transactions, _before, state) =>
        transactions.some(isBrought) ? behindSelected(state) : null,
      props: {
        // Each comes before the text does, and before ProseMirror would replace the selection by it.
        handleDOMEvents: {
          keypress: (view, event) =>
            stepBehind(view, event.key.length === 1 && !event.ctrlKey && !event.metaKey),
          beforeinput: (view, event) =>
            stepBehind(view, /^insert(?:Composition)?Text$/.test(event.inputType)),
          compositionstart: (view) => stepBehind(view, true),
          paste: apart,
          drop: apart,
        },
      },
    }),
  ],
})

const isBrought = (tr: Transaction) => tr.getMeta('paste') === true || tr.getMeta('uiEvent') === 'drop'

function behindSelected({ selection, tr }: EditorState): Transaction | null {
  return selection instanceof NodeSelection ? caretBehind(tr, selection.to) : null
}

/** Answers that the event goes on as usual. */
function stepBehind(view: EditorView, isText: boolean): false {
  const tr = isText && view.editable ? behindSelected(view.state) : null
  if (tr) view.dispatch(tr)
  return false
}

/** Ends a step of what can be undone now, and another one when the event has done its work. */
function apart(view: EditorView): false {
  const end = () => {
    if (!view.isDestroyed) view.dispatch(closeHistory(view.state.tr))
  }
  end()
  queueMicrotask(end)
  return false
}
