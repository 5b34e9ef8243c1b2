import { expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { removalsOf } from './html-removals.ts'

const listed = (html: string) => [...removalsOf(html)].map(([kind, times]) => `${kind} ${times}`)

it('removalsOf counts removed elements and attributes by kind', () => {
  expect(
    listed(
      '<!-- <font> --><p class="x" style="color:red;position:fixed" ALIGN=center>a < b</p><p align=\'right\' onclick="a>b">c</p><font color="red">d</font><style>p > a {} <font></style><script>"<font>"</script><h2 id="目次">e</h2>',
    ),
  ).toEqual(['<p style="position"> 1', '<p align> 2', '<p onclick> 1', '<font> 1', '<style> 1', '<script> 1'])
})

it('removalsOf does not count `align` of a table cell if its value can become a style', () => {
  expect(
    listed(
      '<table align="left"><tr align="left"><th align="right">a</th><td align="char">b</td></tr></table>',
    ),
  ).toEqual(['<table align> 1', '<tr align> 1', '<td align> 1'])
})

it('removalsOf does not count the allowed markup of players and embeds, nor the markup of Quill lists', () => {
  expect(
    listed(
      '<video autoplay controls src="https://a.example/v.mp4"><source src="data:x"></video><audio src="http://a.example/a.mp3"></audio>',
    ),
  ).toEqual(['<video autoplay> 1', '<source src> 1'])
  expect(
    listed(
      '<blockquote class="twitter-tweet" data-lang="ja"><p lang="ja">x</p></blockquote><p lang="ja">y</p><script async src="https://platform.twitter.com/widgets.js"></script>',
    ),
  ).toEqual(['<p lang> 1'])
  expect(
    listed(
      '<ol><li data-list="bullet" class="ql-indent-1">a</li></ol><pre class="ql-syntax" spellcheck="false">b</pre>',
    ),
  ).toEqual([])
  expect(listed('<iframe src="javascript:x"></iframe><iframe src="//a.example/"></iframe>')).toEqual([
    '<iframe> 1',
  ])
  const filling =
    '<iframe src="//a.example/" style="position:absolute;top:0;left:0;width:100%;height:100%"></iframe>'
  expect(
    listed(`<div style="position:relative">\n${filling}</div><figure data-embed>${filling}</figure>`),
  ).toEqual(['<iframe style="position"> 1'])
})

it.each([
  ['less-than signs that begin no tag', '< '],
  ['tags without an end', '<a href="'],
  ['open comments', '<!--'],
  ['elements without an end', '<style>'],
  ['elements', '<style></style>'],
  ['quotes in a tag without an end', '<a "x'],
])(
  'removalsOf scans two million characters of %s in less than 20 seconds',
  { tags: ['full'] },
  (_name, piece) => {
    const work = () => removalsOf(piece.repeat(2_000_000 / piece.length))
    expect(cpuTime(work)).toBeLessThan(20_000)
  },
)
