import { Extension } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { type EditorState, NodeSelection, Plugin, type Transaction } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { caretBehind } from './insert-blocks.ts'

/**
 * Inserts text after a picture, embed or ruby if one is selected, so that typing does not replace it. Pasted or dropped
 * nodes do not stay selected and are a separate undo step.
 */
export const WriteBehind = Extension.create({
  name: 'writeBehind',
  addProseMirrorPlugins: () => [
    new Plugin({
      appendTransaction: (transactions, _before, state) =>
        transactions.some(isBrought) ? behindSelected(state) : null,
      props: {
        // These events fire before the text is inserted and before ProseMirror would replace the selection.
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

/** Moves the caret after the selected node. Returns false, so that ProseMirror still handles the event. */
function stepBehind(view: EditorView, isText: boolean): false {
  const tr = isText && view.editable ? behindSelected(view.state) : null
  if (tr) view.dispatch(tr)
  return false
}

/** Ends the current undo step now, and again after the event has been handled. */
function apart(view: EditorView): false {
  const end = () => {
    if (!view.isDestroyed) view.dispatch(closeHistory(view.state.tr))
  }
  end()
  queueMicrotask(end)
  return false
}
