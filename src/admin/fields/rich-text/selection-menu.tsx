import { IconPencil, IconReplace } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { BubbleMenu } from '@tiptap/react/menus'
import { memo, type RefObject, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { moveFocus, ToolButton } from '../format-bar.tsx'
import type { EditorDialog } from './editor-dialogs.tsx'
import classes from './rich-text.module.css'
import { useInlineTools, useSelectionState } from './tools.ts'

interface SelectionMenuProps {
  editor: Editor
  ask: (dialog: EditorDialog) => void
}

/** The tools next to a selection. Memoised, so that they do not render again on every key press. */
export const SelectionMenu = memo(function SelectionMenu({
  editor,
  ask,
  bar,
}: SelectionMenuProps & { bar: RefObject<HTMLElement | null> }) {
  /** Keeps the menu below the format bar, and within the width of the text if it fits. */
  const options = useMemo(
    () => ({
      flip: () => ({ boundary: [], padding: { top: bar.current?.getBoundingClientRect().bottom ?? 0 } }),
      shift: () => ({ boundary: editor.view.dom }),
    }),
    [editor, bar],
  )
  return (
    <BubbleMenu
      editor={editor}
      options={options}
      shouldShow={({ editor, state }) =>
        !state.selection.empty &&
        !editor.isActive('codeBlock') &&
        !editor.isActive('embed') &&
        !editor.view.composing
      }
      style={{ zIndex: 40 }}
    >
      <SelectionTools editor={editor} ask={ask} />
    </BubbleMenu>
  )
})

function SelectionTools({ editor, ask }: SelectionMenuProps) {
  const t = useTranslations('fields.richText')
  const tools = useInlineTools(editor, ask)
  const { image } = useSelectionState(editor)
  if (image)
    return (
      <div className={classes.bubble}>
        <button type="button" className={classes.bubbleText} onClick={() => ask('image')}>
          <IconPencil size={15} aria-hidden="true" />
          {t('image.edit')}
        </button>
        <button type="button" className={classes.bubbleText} onClick={() => ask('replacement')}>
          <IconReplace size={15} aria-hidden="true" />
          {t('image.replace')}
        </button>
      </div>
    )
  return (
    <div className={classes.bubble} role="toolbar" aria-label={t('selectionTools')} onKeyDown={moveFocus}>
      {tools.map((tool) => (
        <ToolButton key={tool.id} tool={tool} />
      ))}
    </div>
  )
}
