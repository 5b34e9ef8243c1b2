import { Editor } from '@tiptap/core'
import { expect, it } from 'vitest'
import { richTextExtensions } from './extensions.ts'

function open(content: string): Editor {
  const editor = new Editor({ extensions: richTextExtensions(), content })
  editor.commands.focus('end')
  return editor
}

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
  // Japanese text, punctuation, spaces and emoji after a URL are not part of it.
  ...[
    'をご覧',
    'ヲ',
    'ｦ',
    '参照',
    '々',
    'ー',
    '。',
    '、',
    '）',
    '」',
    '！',
    '…',
    '（池）',
    '　',
    '🐸',
  ].flatMap((after) =>
    ['https://example.com', 'https://example.com/', 'https://example.com/a?b=1'].map(
      (url): [string, string] => [`${url}${after} `, `<p>${link(url)}${after} </p>`],
    ),
  ),
  [
    'https://example.com/を見て、https://example.com/b。\n',
    `<p>${link('https://example.com/')}を見て、${link('https://example.com/b')}。</p><p></p>`,
  ],
  // Japanese between the delimiters of a URL is part of it, and so are other scripts and international host names.
  // `https://` followed only by Japanese is not a URL.
  ['https://example.com/記事/1を見て ', `<p>${link('https://example.com/記事/1')}を見て </p>`],
  ['https://日本語.jp/a ', `<p>${link('https://日本語.jp/a')} </p>`],
  ['https://www.日本語.jp ', `<p>${link('https://www.日本語.jp')} </p>`],
  ['https://example.com/Zürich ', `<p>${link('https://example.com/Zürich')} </p>`],
  ['https://詳しくは ', '<p>https://詳しくは </p>'],
])('the editor links complete https URLs in typed text, but not in Markdown images: %j', (typed, html) => {
  const editor = open('')
  type(editor, typed)
  expect(editor.getHTML()).toBe(html)
  editor.destroy()
})

it('the editor does not link text typed after a URL, and keeps a removed link removed during typing', () => {
  const editor = open('<p></p>')
  type(editor, 'https://example.com あ')
  expect(editor.getHTML()).toBe(`<p>${link('https://example.com')} あ</p>`)
  editor.commands.setTextSelection({ from: 1, to: 20 })
  editor.chain().unsetMark('link').focus('end').run()
  type(editor, 'い')
  expect(editor.getHTML()).toBe('<p>https://example.com あい</p>')
  editor.destroy()
})

it('a paste converts URLs in text to links, and links selected text to a pasted URL', () => {
  const editor = open('<p>池</p>')
  editor.view.pasteText('写真はhttps://example.com/a.png、地図は https://example.com/m。')
  expect(editor.getHTML()).toBe(
    `<p>池写真は${link('https://example.com/a.png')}、地図は ${link('https://example.com/m')}。</p>`,
  )
  editor.commands.setContent('<p></p>')
  editor.view.pasteText('詳しくはhttps://example.com/をご覧ください。')
  expect(editor.getHTML()).toBe(`<p>詳しくは${link('https://example.com/')}をご覧ください。</p>`)
  editor.commands.setContent('<p>池</p>')
  editor.commands.selectAll()
  editor.view.pasteText('https://example.com/pond')
  expect(editor.getHTML()).toBe('<p><a href="https://example.com/pond">池</a></p>')
  editor.destroy()
})

// The test would take minutes if the search for the start of the word were repeated for every character.
it('typing links a URL after 300,000 characters without spaces', () => {
  const editor = open(`<p>${'a'.repeat(300_000)} https://example.com/a</p>`)
  type(editor, ' ')
  expect(editor.getHTML()).toContain(link('https://example.com/a'))
  type(editor, ' ')
  expect(editor.getText()).toMatch(/ {2}$/)
  editor.destroy()
})

it('the editor removes a `javascript:` link, and keeps a link to a path', () => {
  const editor = open('<p><a href="java\nscript:alert(1)">a</a><a href="/b" target="_blank">b</a></p>')
  expect(editor.getHTML()).toBe('<p>a<a href="/b" target="_blank">b</a></p>')
  editor.destroy()
})

/** Types over the selection or at the caret, in the way the browser reports it. */
function press(editor: Editor, keys: string): void {
  for (const key of keys) {
    const { view } = editor
    const { from, to } = view.state.selection
    const insertion = () => view.state.tr.insertText(key, from, to)
    if (!view.someProp('handleTextInput', (handle) => handle(view, from, to, key, insertion)))
      view.dispatch(insertion())
  }
}

it.each([
  ['all of a link', { from: 3, to: 5 }, '<p>池の<a href="/a">ab</a>で<strong>す</strong></p>'],
  ['the end of a link', { from: 4, to: 5 }, '<p>池の<a href="/a">井ab</a>で<strong>す</strong></p>'],
  ['the middle of a paragraph', { from: 2, to: 4 }, '<p>池ab<a href="/a">守</a>で<strong>す</strong></p>'],
  ['a link and more', { from: 3, to: 6 }, '<p>池のab<strong>す</strong></p>'],
  [
    'an empty selection after a link',
    { from: 5, to: 5 },
    '<p>池の<a href="/a">井守</a>abで<strong>す</strong></p>',
  ],
])(
  'typed text stays in a link only if the link covers the whole replaced selection: %s',
  (_, selection, html) => {
    const editor = open('<p>池の<a href="/a">井守</a>で<strong>す</strong></p>')
    editor.commands.setTextSelection(selection)
    press(editor, 'ab')
    expect(editor.getHTML()).toBe(html)
    editor.destroy()
  },
)

it('typing does not extend a link after the caret has left the replaced text', () => {
  const editor = open('<p>池の<a href="/a">井守</a></p>')
  editor.commands.setTextSelection({ from: 3, to: 5 })
  press(editor, 'ab')
  editor.commands.setTextSelection(4)
  editor.commands.setTextSelection(5)
  press(editor, 'c')
  expect(editor.getHTML()).toBe('<p>池の<a href="/a">ab</a>c</p>')
  editor.destroy()
})
