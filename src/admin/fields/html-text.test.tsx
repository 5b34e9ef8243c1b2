import { describe, expect, it } from 'vitest'
import { readEmbed } from './embed/shown-embed.ts'
import { parsedHtmlToText } from './html-text.ts'

describe('parsedHtmlToText', () => {
  it.each([
    ['<ul><li>東京<ul><li>都庁</li></ul></li></ul>', '東京\n都庁'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 'a\nb'],
    ['<ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby>', '漢字（かんじ）'],
    // HTML as written by hand.
    ['<P>a &copy;<img alt="1 > 0"> &lt;b&gt;<p>c', 'a © <b>\nc'],
    ['', ''],
  ])('converts %j to plain text', (html, text) => expect(parsedHtmlToText(html)).toBe(text))
})

describe('readEmbed', () => {
  it('separates the blocks of the title with a space', () => {
    expect(readEmbed('<blockquote><p>東京</p><p>都庁</p></blockquote>').title).toBe('東京 都庁')
  })
})
