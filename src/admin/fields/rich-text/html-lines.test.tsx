import { expect, it } from 'vitest'
import { diffHtml, htmlLines, withLineEnds, withoutLineEnds } from './html-lines.ts'
import { canonicalHtml } from './html-loss.ts'

const told = (before: string, after: string) =>
  diffHtml(before, after)?.map((line) =>
    line.kind === 'skipped'
      ? `… ${line.count}`
      : `${{ same: ' ', removed: '-', added: '+' }[line.kind]}${line.pieces
          .map(({ text, own }) => (own ? `[${text}]` : text))
          .join('')}`,
  )

it('`htmlLines` starts a line before each opening tag and after each closing tag of a block', () => {
  expect(htmlLines('<p>一<br>二</p><ul><li><p>三</p></li></ul><hr>四')).toEqual([
    '<p>一<br>二</p>',
    '<ul>',
    '<li>',
    '<p>三</p>',
    '</li>',
    '</ul>',
    '<hr>',
    '四',
  ])
})

it('`canonicalHtml` returns equal HTML for two notations of one paragraph', () => {
  expect(canonicalHtml("<p style='text-align:center'>a<br />&quot;")).toBe(
    canonicalHtml('<p style="text-align: center;">a<br>"</p>'),
  )
})

it('`diffHtml` returns removed and added lines with two lines of context', () => {
  const same = (n: number) => Array.from({ length: n }, (_, at) => `<p>同じ${at}</p>`).join('')
  expect(told(`${same(5)}<p class="x">赤</p>${same(4)}`, `${same(5)}<p>赤</p>${same(4)}<p>終</p>`)).toEqual([
    '… 3',
    ' <p>同じ3</p>',
    ' <p>同じ4</p>',
    '-<p[ class="x"]>赤</p>',
    '+<p>赤</p>',
    ' <p>同じ0</p>',
    ' <p>同じ1</p>',
    ' <p>同じ2</p>',
    ' <p>同じ3</p>',
    '+[<p>終</p>]',
  ])
  expect(told('<p>a</p>', '<p>a</p>')).toEqual([' <p>a</p>'])
  expect(told('<div>枠</div>', '')).toEqual(['-[<div>枠</div>]'])
})

it('`withLineEnds` starts a line for each block, and `withoutLineEnds` restores the text', () => {
  const html =
    '<h2>池</h2><ul><li>一</li><li>二<b>三</b></li></ul><hr /><pre>a\n\n<code>b</code></pre><p></p><p>終<br />わり</p>'
  const shown = withLineEnds(html)
  expect(shown.split('\n')).toEqual([
    '<h2>池</h2>',
    '<ul>',
    '<li>一</li>',
    '<li>二<b>三</b></li>',
    '</ul>',
    '<hr />',
    '<pre>a',
    '',
    '<code>b</code></pre>',
    '<p></p>',
    '<p>終<br />わり</p>',
  ])
  expect(withoutLineEnds(shown)).toBe(html)
})
