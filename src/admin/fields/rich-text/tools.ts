import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBlockquote,
  IconBold,
  IconCode,
  IconH2,
  IconH3,
  IconH4,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconSourceCode,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { useTranslations } from 'use-intl'
import type { BarGroup, BarTool } from '../format-bar.tsx'

/** A tool without its name. */
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
  | 'bulletList'
  | 'orderedList'
  | 'blockquote'
  | 'image'
  | 'left'
  | 'center'
  | 'right'
  | 'source'

interface Handlers {
  onLink: () => void
  onImage: () => void
  onSource: () => void
}

/** All tools of the format bar in their order, with their state at the selection. */
export function useToolGroups(editor: Editor, { onLink, onImage, onSource }: Handlers): BarGroup[] {
  const state = useSelectionState(editor)
  const inline = useInlineTools(editor, onLink)
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
      givesWay: 2,
      tools: named(
        ([2, 3, 4] as const).map((level) => ({
          id: `heading${level}` as const,
          icon: { 2: IconH2, 3: IconH3, 4: IconH4 }[level],
          active: state.heading === level,
          run: () => chain().toggleHeading({ level }).run(),
        })),
      ),
    },
    { givesWay: 0, tools: inline },
    {
      givesWay: 3,
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
        { id: 'image', icon: IconPhoto, active: state.image, run: onImage },
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
    { givesWay: 4, tools: named([{ id: 'source', icon: IconSourceCode, run: onSource }]) },
  ]
}

/** The tools for a few words, which also appear beside selected text. */
export function useInlineTools(editor: Editor, onLink: () => void): BarTool[] {
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
    { id: 'link', icon: IconLink, active: state.link, run: onLink },
  ])
}

/** What is true where the selection is. */
export function useSelectionState(editor: Editor) {
  return useEditorState({
    editor,
    selector: ({ editor }) =>
      ({
        heading: editor.isActive('heading') ? (editor.getAttributes('heading').level as number) : null,
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
        image: editor.isActive('image'),
        table: editor.isActive('table'),
        align: editor.isActive({ textAlign: 'center' })
          ? 'center'
          : editor.isActive({ textAlign: 'right' })
            ? 'right'
            : 'left',
      }) as const,
  })
}

function useNames() {
  const t = useTranslations('fields.richText.tools')
  return (tools: readonly Tool[]): BarTool[] => tools.map((tool) => ({ ...tool, label: t(tool.id) }))
}
