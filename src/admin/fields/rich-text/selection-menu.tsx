import { IconPencil } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { BubbleMenu } from '@tiptap/react/menus'
import { memo } from 'react'
import { useTranslations } from 'use-intl'
import { moveFocus, ToolButton } from '../format-bar.tsx'
import type { EditorDialog } from './editor-dialogs.tsx'
import classes from './rich-text.module.css'
import { useInlineTools, useSelectionState } from './tools.ts'

interface SelectionMenuProps {
  editor: Editor
  ask: (dialog: EditorDialog) => void
}

/** The few tools that appear at what is selected. Not drawn again with every key. */
export const SelectionMenu = memo(function SelectionMenu({ editor, ask }: SelectionMenuProps) {
  return (
    <BubbleMenu
      editor={editor}
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

/** Those for text, or for a picture. */
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
