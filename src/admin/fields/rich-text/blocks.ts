import {
  IconAsterisk,
  IconBlockquote,
  IconBrandYoutube,
  IconCode,
  IconH2,
  IconH3,
  IconH4,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconPhotoPlus,
  IconPilcrow,
  IconSeparator,
  IconTable,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { createTable } from '@tiptap/extension-table'
import type { Node } from '@tiptap/pm/model'
import type { ComponentType } from 'react'
import type { EditorDialog } from './editor-dialogs.tsx'
import { toggleFootnote } from './footnotes.ts'
import { IconDotsAbove, IconReading } from './icons.tsx'
import { insertBlocks } from './insert-blocks.ts'

/**
 * A command of the slash menu and the toolbar. It inserts a block or an inline element, or converts the selection.
 * `words` are search terms in addition to the label.
 */
export interface BlockCommand {
  id:
    | 'paragraph'
    | 'heading2'
    | 'heading3'
    | 'heading4'
    | 'bulletList'
    | 'orderedList'
    | 'blockquote'
    | 'codeBlock'
    | 'horizontalRule'
    | 'table'
    | 'image'
    | 'imageAddress'
    | 'embed'
    | 'footnote'
    | 'ruby'
    | 'emphasisDots'
  icon: ComponentType<{ size: number }>
  words: string
  run: (editor: Editor) => void
}

/** Inserts a block after the selection. */
function insert(editor: Editor, block: Node, caret: 'behind' | 'inside'): void {
  const at = editor.state.selection.to
  editor.commands.focus()
  insertBlocks(editor, [block], { from: at, to: at }, caret)
}

/** Returns the block commands. `ask` opens a dialog of the editor. */
export function blockCommands(ask: (dialog: EditorDialog) => void): BlockCommand[] {
  return [
    {
      id: 'paragraph',
      icon: IconPilcrow,
      words: 'text paragraph honbun danraku ほんぶん だんらく',
      run: (editor) => editor.chain().focus().setParagraph().run(),
    },
    {
      id: 'heading2',
      icon: IconH2,
      words: 'h2 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 2 }).run(),
    },
    {
      id: 'heading3',
      icon: IconH3,
      words: 'h3 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 3 }).run(),
    },
    {
      id: 'heading4',
      icon: IconH4,
      words: 'h4 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 4 }).run(),
    },
    {
      id: 'bulletList',
      icon: IconList,
      words: 'ul list kajougaki risuto かじょうがき リスト',
      run: (editor) => editor.chain().focus().toggleBulletList().run(),
    },
    {
      id: 'orderedList',
      icon: IconListNumbers,
      words: 'ol number list bangou risuto ばんごう リスト',
      run: (editor) => editor.chain().focus().toggleOrderedList().run(),
    },
    {
      id: 'blockquote',
      icon: IconBlockquote,
      words: 'quote inyou いんよう',
      run: (editor) => editor.chain().focus().toggleBlockquote().run(),
    },
    {
      id: 'codeBlock',
      icon: IconCode,
      words: 'code pre koodo こーど コード',
      run: (editor) => editor.chain().focus().toggleCodeBlock().run(),
    },
    {
      id: 'horizontalRule',
      icon: IconSeparator,
      words: 'hr line kugiri sen くぎり せん',
      run: (editor) => insert(editor, editor.schema.node('horizontalRule'), 'behind'),
    },
    {
      id: 'table',
      icon: IconTable,
      words: 'table hyou ひょう',
      run: (editor) => insert(editor, createTable(editor.schema, 3, 3, true), 'inside'),
    },
    {
      id: 'image',
      icon: IconPhoto,
      words: 'image picture media gazou がぞう しゃしん メディア',
      run: () => ask('pictures'),
    },
    { id: 'imageAddress', icon: IconPhotoPlus, words: 'url image gazou がぞう', run: () => ask('image') },
    {
      id: 'embed',
      icon: IconBrandYoutube,
      words: 'embed video youtube tweet iframe umekomi douga うめこみ どうが 動画',
      run: () => ask('embed'),
    },
    {
      id: 'footnote',
      icon: IconAsterisk,
      words: 'footnote note kyakuchuu chuu きゃくちゅう ちゅう',
      run: (editor) => toggleFootnote(editor),
    },
    {
      id: 'ruby',
      icon: IconReading,
      words: 'ruby furigana rubi るび ルビ ふりがな フリガナ よみ',
      run: () => ask('ruby'),
    },
    {
      id: 'emphasisDots',
      icon: IconDotsAbove,
      words: 'dots kenten bouten けんてん ぼうてん 傍点',
      run: (editor) => editor.chain().focus().toggleMark('emphasisDots').run(),
    },
  ]
}
