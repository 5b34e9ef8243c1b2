import { Editor } from '@tiptap/core'
import { expect, it } from 'vitest'
import { richTextExtensions } from './extensions.ts'

function open(content: string): Editor {
  const editor = new Editor({ extensions: richTextExtensions(), content })
  editor.commands.focus('end')
  return editor
}

/** As the keyboard does, one character after the other. */
function type(editor: Editor, text: string): void {
  for (const character of text) {
    if (character === '\n') editor.commands.splitBlock()
    else editor.view.dispatch(editor.state.tr.insertText(character))
  }
}
const link = (address: string) => `<a href="${address}">${address}</a>`

it.each([
  ['見てね https://example.com/池?a=1#b ', `<p>見てね ${link('https://example.com/池?a=1#b')} </p>`],
  ['（https://example.com/a）。 ', `<p>（${link('https://example.com/a')}）。 </p>`],
  ['池はhttps://example.com。\n', `<p>池は${link('https://example.com')}。</p><p></p>`],
  ['https://example.com/a.\n次', `<p>${link('https://example.com/a')}.</p><p>次</p>`],
  ['https://example.com/a\n次', `<p>${link('https://example.com/a')}</p><p>次</p>`],
  ['![池](https://example.com/a.png)\n', '<p>![池](https://example.com/a.png)</p><p></p>'],
  ['javascript:alert(1) ', '<p>javascript:alert(1) </p>'],
])('what is typed as %j is a link where an address ends it', (typed, html) => {
  const editor = open('')
  type(editor, typed)
  expect(editor.getHTML()).toBe(html)
  editor.destroy()
})

it('a link ends with its address, and comes off by one step back', () => {
  const editor = open('<p></p>')
  type(editor, 'https://example.com あ')
  expect(editor.getHTML()).toBe(`<p>${link('https://example.com')} あ</p>`)
  editor.commands.setTextSelection({ from: 1, to: 20 })
  editor.chain().unsetMark('link').focus('end').run()
  type(editor, 'い')
  expect(editor.getHTML()).toBe('<p>https://example.com あい</p>')
  editor.destroy()
})

it('what is pasted has its addresses as links; on a text an address becomes its link', () => {
  const editor = open('<p>池</p>')
  editor.view.pasteText('写真はhttps://example.com/a.png、地図は https://example.com/m。')
  expect(editor.getHTML()).toBe(
    `<p>池写真は${link('https://example.com/a.png')}、地図は ${link('https://example.com/m')}。</p>`,
  )
  editor.commands.setContent('<p>池</p>')
  editor.commands.selectAll()
  editor.view.pasteText('https://example.com/pond')
  expect(editor.getHTML()).toBe('<p><a href="https://example.com/pond">池</a></p>')
  editor.destroy()
})

it('what would run something is no link', () => {
  const editor = open('<p><a href="java\nscript:alert(1)">a</a><a href="/b" target="_blank">b</a></p>')
  expect(editor.getHTML()).toBe('<p>a<a href="/b" target="_blank">b</a></p>')
  editor.destroy()
})
