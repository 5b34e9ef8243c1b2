import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { htmlToText, textToHtml } from './html-text.ts'

describe('htmlToText', () => {
  it.each([
    ['<p>a</p><p>b</p>', 'a\nb'],
    ['<ul><li>a</li><li>b</li></ul>', 'a\nb'],
    ['a<br>b<br />c', 'a\nb\nc'],
    ['<strong>太</strong>字', '太字'],
    ['a &amp;lt; b &#x3042;&#12356; &copy; &quot;', 'a &lt; b あい &copy; "'],
    ['&constructor; &toString; &#0; &#xd800; &#1114112;', '&constructor; &toString;'],
    ['<img alt="a &gt; b" src="x">c', 'c'],
    ['<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を', '漢字（かんじ）を'],
    [
      '<p>文<sup><a href="#fn-a" id="fnref-a" role="doc-noteref">1</a></sup>。</p><section role="doc-endnotes"><ol><li id="fn-a"><span>注</span><a href="#fnref-a" role="doc-backlink">↩</a></li></ol></section>',
      '文[1]。\n\n[1] 注',
    ],
  ])('%s', (html, text) => expect(htmlToText(html)).toBe(text))

  it('is linear in the length', () => {
    const reading = () => {
      htmlToText('<'.repeat(500_000))
      htmlToText('&'.repeat(200_000))
      htmlToText('<p>'.repeat(100_000))
      htmlToText('<a role="doc-noteref" <a '.repeat(20_000))
      htmlToText('<rt>'.repeat(100_000))
    }
    expect(cpuTime(reading)).toBeLessThan(2_000)
  })
})

describe('textToHtml', () => {
  it('comes back as the same text', () => {
    for (const text of ['a', 'a\nb', 'a < b & c > d', '&lt;', '<script>'])
      expect(htmlToText(textToHtml(text))).toBe(text)
    expect(textToHtml('')).toBe('')
    expect(textToHtml('<script>')).toBe('<p>&lt;script&gt;</p>')
  })
})
