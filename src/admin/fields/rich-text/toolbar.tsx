import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBlockquote,
  IconBold,
  IconCode,
  IconColumnInsertRight,
  IconColumnRemove,
  IconH2,
  IconH3,
  IconH4,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconPlus,
  IconRowInsertBottom,
  IconRowRemove,
  IconSourceCode,
  IconStrikethrough,
  IconTableMinus,
  IconTypography,
  IconUnderline,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import type { ComponentType, KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { BlockCommand } from './blocks.ts'
import classes from './rich-text.module.css'

interface ToolbarProps {
  editor: Editor
  commands: readonly BlockCommand[]
  onLink: () => void
  onImage: () => void
  onSource: () => void
}

interface Tool {
  id: ToolId
  icon: ComponentType<{ size: number }>
  active?: boolean
  disabled?: boolean
  run: () => void
}

type ToolId =
  | 'undo'
  | 'redo'
  | 'heading2'
  | 'heading3'
  | 'heading4'
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'code'
  | 'link'
  | 'bulletList'
  | 'orderedList'
  | 'blockquote'
  | 'image'
  | 'left'
  | 'center'
  | 'right'
  | 'source'
  | 'addRow'
  | 'removeRow'
  | 'addColumn'
  | 'removeColumn'
  | 'removeTable'

/** The tools above the text. One stop for Tab; arrows go from tool to tool. */
export function Toolbar({ editor, commands, onLink, onImage, onSource }: ToolbarProps) {
  const t = useTranslations('fields.richText')
  const state = useEditorState({ editor, selector: ({ editor }) => stateOf(editor) })
  const chain = () => editor.chain().focus()

  const groups: Tool[][] = [
    [
      { id: 'undo', icon: IconArrowBackUp, disabled: !state.canUndo, run: () => chain().undo().run() },
      { id: 'redo', icon: IconArrowForwardUp, disabled: !state.canRedo, run: () => chain().redo().run() },
    ],
    ([2, 3, 4] as const).map((level) => ({
      id: `heading${level}` as const,
      icon: { 2: IconH2, 3: IconH3, 4: IconH4 }[level],
      active: state.heading === level,
      run: () => chain().toggleHeading({ level }).run(),
    })),
    [
      { id: 'bold', icon: IconBold, active: state.bold, run: () => chain().toggleBold().run() },
      { id: 'italic', icon: IconItalic, active: state.italic, run: () => chain().toggleItalic().run() },
      {
        id: 'underline',
        icon: IconUnderline,
        active: state.underline,
        run: () => chain().toggleUnderline().run(),
      },
      {
        id: 'strike',
        icon: IconStrikethrough,
        active: state.strike,
        run: () => chain().toggleStrike().run(),
      },
      { id: 'code', icon: IconCode, active: state.code, run: () => chain().toggleCode().run() },
      { id: 'link', icon: IconLink, active: state.link, run: onLink },
    ],
    [
      {
        id: 'bulletList',
        icon: IconList,
        active: state.bulletList,
        run: () => chain().toggleBulletList().run(),
      },
      {
        id: 'orderedList',
        icon: IconListNumbers,
        active: state.orderedList,
        run: () => chain().toggleOrderedList().run(),
      },
      {
        id: 'blockquote',
        icon: IconBlockquote,
        active: state.blockquote,
        run: () => chain().toggleBlockquote().run(),
      },
      { id: 'image', icon: IconPhoto, run: onImage },
    ],
    (['left', 'center', 'right'] as const).map((alignment) => ({
      id: alignment,
      icon: { left: IconAlignLeft, center: IconAlignCenter, right: IconAlignRight }[alignment],
      active: state.align === alignment,
      run: () =>
        alignment === 'left' ? chain().unsetTextAlign().run() : chain().setTextAlign(alignment).run(),
    })),
    state.table
      ? [
          { id: 'addRow', icon: IconRowInsertBottom, run: () => chain().addRowAfter().run() },
          { id: 'removeRow', icon: IconRowRemove, run: () => chain().deleteRow().run() },
          { id: 'addColumn', icon: IconColumnInsertRight, run: () => chain().addColumnAfter().run() },
          { id: 'removeColumn', icon: IconColumnRemove, run: () => chain().deleteColumn().run() },
          { id: 'removeTable', icon: IconTableMinus, run: () => chain().deleteTable().run() },
        ]
      : [],
    [{ id: 'source', icon: IconSourceCode, run: onSource }],
  ]

  return (
    <div className={classes.toolbar} role="toolbar" aria-label={t('toolbar')} onKeyDown={moveFocus}>
      <Menu position="bottom-start">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={30} aria-label={t('insert')} data-tool tabIndex={0}>
            <IconPlus size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {commands.map((command) => (
            <Menu.Item key={command.id} onClick={() => setTimeout(() => command.run(editor), 0)}>
              {t(`blocks.${command.id}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {groups
        .filter((group) => group.length > 0)
        .map((group) => (
          <span key={group[0]?.id} className={classes.tools}>
            {group.map((tool) => (
              <ToolButton key={tool.id} tool={tool} label={t(`tools.${tool.id}`)} />
            ))}
          </span>
        ))}
    </div>
  )
}

function ToolButton({ tool, label }: { tool: Tool; label: string }) {
  const Icon = tool.icon
  return (
    <Tooltip label={label}>
      <ActionIcon
        data-tool
        tabIndex={-1}
        variant={tool.active ? 'light' : 'subtle'}
        color={tool.active ? 'mizu' : 'gray'}
        size={30}
        aria-label={label}
        {...(tool.active === undefined ? {} : { 'aria-pressed': tool.active })}
        {...(tool.disabled ? { 'data-disabled': true, 'aria-disabled': true } : {})}
        // The selection in the text stays as it is.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          if (!tool.disabled) tool.run()
        }}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
}

/** The few tools that appear at selected text. */
export function BubbleTools({ editor, onLink }: { editor: Editor; onLink: () => void }) {
  const t = useTranslations('fields.richText')
  const state = useEditorState({ editor, selector: ({ editor }) => stateOf(editor) })
  const chain = () => editor.chain().focus()
  const tools: Tool[] = [
    { id: 'bold', icon: IconBold, active: state.bold, run: () => chain().toggleBold().run() },
    { id: 'italic', icon: IconItalic, active: state.italic, run: () => chain().toggleItalic().run() },
    {
      id: 'underline',
      icon: IconUnderline,
      active: state.underline,
      run: () => chain().toggleUnderline().run(),
    },
    { id: 'strike', icon: IconStrikethrough, active: state.strike, run: () => chain().toggleStrike().run() },
    { id: 'code', icon: IconCode, active: state.code, run: () => chain().toggleCode().run() },
    {
      id: 'heading2',
      icon: IconTypography,
      active: state.heading === 2,
      run: () => chain().toggleHeading({ level: 2 }).run(),
    },
    { id: 'link', icon: IconLink, active: state.link, run: onLink },
  ]
  return (
    <div className={classes.bubble} role="toolbar" aria-label={t('selectionTools')} onKeyDown={moveFocus}>
      {tools.map((tool) => (
        <ToolButton key={tool.id} tool={tool} label={t(`tools.${tool.id}`)} />
      ))}
    </div>
  )
}

function stateOf(editor: Editor) {
  const heading = editor.isActive('heading') ? (editor.getAttributes('heading').level as number) : null
  return {
    heading,
    canUndo: editor.can().undo(),
    canRedo: editor.can().redo(),
    bold: editor.isActive('bold'),
    italic: editor.isActive('italic'),
    underline: editor.isActive('underline'),
    strike: editor.isActive('strike'),
    code: editor.isActive('code'),
    link: editor.isActive('link'),
    bulletList: editor.isActive('bulletList'),
    orderedList: editor.isActive('orderedList'),
    blockquote: editor.isActive('blockquote'),
    table: editor.isActive('table'),
    align: editor.isActive({ textAlign: 'center' })
      ? 'center'
      : editor.isActive({ textAlign: 'right' })
        ? 'right'
        : 'left',
  } as const
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 }
  const step = steps[event.key]
  if (step === undefined && event.key !== 'Home' && event.key !== 'End') return
  const tools = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-tool]')]
  const at = tools.indexOf(event.target as HTMLElement)
  if (at < 0) return
  event.preventDefault()
  const next =
    step === undefined
      ? event.key === 'Home'
        ? 0
        : tools.length - 1
      : (at + step + tools.length) % tools.length
  for (const tool of tools) tool.tabIndex = -1
  const target = tools[next]
  if (!target) return
  target.tabIndex = 0
  target.focus()
}
