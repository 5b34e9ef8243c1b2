import { Menu } from '@mantine/core'
import { IconPlus, IconTable } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { memo, type Ref } from 'react'
import { useTranslations } from 'use-intl'
import { afterMenu, FormatBar, ToolMenu } from '../format-bar.tsx'
import { FullScreenButton } from '../full-screen.tsx'
import type { BlockCommand } from './blocks.ts'
import type { EditorDialog } from './editor-dialogs.tsx'
import { useSelectionState, useToolGroups } from './tools.ts'

interface ToolbarProps {
  ref: Ref<HTMLDivElement>
  editor: Editor
  commands: readonly BlockCommand[]
  ask: (dialog: EditorDialog) => void
  onSource: () => void
}

/** The toolbar above the text. Memoised, so that it does not render again on every key press. */
export const Toolbar = memo(function Toolbar({ ref, editor, commands, ...handlers }: ToolbarProps) {
  const t = useTranslations('fields.richText')
  const groups = useToolGroups(editor, handlers)
  const { table } = useSelectionState(editor)
  return (
    <FormatBar
      ref={ref}
      label={t('toolbar')}
      groups={groups}
      menus={table ? 2 : 1}
      before={
        <ToolMenu label={t('insert')} icon={IconPlus}>
          {commands.map((command) => (
            <Menu.Item
              key={command.id}
              leftSection={<command.icon size={16} />}
              onClick={() => afterMenu(() => command.run(editor))}
            >
              {t(`blocks.${command.id}`)}
            </Menu.Item>
          ))}
        </ToolMenu>
      }
      behind={table && <TableMenu editor={editor} />}
      end={<FullScreenButton />}
    />
  )
})

const tableTools = {
  addRow: (editor: Editor) => editor.chain().focus().addRowAfter().run(),
  removeRow: (editor: Editor) => editor.chain().focus().deleteRow().run(),
  addColumn: (editor: Editor) => editor.chain().focus().addColumnAfter().run(),
  removeColumn: (editor: Editor) => editor.chain().focus().deleteColumn().run(),
  removeTable: (editor: Editor) => editor.chain().focus().deleteTable().run(),
}
const tableToolNames = Object.keys(tableTools) as (keyof typeof tableTools)[]

function TableMenu({ editor }: { editor: Editor }) {
  const t = useTranslations('fields.richText')
  return (
    <ToolMenu label={t('table')} icon={IconTable} isActive>
      {tableToolNames.map((name) => (
        <Menu.Item key={name} onClick={() => afterMenu(() => tableTools[name](editor))}>
          {t(`tools.${name}`)}
        </Menu.Item>
      ))}
    </ToolMenu>
  )
}
