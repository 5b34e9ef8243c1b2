import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { htmlToText, textToHtml } from './html-text.ts'

describe('htmlToText', () => {
  it.each([
    ['<p>a</p><p>b</p>', 'a\nb'],
    ['<ul><li>a</li><li>b</li></ul>', 'a\nb'],
    ['a<br>b<br />c', 'a\nb\nc'],
    ['<ul><li>東京<ul><li>都庁</li></ul></li><li>大阪</li></ul>', '東京\n都庁\n大阪'],
    ['<ul>\n  <li><p>a</p>\n  <ol><li><p>b</p></li></ol>\n  </li>\n</ul>\n<p>c</p>', 'a\nb\nc'],
    [
      '<table><caption>表</caption><thead><tr><th>a</th><th scope="col">b</th></tr></thead><tbody><tr><td>c</td><td></td><td><p>d</p></td></tr></tbody></table>e',
      '表\na\nb\nc\nd\ne',
    ],
    ['<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', 'a\nb\nc\nd'],
    ['<figure><img src="x" alt="絵"><figcaption>a</figcaption></figure><p>b</p>', 'a\nb'],
    ['<p>a</p><blockquote>b<p>c</p></blockquote>d', 'a\nb\nc\nd'],
    ['a<details open><summary>b</summary>c<div>d</div></details>e', 'a\nb\nc\nd\ne'],
    ['<p>a</p><p></p><p>b<br></p><p>c</p>', 'a\n\nb\n\nc'],
    ['<p>　a <b>b</b> \n</p> <p>c</p>', 'a b\nc'],
    ['<p>a</p><p>　b</p>', 'a\n　b'],
    ['<pre><code>a\n  b</code></pre>\n<p>c</p>', 'a\n  b\nc'],
    ['<strong>太</strong>字', '太字'],
    ['a &amp;lt; b &#x3042;&#12356; &copy; &quot;', 'a &lt; b あい &copy; "'],
    ['&constructor; &toString; &#0; &#xd800; &#1114112;', '&constructor; &toString;'],
    ['<img alt="a &gt; b" src="x">c', 'c'],
    ['<img alt="a > b" src="x">c < d<!-- e > f -->', 'c < d'],
    ['a<a href="b', 'a'],
    ['<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を', '漢字（かんじ）を'],
    [
      '<p>文<sup><a href="#fn-a" id="fnref-a" role="doc-noteref">1</a></sup>。</p><section role="doc-endnotes"><ol><li id="fn-a"><span>注</span><a href="#fnref-a" role="doc-backlink">↩</a></li></ol></section>',
      '文[1]。\n\n[1] 注',
    ],
    [
      '<section role="doc-endnotes"><hr><ol>\n<li id="fn1"><p>a</p></li>\n<li id="fn2"><p>b</p></li></ol></section>',
      '[1] a\n[2] b',
    ],
  ])('converts %s to text', (html, text) => expect(htmlToText(html)).toBe(text))

  it('reads long hostile HTML in less than two seconds', () => {
    const reading = () => {
      htmlToText('<'.repeat(500_000))
      htmlToText('&'.repeat(200_000))
      htmlToText('<p>'.repeat(100_000))
      htmlToText('<a role="doc-noteref" <a '.repeat(20_000))
      htmlToText('<rt>'.repeat(100_000))
      htmlToText('<li> '.repeat(100_000))
      htmlToText(' <b>'.repeat(100_000))
      htmlToText(`${' '.repeat(500_000)}<!-- `.repeat(2))
      htmlToText('<a "'.repeat(100_000))
    }
    expect(cpuTime(reading)).toBeLessThan(2_000)
  })
})

describe('textToHtml', () => {
  it('returns HTML from which htmlToText restores a line break and special characters', () => {
    for (const text of ['a', 'a\nb', 'a < b & c > d', '&lt;', '<script>'])
      expect(htmlToText(textToHtml(text))).toBe(text)
    expect(textToHtml('')).toBe('')
    expect(textToHtml('<script>')).toBe('<p>&lt;script&gt;</p>')
  })
})
