import { Extension } from '@tiptap/core'
import { Plugin, PluginKey } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

/** The typed slash command: document positions and the search text after the slash. */
export interface SlashQuery {
  from: number
  to: number
  query: string
}

export interface SlashMenuStorage {
  current: SlashQuery | null
  onChange: (current: SlashQuery | null) => void
  /** Handles a key while the menu is open. Returns true if the menu used the key. */
  onKey: (key: string) => boolean
  /**
   * Position of a slash whose menu the user closed; null if there is none. The menu stays closed until the caret leaves
   * the slash command.
   */
  dismissedAt: number | null
}

declare module '@tiptap/core' {
  interface Storage {
    slashMenu: SlashMenuStorage
  }
}

const menuKeys = new Set(['ArrowUp', 'ArrowDown', 'Enter', 'Tab', 'Escape'])

/**
 * Opens the menu on `/` (or `／` from a Japanese keyboard) at the start of a block or after a space. Inactive during a
 * composition, which uses arrows and Enter to choose candidates.
 */
export const SlashMenuExtension = Extension.create<object, SlashMenuStorage>({
  name: 'slashMenu',
  // Runs before the keymaps of lists and blocks, because an open menu uses Enter and arrows.
  priority: 1000,

  addStorage: () => ({
    current: null,
    onChange: () => undefined,
    onKey: () => false,
    dismissedAt: null,
  }),

  addProseMirrorPlugins() {
    const storage = this.storage

    function update(view: EditorView): void {
      const found = view.composing || !view.editable ? null : findSlash(view)
      if (found?.from !== storage.dismissedAt) storage.dismissedAt = null
      const next = found && found.from !== storage.dismissedAt ? found : null
      if (next?.from === storage.current?.from && next?.query === storage.current?.query) return
      storage.current = next
      storage.onChange(next)
    }

    return [
      new Plugin({
        key: new PluginKey('slashMenu'),
        view: () => ({ update }),
        props: {
          handleKeyDown(view, event) {
            if (!storage.current || view.composing || event.isComposing || event.keyCode === 229) return false
            if (!menuKeys.has(event.key) || event.metaKey || event.ctrlKey || event.altKey) return false
            if (event.key === 'Escape') {
              storage.dismissedAt = storage.current.from
              update(view)
              // The menu is the topmost layer. Escape must not close a layer below it.
              event.stopPropagation()
              return true
            }
            return storage.onKey(event.key)
          },
          handleDOMEvents: {
            compositionend: (view) => {
              setTimeout(() => {
                if (!view.isDestroyed) update(view)
              }, 0)
              return false
            },
            blur: () => {
              storage.current = null
              storage.onChange(null)
              return false
            },
          },
        },
      }),
    ]
  },
})

function findSlash(view: EditorView): SlashQuery | null {
  const { selection } = view.state
  const { $from, empty } = selection
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null
  const before = $from.parent.textBetween(
    Math.max(0, $from.parentOffset - 40),
    $from.parentOffset,
    '\n',
    '\ufffc',
  )
  const match = /(?:^|[\s\ufffc\u3000])[/／]([^\s/／]{0,20})$/.exec(before)
  const query = match?.[1]
  if (query === undefined) return null
  return { from: $from.pos - query.length - 1, to: $from.pos, query }
}
