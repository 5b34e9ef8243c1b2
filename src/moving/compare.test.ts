import { expect, it } from 'vitest'
import { createAssetFinder } from '#archive/asset-urls.ts'
import { type Comparing, compare } from './compare.ts'

const film = 'https://demo.assets.newt.so/v1/0123456789abcdef01234567/v.mp4'
const here = 'http://127.0.0.1:3000/acme.assets/v1/0123456789abcdef01234567/v.mp4'
const comparing: Comparing = {
  finder: createAssetFinder({ assetHosts: [] }),
  assetIds: new Map([[film, '0123456789abcdef01234567']]),
  unpublished: new Set(),
  isRendered: (path) => path === 'markdown',
}
const explained = (one: unknown, other: unknown) =>
  compare(one, other, comparing).map(({ path, explanation }) => `${path} ${explanation}`)
const html = (one: string, other: string) => explained({ body: one }, { body: other })

const quill =
  '<ul><li>一</li><li class="ql-indent-1">二</li></ul><p class="ql-align-center">中</p><pre class="ql-syntax" spellcheck="false">a\n</pre>'
const nested =
  '<ul><li>一<ul><li>二</li></ul></li></ul><p style="text-align:center">中</p><pre class="ql-syntax">a\n</pre>'

it.each([
  [
    'another notation of the same HTML',
    '<p>a<br>b &mdash; &copy;&emsp;&#12354;</p>',
    '<p>a<br />b — ©\u2003あ</p>',
    'html',
  ],
  [
    'elements without end tags',
    '<ul><li>a<li>b</ul><p>c<p>d',
    '<ul><li>a</li><li>b</li></ul><p>c</p><p>d</p>',
    'html',
  ],
  ['lists and alignment of Quill', quill, nested, 'quill'],
  [
    'markup that sites may not receive',
    '<p align="center"><font>a</font><script>x()</script></p>',
    '<p>a</p>',
    'removed',
  ],
  [
    'a video that was imported',
    `<video controls src="${film}"></video>`,
    `<video controls src="${here}"></video>`,
    'address',
  ],
  [
    'the alignment of cells as a style',
    '<table><tr><th align="right">a</th><td ALIGN=center style="color:red">b</td></tr></table>',
    '<table><tr><th style="text-align:right">a</th><td style="text-align:center;color:red">b</td></tr></table>',
    'html',
  ],
  [
    'entities without a semicolon, declarations and end tags without a start tag',
    '<!DOCTYPE html><p>&copy 2024 &amp;lt &notin;<?php x ?></p>a</p>',
    '<p>© 2024 &amp;lt ∉</p>a<p></p>',
    'html',
  ],
  [
    'rows with a last cell without an end tag',
    '<table><tr><td>a<tr><th>b</table>',
    '<table><tr><td>a</td></tr><tr><th>b</th></tr></table>',
    'html',
  ],
  ['an entity that was decoded twice', '<p>&amp;copy; a</p>', '<p>© a</p>', null],
  ['a blank text', '<p></p>', '', 'nothing'],
  ['blank lines', '<p><br></p>\n<P> &nbsp; </P>', '', 'nothing'],
  [
    'another alignment of a cell',
    '<table><tr><td align="right">a</td></tr></table>',
    '<table><tr><td style="text-align:left">a</td></tr></table>',
    null,
  ],
  [
    'a lost alignment of a cell',
    '<table><tr><td align="right">a</td></tr></table>',
    '<table><tr><td>a</td></tr></table>',
    null,
  ],
  ['a lost paragraph', '<p>a</p><p>b</p>', '<p>a</p>', null],
  ['a lost blank line', '<p>a</p><p></p>', '<p>a</p>', null],
  ['a lost picture without alternative text', '<p><img src="https://a.example/b"></p>', '', null],
  ['a lost horizontal line', '<hr>', '', null],
  ['flat lists', quill, nested.replace(/<ul><li>二<\/li><\/ul><\/li>/, '</li><li>二</li>'), null],
  ['lost alignment', quill, nested.replace(' style="text-align:center"', ''), null],
  ['a lost class', quill, nested.replace(' class="ql-syntax"', ''), null],
  ['a lost anchor', '<h2 id="a">a</h2>&amp;', '<h2>a</h2>&amp;', null],
  ['a lost style', '<p><span style="color:red">a</span></p>', '<p><span>a</span></p>', null],
  ['a lost video', `<p>a</p><video controls src="${film}"></video>`, '<p>a</p>', null],
  [
    'a lost poster',
    '<video src="https://a.example/v" poster="https://a.example/p"></video>',
    '<video src="https://a.example/v"></video>',
    null,
  ],
  ['a lost link', '<p><a href="https://a.example/">a</a></p>', '<p>a</p>', null],
  ['a lost emphasis', '<p><strong>a</strong>&amp;</p>', '<p>a&amp;</p>', null],
  ['a lost text', '<p>a</p>', '', null],
  [
    'the texts of two cells in one cell',
    '<table><tr><td>a</td><td>b</td></tr></table>',
    '<table><tr><td>ab</td></tr></table>',
    null,
  ],
])('compare classifies %s', (_name, one, other, explanation) => {
  expect(html(one, other)).toEqual([`body ${explanation}`])
})

it('compare explains a missing number only if no number field can store it', () => {
  expect(explained({ number: 1e21 }, { number: null })).toEqual(['number leftOut'])
  expect(explained({ number: 1e15 }, { number: null })).toEqual(['number null'])
  expect(explained({ number: 1e21 }, { number: 3 })).toEqual(['number null'])
})

it('compare treats 0 and -0 as equal', () => {
  expect(explained({ number: -0 }, { number: 0 })).toEqual([])
})

it('compare counts removed HTML by kind', () => {
  const [difference] = compare('<p><font>a</font><font color="red">b</font></p>', '<p>ab</p>', comparing)
  expect([...(difference?.removed ?? [])]).toEqual([['<font>', 2]])
})

it('compare explains HTML that was rendered again from Markdown if its structure is similar', () => {
  const one = '<h2 id="題">題</h2><p>文<strong>字</strong></p>\n<ul>\n<li>\n<p>一</p>\n</li>\n</ul>'
  expect(
    explained({ markdown: one }, { markdown: '<h2>題</h2>\n<p>文<b>字</b></p>\n<ul>\n<li>一</li>\n</ul>\n' }),
  ).toEqual(['markdown html'])
  expect(explained({ markdown: one }, { markdown: '<h2>題</h2><p>文字</p><p>一</p>' })).toEqual([
    'markdown null',
  ])
})

it('compare recognises fields that were renamed in the plan', () => {
  const one = { _id: 'x', 日本語: '<p>a<br></p>', sync: '1', parts: [{ キー: 'v', token: 't' }] }
  const other = { _id: 'x', field: '<p>a<br /></p>', sync_: '1', parts: [{ field: 'v', token_: 't' }] }
  const found = compare(one, other, comparing)
  expect(found.filter(({ explanation }) => explanation === null)).toEqual([])
  const renamed = found.filter(({ explanation }) => explanation === 'renamed')
  expect(renamed.map(({ path, actual }) => `${path} ${actual}`)).toEqual([
    '日本語 field',
    'sync sync_',
    'parts.0.キー field',
    'parts.0.token token_',
  ])
  // The user renamed the field, and its value differs.
  expect(explained({ _id: 'x', 値: 'a', b: 'c' }, { _id: 'x', value: 'z', b: 'c' })).toEqual([
    '値 renamed',
    '値 null',
  ])
  expect(explained({ _id: 'x', a: 'a' }, { _id: 'x', b: null })).toEqual(['a null', 'b nothing'])
})

it('compare treats `toString` and `constructor` as ordinary keys, and reports another order of keys', () => {
  expect(explained({ a: 1, toString: 'x', b: 2 }, { a: 1, toString: 'x', b: 2 })).toEqual([])
  expect(explained({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([' (order) null'])
  expect(explained({ constructor: 'x', a: 1 }, { a: 1 })).toEqual(['constructor null'])
})
