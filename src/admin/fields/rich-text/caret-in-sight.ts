import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'

/**
 * Follows the caret wherever a key has moved it. ProseMirror does so for 50 ms after the key, because it knows no other sign of who
 * moved it; where a page takes longer, the caret would stay under the bars until the next key.
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
