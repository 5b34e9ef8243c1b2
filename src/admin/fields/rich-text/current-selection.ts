import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

/** Events that ProseMirror handles at the selection of its state. */
const events = ['keydown', 'beforeinput', 'compositionstart', 'copy', 'cut', 'paste'] as const

/**
 * Reads the page's selection before an event is handled. ProseMirror reads it in `selectionchange`, which browsers fire
 * later. On a busy machine, a paste right after an arrow key would be inserted at the earlier position.
 */
export const CurrentSelection = Extension.create({
  name: 'currentSelection',
  addProseMirrorPlugins: () => [
    new Plugin({
      view(view) {
        const read = (event: Event) => {
          // During a composition, ProseMirror decides when to read the selection. keyCode 229 marks a key of an input
          // method.
          const isComposing = view.composing || (event instanceof KeyboardEvent && event.keyCode === 229)
          if (!isComposing) readSelection(view)
        }
        // The capture phase runs before the handlers of ProseMirror and of other extensions.
        for (const event of events) view.dom.addEventListener(event, read, true)
        return {
          destroy() {
            for (const event of events) view.dom.removeEventListener(event, read, true)
          },
        }
      },
    }),
  ],
})

/** Reads the selection, and changes of the page that ProseMirror has not read yet. */
function readSelection(view: EditorView): void {
  ;(view as unknown as { domObserver: { flush(): void } }).domObserver.flush()
}
