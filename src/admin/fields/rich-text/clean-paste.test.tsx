import { expect, it } from 'vitest'
import { cleanPastedHtml } from './clean-paste.ts'

const cleaned = (html: string) => cleanPastedHtml(html).html

it('`cleanPastedHtml` converts Google Docs styles to elements, and removes the `<b>` wrapper', () => {
  const html = cleaned(
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.3"><span style="font-size:11pt;font-weight:700;text-decoration:none">重要</span><span style="font-style:italic">です</span><span style="text-decoration:underline">下線</span><span style="text-decoration:line-through">取り消し</span>10m<span style="font-size:0.6em;vertical-align:super">2</span></p></b>',
  )
  expect(html).not.toContain('<b')
  expect(html).not.toContain('docs-internal')
  expect(html).toContain('<span><strong>重要</strong></span>')
  expect(html).toContain('<span><em>です</em></span>')
  expect(html).toContain('<span><u>下線</u></span>')
  expect(html).toContain('<span><s>取り消し</s></span>')
  expect(html).toContain('10m<span><sup>2</sup></span>')
})

it('`cleanPastedHtml` removes the underline of links from Google Docs', () => {
  expect(
    cleaned('<p><a href="https://example.com"><span style="text-decoration:underline">先</span></a></p>'),
  ).toBe('<p><a href="https://example.com"><span>先</span></a></p>')
})

it('`cleanPastedHtml` keeps blank lines between paragraphs, and line breaks inside text', () => {
  expect(cleaned('<p>一</p><br><p>二</p><br class="Apple-interchange-newline">')).toBe(
    '<p>一</p><p></p><p>二</p>',
  )
  expect(cleaned('<p>一<br>二</p>')).toBe('<p>一<br>二</p>')
  expect(cleaned('一<br>二<p>三</p>')).toBe('一<br>二<p>三</p>')
})

it("`cleanPastedHtml` converts list paragraphs from Word to lists, and removes Word's classes", () => {
  const html = cleaned(
    '<style>p.MsoNormal{margin:0}</style><p class="MsoListParagraphCxSpFirst" style="mso-list:l0"><span style="mso-list:Ignore">·<span> </span></span>一つ目</p><p class="MsoListParagraphCxSpLast" style="mso-list:l0"><span style="mso-list:Ignore">·</span>二つ目</p><p class="MsoNormal" style="margin:0">本文<o:p></o:p></p>',
  )
  expect(html).toContain('<ul><li><p>一つ目</p></li><li><p>二つ目</p></li></ul>')
  expect(html).toContain('<p>本文</p>')
  expect(html).not.toContain('Mso')
})

it('`cleanPastedHtml` nests bulleted list items from Word in the items of a numbered list', () => {
  const item = (level: number, mark: string, text: string) =>
    `<p class="MsoListParagraphCxSpMiddle" style="margin-left:${level * 21}pt;mso-list:l0 level${level} lfo1"><span style="mso-list:Ignore">${mark}<span> </span></span>${text}</p>`
  expect(
    cleaned(
      item(1, '1.', '一') +
        item(2, 'o', '一の一') +
        item(2, 'o', '一の二') +
        item(1, '2.', '二') +
        item(3, '·', '深い'),
    ),
  ).toBe(
    '<ol><li><p>一</p><ul><li><p>一の一</p></li><li><p>一の二</p></li></ul></li><li><p>二</p><ul><li><ul><li><p>深い</p></li></ul></li></ul></li></ol>',
  )
})

it('`cleanPastedHtml` removes and counts pictures without a public URL if `take` is missing', () => {
  const { html, lost } = cleanPastedHtml(
    '<p style="text-align:center;color:red">中央</p><img src="file:///C:/a.png"><img src="data:image/png;base64,AA"><img src="https://example.com/a.png">',
  )
  expect(html).toContain('<p style="text-align: center">中央</p>')
  expect(html.match(/<img/g)).toHaveLength(1)
  expect(lost).toEqual({ pictures: 2, embeds: [] })
})

it('`cleanPastedHtml` replaces a player by a link, removes a local video, and reports both', () => {
  const { html, lost } = cleanPastedHtml(
    '<p>前</p><embed src="//www.youtube.com/embed/x"><video><source src="blob:1"></video>',
  )
  expect(html).toBe(
    '<p>前</p><p><a href="https://www.youtube.com/embed/x">https://www.youtube.com/embed/x</a></p>',
  )
  expect(lost.embeds).toEqual(['https://www.youtube.com/embed/x', 'video'])
})
