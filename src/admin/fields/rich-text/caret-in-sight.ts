import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'

/**
 * Scrolls to the caret after a key has moved it. ProseMirror only does so within 50 ms of the key press. On a slower
 * page the caret would stay under the sticky bars until the next key press.
 */
export const CaretInSight = Extension.create({
  name: 'caretInSight',
  addProseMirrorPlugins() {
    let byKey = false
    const by = (isKey: boolean) => () => {
      byKey = isKey
    }
    return [
      new Plugin({
        props: { handleDOMEvents: { keydown: by(true), pointerdown: by(false), blur: by(false) } },
        appendTransaction: (transactions, before, { selection, tr }) => {
          if (!byKey || before.selection.eq(selection)) return null
          byKey = false
          return transactions.some(({ docChanged, scrolledIntoView }) => docChanged || scrolledIntoView)
            ? null
            : tr.scrollIntoView()
        },
      }),
    ]
  },
})
