import { expect, it } from 'vitest'
import { cleanPastedHtml } from './clean-paste.ts'

it('Google Docs: the wrapper is not bold, styles become bold and italic', () => {
  const html = cleanPastedHtml(
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.3"><span style="font-size:11pt;font-weight:700">重要</span><span style="font-style:italic">です</span></p></b>',
  )
  expect(html).not.toContain('<b')
  expect(html).not.toContain('docs-internal')
  expect(html).toContain('<span style="font-weight: bold">重要</span>')
  expect(html).toContain('<span style="font-style: italic">です</span>')
})

it('Word: lists written as paragraphs become lists, its own elements and styles go', () => {
  const html = cleanPastedHtml(
    '<style>p.MsoNormal{margin:0}</style><p class="MsoListParagraphCxSpFirst" style="mso-list:l0"><span style="mso-list:Ignore">·<span> </span></span>一つ目</p><p class="MsoListParagraphCxSpLast" style="mso-list:l0"><span style="mso-list:Ignore">·</span>二つ目</p><p class="MsoNormal" style="margin:0">本文<o:p></o:p></p>',
  )
  expect(html).toContain('<ul><li><p>一つ目</p></li><li><p>二つ目</p></li></ul>')
  expect(html).toContain('<p>本文</p>')
  expect(html).not.toContain('Mso')
})

it('pictures that only the other computer has are left out, alignment stays', () => {
  const html = cleanPastedHtml(
    '<p style="text-align:center;color:red">中央</p><img src="file:///C:/a.png"><img src="data:image/png;base64,AA"><img src="https://example.com/a.png">',
  )
  expect(html).toContain('<p style="text-align: center">中央</p>')
  expect(html.match(/<img/g)).toHaveLength(1)
})
