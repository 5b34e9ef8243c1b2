import { expect, it } from 'vitest'
import { fromQuill, isFromQuill } from './quill-html.ts'

it.each([
  [
    'indented items to nested lists',
    '<ul><li>一</li><li class="ql-indent-1">二</li><li class="ql-indent-2">三</li><li class="ql-indent-1">四</li><li>五</li></ul>',
    '<ul><li>一<ul><li>二<ul><li>三</li></ul></li><li>四</li></ul></li><li>五</li></ul>',
  ],
  [
    'a bulleted list between two halves of a numbered list',
    '<ol><li>一</li></ol><ul><li class="ql-indent-1">点</li></ul><ol><li>二</li></ol>',
    '<ol><li>一<ul><li>点</li></ul></li><li>二</li></ol>',
  ],
  [
    'two adjacent lists without merging them',
    '<ol><li>一</li></ol><ol><li>別</li><li class="ql-indent-1">甲</li></ol>',
    '<ol><li>一</li></ol><ol><li>別<ol><li>甲</li></ol></li></ol>',
  ],
  [
    'a first item that is already indented',
    '<ul><li class="ql-indent-3">甲</li><li class="ql-indent-1 own">乙</li></ul>',
    '<ul><li style="margin-left:7.5em">甲</li><li class="own" style="margin-left:2.5em">乙</li></ul>',
  ],
  [
    'items whose level above is missing',
    '<ul><li>根</li><li class="ql-indent-3">深</li><li class="ql-indent-4">孫</li><li class="ql-indent-1">浅</li></ul>',
    '<ul><li>根<ul><li style="margin-left:5em">深<ul><li>孫</li></ul></li><li>浅</li></ul></li></ul>',
  ],
  [
    'numbered items with different indents to separate lists',
    '<ol><li class="ql-indent-2">i</li><li>1</li><li class="ql-indent-2">i</li><li class="ql-indent-1">a</li><li>2</li></ol>',
    '<ol><li style="margin-left:5em">i</li></ol><ol><li>1<ol><li style="margin-left:2.5em">i</li></ol><ol><li>a</li></ol></li><li>2</li></ol>',
  ],
  [
    'indents of paragraphs, headings and quotes',
    '<p class="ql-indent-2">段落</p><h2 class="ql-indent-1 own" style="color:red">題</h2><blockquote><p class="ql-indent-9">引用</p></blockquote>',
    '<p style="padding-left:6em">段落</p><h2 class="own" style="padding-left:3em;color:red">題</h2><blockquote><p style="padding-left:27em">引用</p></blockquote>',
  ],
  [
    'items around a list that is already nested',
    '<ul><li class="ql-indent-1">一<ul><li class="ql-indent-3">二</li></ul></li></ul>',
    '<ul><li style="margin-left:2.5em">一<ul><li style="margin-left:5em">二</li></ul></li></ul>',
  ],
  [
    'list kinds of Quill 2',
    '<ol><li data-list="bullet"><span class="ql-ui"></span>点</li><li data-list="ordered" class="ql-indent-1">一</li><li data-list="checked">済</li></ol>',
    '<ul><li>点<ol><li>一</li></ol></li><li><input checked disabled type="checkbox" /> 済</li></ul>',
  ],
  [
    'alignment, next to existing styles',
    '<p class="ql-align-center ql-indent-1" style="color:red">中</p><ul><li class="ql-align-right">右</li></ul>',
    '<p style="text-align:center;padding-left:3em;color:red">中</p><ul><li style="text-align:right">右</li></ul>',
  ],
])('fromQuill converts %s', (_name, html, expected) => {
  expect(isFromQuill(html)).toBe(true)
  expect(fromQuill(html)).toBe(expected)
  expect(fromQuill(expected)).toBe(expected)
})

it('fromQuill keeps nested lists, and removes the indent class of their items', () => {
  const html = '<ul><li>一<ul><li class="ql-indent-1">二</li></ul></li></ul>\n<p>文</p>'
  expect(fromQuill(html)).toBe('<ul><li>一<ul><li>二</li></ul></li></ul>\n<p>文</p>')
})
