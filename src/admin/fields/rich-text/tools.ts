import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconAsterisk,
  IconBlockquote,
  IconBold,
  IconCode,
  IconH2,
  IconH3,
  IconH4,
  IconItalic,
  IconKeyboard,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconSourceCode,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { redoDepth, undoDepth } from '@tiptap/pm/history'
import type { EditorState } from '@tiptap/pm/state'
import { useEditorState } from '@tiptap/react'
import { useTranslations } from 'use-intl'
import type { BarGroup, BarTool } from '../format-bar.tsx'
import type { EditorDialog } from './editor-dialogs.tsx'
import { toggleFootnote } from './footnotes.ts'
import { IconDotsAbove, IconReading } from './icons.tsx'
import { toolKeys } from './tool-keys.ts'

type Tool = Omit<BarTool, 'id' | 'label'> & { id: ToolId }

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
  | 'emphasisDots'
  | 'ruby'
  | 'footnote'
  | 'shortcuts'
  | 'bulletList'
  | 'orderedList'
  | 'blockquote'
  | 'image'
  | 'left'
  | 'center'
  | 'right'
  | 'source'

interface Handlers {
  ask: (dialog: EditorDialog) => void
  onSource: () => void
}

/** Tools that only Japanese texts need. */
const japanese = new Set<string>(['emphasisDots', 'ruby'] satisfies ToolId[])

/** Returns the groups of the format bar in order, with their state at the selection. */
export function useToolGroups(editor: Editor, { ask, onSource }: Handlers): BarGroup[] {
  const state = useSelectionState(editor)
  const inline = useInlineTools(editor, ask)
  const named = useNames()
  const chain = () => editor.chain().focus()
  return [
    {
      givesWay: 1,
      tools: named([
        { id: 'undo', icon: IconArrowBackUp, disabled: !state.canUndo, run: () => chain().undo().run() },
        { id: 'redo', icon: IconArrowForwardUp, disabled: !state.canRedo, run: () => chain().redo().run() },
      ]),
    },
    {
      givesWay: 3,
      tools: named(
        ([2, 3, 4] as const).map((level) => ({
          id: `heading${level}` as const,
          icon: { 2: IconH2, 3: IconH3, 4: IconH4 }[level],
          active: state.heading === level,
          run: () => chain().toggleHeading({ level }).run(),
        })),
      ),
    },
    { givesWay: 0, tools: inline.filter(({ id }) => !japanese.has(id)) },
    {
      givesWay: 4,
      tools: [
        ...inline.filter(({ id }) => japanese.has(id)),
        ...named([
          { id: 'footnote', icon: IconAsterisk, active: state.footnote, run: () => toggleFootnote(editor) },
        ]),
      ],
    },
    {
      givesWay: 2,
      tools: named([
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
        {
          id: 'image',
          icon: IconPhoto,
          active: state.image,
          run: () => ask(state.image ? 'image' : 'pictures'),
        },
      ]),
    },
    {
      givesWay: 5,
      tools: named(
        (['left', 'center', 'right'] as const).map((alignment) => ({
          id: alignment,
          icon: { left: IconAlignLeft, center: IconAlignCenter, right: IconAlignRight }[alignment],
          active: state.align === alignment,
          usual: alignment === 'left',
          run: () =>
            alignment === 'left' ? chain().unsetTextAlign().run() : chain().setTextAlign(alignment).run(),
        })),
      ),
    },
    { givesWay: 3, tools: named([{ id: 'source', icon: IconSourceCode, run: onSource }]) },
    { givesWay: 6, tools: named([{ id: 'shortcuts', icon: IconKeyboard, run: () => ask('shortcuts') }]) },
  ]
}

/** Returns the inline tools, which are also shown next to selected text. */
export function useInlineTools(editor: Editor, ask: Handlers['ask']): BarTool[] {
  const state = useSelectionState(editor)
  const named = useNames()
  const chain = () => editor.chain().focus()
  return named([
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
      id: 'emphasisDots',
      icon: IconDotsAbove,
      active: state.emphasisDots,
      run: () => chain().toggleMark('emphasisDots').run(),
    },
    { id: 'ruby', icon: IconReading, active: state.ruby, run: () => ask('ruby') },
    { id: 'link', icon: IconLink, active: state.link, run: () => ask('link') },
  ])
}

/** Returns the formatting state at the selection. */
export function useSelectionState(editor: Editor) {
  return useEditorState({ editor, selector: ({ editor }) => selectionState(editor) })
}

/** Cached per editor state, because several components read it on every key press. */
const known = new WeakMap<EditorState, ReturnType<typeof readSelection>>()

function selectionState(editor: Editor) {
  const found = known.get(editor.state) ?? readSelection(editor)
  known.set(editor.state, found)
  return found
}

function readSelection(editor: Editor) {
  return {
    heading: editor.isActive('heading') ? (editor.getAttributes('heading').level as number) : null,
    canUndo: undoDepth(editor.state) > 0,
    canRedo: redoDepth(editor.state) > 0,
    bold: editor.isActive('bold'),
    italic: editor.isActive('italic'),
    underline: editor.isActive('underline'),
    strike: editor.isActive('strike'),
    code: editor.isActive('code'),
    link: editor.isActive('link') || editor.isActive('documentLink'),
    emphasisDots: editor.isActive('emphasisDots'),
    ruby: editor.isActive('ruby'),
    footnote: editor.isActive('footnote') || editor.isActive('footnoteReference'),
    bulletList: editor.isActive('bulletList'),
    orderedList: editor.isActive('orderedList'),
    blockquote: editor.isActive('blockquote'),
    image: editor.isActive('image'),
    table: editor.isActive('table'),
    align: editor.isActive({ textAlign: 'center' })
      ? 'center'
      : editor.isActive({ textAlign: 'right' })
        ? 'right'
        : 'left',
  } as const
}

function useNames() {
  const t = useTranslations('fields.richText.tools')
  return (tools: readonly Tool[]): BarTool[] =>
    tools.map((tool) => {
      const keys = toolKeys[tool.id as keyof typeof toolKeys]
      return { ...tool, label: t(tool.id), ...(keys ? { keys } : {}) }
    })
}
