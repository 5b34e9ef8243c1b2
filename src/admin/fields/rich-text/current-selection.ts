import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

/** Events that are handled at the selection of ProseMirror's state. */
const events = ['keydown', 'beforeinput', 'compositionstart', 'copy', 'cut', 'paste'] as const

/**
 * Reads the page's selection before an event is handled. ProseMirror reads it in `selectionchange`, which browsers fire
 * later: on a busy machine, a paste right after an arrow key would go to the earlier place.
 */
export const CurrentSelection = Extension.create({
  name: 'currentSelection',
  addProseMirrorPlugins: () => [
    new Plugin({
      view(view) {
        const read = (event: Event) => {
          // During a composition, ProseMirror decides when to read; keyCode 229 is the key of an input method.
          const isComposing = view.composing || (event instanceof KeyboardEvent && event.keyCode === 229)
          if (!isComposing) readSelection(view)
        }
        // In the capture phase, before the handlers of ProseMirror and of other extensions.
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

/** Also applies changes of the page that ProseMirror has not read yet. */
function readSelection(view: EditorView): void {
  ;(view as unknown as { domObserver: { flush(): void } }).domObserver.flush()
}
