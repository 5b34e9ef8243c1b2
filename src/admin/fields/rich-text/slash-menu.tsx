import { computePosition, flip, offset, shift, size } from '@floating-ui/dom'
import { Paper } from '@mantine/core'
import type { Editor } from '@tiptap/core'
import { memo, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { BlockCommand } from './blocks.ts'
import { ownStep } from './insert-blocks.ts'
import classes from './rich-text.module.css'
import type { SlashQuery } from './slash-menu-plugin.ts'

/** Minimum of the list's `max-height`, in pixels. */
const leastHeight = 180

/**
 * The list of the slash menu. The focus stays in the text; the plugin forwards arrow keys, Enter and Tab to the list.
 */
export const SlashMenu = memo(function SlashMenu({
  editor,
  commands,
}: {
  editor: Editor
  commands: readonly BlockCommand[]
}) {
  const t = useTranslations('fields.richText')
  const listId = useId()
  const box = useRef<HTMLDivElement>(null)
  const [slash, setSlash] = useState<SlashQuery | null>(null)
  const [chosen, setChosen] = useState(0)

  const query = slash?.query.normalize('NFKC').toLowerCase() ?? ''
  const found = commands.filter(
    (command) =>
      query === '' ||
      t(`blocks.${command.id}`).toLowerCase().includes(query) ||
      command.words.split(' ').some((word) => word.startsWith(query)),
  )
  const open = slash !== null && found.length > 0
  const index = Math.min(chosen, found.length - 1)

  function run(command: BlockCommand | undefined) {
    if (!slash || !command) return
    const { from, to } = slash
    ownStep(editor, () => editor.chain().focus().deleteRange({ from, to }).run())
    ownStep(editor, () => command.run(editor))
  }

  useEffect(() => {
    const storage = editor.storage.slashMenu
    storage.onChange = (current) => {
      setSlash(current)
      setChosen(0)
    }
    return () => {
      storage.onChange = () => undefined
      storage.onKey = () => false
    }
  }, [editor])

  useEffect(() => {
    editor.storage.slashMenu.onKey = (key) => {
      if (!open) return false
      if (key === 'ArrowDown') setChosen((index + 1) % found.length)
      else if (key === 'ArrowUp') setChosen((index - 1 + found.length) % found.length)
      else run(found[index])
      return true
    }
    const dom = editor.view.dom
    if (open) {
      dom.setAttribute('aria-controls', listId)
      dom.setAttribute('aria-activedescendant', `${listId}-${index}`)
    } else {
      dom.removeAttribute('aria-controls')
      dom.removeAttribute('aria-activedescendant')
    }
  })

  useLayoutEffect(() => {
    const element = box.current
    if (!open || !slash || !element) return
    const anchor = {
      getBoundingClientRect: () => {
        const { left, top, bottom } = editor.view.coordsAtPos(
          Math.min(slash.from, editor.state.doc.content.size),
        )
        return new DOMRect(left, top, 0, bottom - top)
      },
      contextElement: editor.view.dom,
    }
    void computePosition(anchor, element, {
      placement: 'bottom-start',
      strategy: 'fixed',
      // Below the line if possible, so that the list does not cover the text just written.
      middleware: [
        offset(6),
        size({
          padding: 8,
          apply: ({ availableHeight }) => {
            element.style.maxHeight = `${Math.min(420, Math.max(leastHeight, availableHeight))}px`
          },
        }),
        flip(),
        shift({ padding: 8 }),
      ],
    }).then(({ x, y }) => {
      element.style.left = `${x}px`
      element.style.top = `${y}px`
    })
  }, [open, slash, editor])

  if (!open) return null
  return createPortal(
    <Paper
      ref={box}
      className={classes.slash}
      shadow="md"
      withBorder
      role="listbox"
      // The list may scroll, so it must be focusable. While the focus is in the text, however, Tab chooses an item.
      tabIndex={0}
      id={listId}
      aria-label={t('insert')}
    >
      {found.map((command, position) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text handles the keys, because it has the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text; see aria-activedescendant.
        <div
          key={command.id}
          id={`${listId}-${position}`}
          role="option"
          aria-selected={position === index}
          className={classes.slashItem}
          ref={(element) => {
            if (position === index) element?.scrollIntoView({ block: 'nearest' })
          }}
          // Prevents the blur that a click would cause.
          onMouseDown={(event) => event.preventDefault()}
          // `onMouseEnter` would also fire when the list opens under a resting pointer.
          onMouseMove={() => setChosen(position)}
          onClick={() => run(command)}
        >
          <command.icon size={17} />
          {t(`blocks.${command.id}`)}
        </div>
      ))}
    </Paper>,
    // Renders the list inside the page's landmark.
    editor.view.dom.closest('main') ?? document.body,
  )
})
