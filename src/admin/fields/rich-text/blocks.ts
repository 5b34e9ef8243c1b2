import type { Editor } from '@tiptap/core'
import { createTable } from '@tiptap/extension-table'
import type { Node } from '@tiptap/pm/model'
import type { EditorDialog } from './editor-dialogs.tsx'
import { toggleFootnote } from './footnotes.ts'
import { insertBlocks } from './insert-blocks.ts'

/** What the slash menu and the toolbar can insert or turn a block into. Words find an item beside its label. */
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
  words: string
  run: (editor: Editor) => void
}

/** Behind the selection, which stays as it is. */
function insert(editor: Editor, block: Node, caret: 'behind' | 'inside'): void {
  const at = editor.state.selection.to
  editor.commands.focus()
  insertBlocks(editor, [block], { from: at, to: at }, caret)
}

/** `ask` opens a window of the editor. */
export function blockCommands(ask: (dialog: EditorDialog) => void): BlockCommand[] {
  return [
    {
      id: 'paragraph',
      words: 'text paragraph honbun danraku ほんぶん だんらく',
      run: (editor) => editor.chain().focus().setParagraph().run(),
    },
    {
      id: 'heading2',
      words: 'h2 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 2 }).run(),
    },
    {
      id: 'heading3',
      words: 'h3 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 3 }).run(),
    },
    {
      id: 'heading4',
      words: 'h4 heading midashi みだし',
      run: (editor) => editor.chain().focus().setHeading({ level: 4 }).run(),
    },
    {
      id: 'bulletList',
      words: 'ul list kajougaki risuto かじょうがき リスト',
      run: (editor) => editor.chain().focus().toggleBulletList().run(),
    },
    {
      id: 'orderedList',
      words: 'ol number list bangou risuto ばんごう リスト',
      run: (editor) => editor.chain().focus().toggleOrderedList().run(),
    },
    {
      id: 'blockquote',
      words: 'quote inyou いんよう',
      run: (editor) => editor.chain().focus().toggleBlockquote().run(),
    },
    {
      id: 'codeBlock',
      words: 'code pre koodo こーど コード',
      run: (editor) => editor.chain().focus().toggleCodeBlock().run(),
    },
    {
      id: 'horizontalRule',
      words: 'hr line kugiri sen くぎり せん',
      run: (editor) => insert(editor, editor.schema.node('horizontalRule'), 'behind'),
    },
    {
      id: 'table',
      words: 'table hyou ひょう',
      run: (editor) => insert(editor, createTable(editor.schema, 3, 3, true), 'inside'),
    },
    { id: 'image', words: 'image picture media gazou がぞう しゃしん メディア', run: () => ask('pictures') },
    { id: 'imageAddress', words: 'url image gazou がぞう', run: () => ask('image') },
    {
      id: 'embed',
      words: 'embed video youtube tweet iframe umekomi douga うめこみ どうが 動画',
      run: () => ask('embed'),
    },
    {
      id: 'footnote',
      words: 'footnote note kyakuchuu chuu きゃくちゅう ちゅう',
      run: (editor) => toggleFootnote(editor),
    },
  ]
}
