import { Editor } from '@tiptap/core'
import { expect, it } from 'vitest'
import { richTextExtensions } from './extensions.ts'
import { writtenHtml } from './written-html.ts'

const make = (content: string) => new Editor({ extensions: richTextExtensions(), content })

const text = [
  '<h2>題</h2>',
  '<p>池の<strong>いもり</strong>と<ruby>井守<rt>いもり</rt></ruby></p>',
  '<ul><li><p>一</p><ul><li><p>二</p></li></ul></li></ul>',
  '<table><tbody><tr><td><p>甲</p></td><td><p>乙</p></td></tr></tbody></table>',
  '<blockquote><p>引用</p></blockquote>',
  '<pre><code>let a = 1 &lt; 2</code></pre>',
  '<hr>',
  '<p style="text-align: center"><a href="https://example.com">例</a></p>',
].join('')

it('`writtenHtml` equals `getHTML` before and after changes if no empty paragraph is at the end', () => {
  const editor = make(text)
  expect(writtenHtml(editor)).toBe(editor.getHTML())
  const changes = [
    () => editor.commands.insertContentAt(1, '新しい'),
    () => editor.commands.insertContentAt(editor.state.doc.content.size, '<p>末尾</p>'),
    () => editor.chain().selectAll().toggleBold().run(),
    () => editor.commands.deleteRange({ from: 1, to: 12 }),
    () => editor.commands.undo(),
    () => editor.commands.setContent('<p>別の文</p><p>二つ目</p>'),
  ]
  for (const change of changes) {
    change()
    expect(writtenHtml(editor)).toBe(editor.getHTML())
  }
})

it('`writtenHtml` omits trailing empty paragraphs, and returns an empty text for an empty document', () => {
  expect(writtenHtml(make('<p>文</p><p></p><p></p>'))).toBe('<p>文</p>')
  expect(writtenHtml(make('<p>文</p><p></p><p>文</p>'))).toBe('<p>文</p><p></p><p>文</p>')
  expect(writtenHtml(make('<p></p>'))).toBe('')
})
