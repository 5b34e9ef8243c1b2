import { expect, it } from 'vitest'
import { cleanPastedHtml } from './clean-paste.ts'
import { asEditorKeepsIt } from './html-loss.ts'
import { picturesInRtf } from './pasted-pictures.ts'

/* Clipboard contents of other programs, shortened, with their wrappers, classes and comments. */

const pasted = (html: string, sources = {}) => asEditorKeepsIt(cleanPastedHtml(html, sources).html)
const office = (body: string) =>
  `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><w:WordDocument/></xml><![endif]--><style><!-- p.MsoNormal {margin:0mm; mso-pagination:none;} @list l0:level1 {mso-level-text:"%1."} --></style></head><body lang=JA style='tab-interval:42.0pt'><!--StartFragment-->${body}<!--EndFragment--></body></html>`

const item = (list: number, level: number, mark: string, text: string) =>
  `<p class=MsoListParagraph style='margin-left:${level * 22}pt;mso-para-margin-left:0gd;text-indent:-22.0pt;mso-list:l${list} level${level} lfo${list + 1}'><![if !supportLists]><span lang=EN-US style='mso-fareast-font-family:游明朝'><span style='mso-list:Ignore'>${mark}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${text}<span lang=EN-US><o:p></o:p></span></p>`

it("a paste from Word keeps headings and nested lists and removes Word's styles", () => {
  const html = pasted(
    office(
      `<h2 style='margin-top:12pt;mso-outline-level:2'><span style='font-family:"游ゴシック Light"'>第一章</span></h2>` +
        `<p class=MsoNormal style='text-indent:10.5pt'>　本文は<b style='mso-bidi-font-weight:normal'>太く</b><i>斜め</i>。<o:p></o:p></p>` +
        item(0, 1, '1.', '一') +
        item(0, 2, 'a)', '一の一') +
        item(0, 1, '2.', '二') +
        `<p class=MsoNormal>間</p>` +
        item(1, 1, '·', '点'),
    ),
  )
  expect(html).toBe(
    '<h2>第一章</h2><p>　本文は<strong>太く</strong><em>斜め</em>。</p>' +
      '<ol><li><p>一</p><ol><li><p>一の一</p></li></ol></li><li><p>二</p></li></ol><p>間</p><ul><li><p>点</p></li></ul>',
  )
})

it('a paste from Word recognises bulleted and numbered lists by symbol font, marker and list style', () => {
  const dot = (level: number, mark: string, text: string) =>
    item(0, level, mark, text).replace(
      "mso-fareast-font-family:游明朝'",
      "font-family:Wingdings;mso-fareast-font-family:Wingdings'",
    )
  const lists = [dot(1, 'l', '一'), dot(2, 'n', '中'), dot(3, 'u', '奥'), dot(1, 'l', '二')].join('')
  expect(
    pasted(office(lists + item(1, 1, '1.', '番') + item(2, 1, 'ア)', '別') + item(2, 1, 'イ)', '次'))),
  ).toBe(
    '<ul><li><p>一</p><ul><li><p>中</p><ul><li><p>奥</p></li></ul></li></ul></li><li><p>二</p></li></ul>' +
      '<ol><li><p>番</p></li></ol><ol><li><p>別</p></li><li><p>次</p></li></ol>',
  )
  // Word's list styles take precedence over the characters of the markers.
  const styled = office(item(0, 1, '一', '漢数字') + item(3, 1, 'A.', '点')).replace(
    '@list l0:level1 {',
    '@list l3:level1 {mso-level-number-format:bullet;} @list l0:level1\n\t{mso-level-number-format:japanese-counting;',
  )
  expect(pasted(styled)).toBe('<ol><li><p>漢数字</p></li></ol><ul><li><p>点</p></li></ul>')
})

it('a paste from Word keeps a table with merged cells', () => {
  const cell = (attributes: string, text: string) =>
    `<td width=170 ${attributes} style='width:127.6pt;border:solid windowtext 1.0pt;mso-border-alt:solid windowtext .5pt;padding:0mm 5.4pt'><p class=MsoNormal>${text}<o:p></o:p></p></td>`
  expect(
    pasted(
      office(
        `<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;mso-yfti-tbllook:1184'><tr style='mso-yfti-irow:0'>${cell('colspan=2 valign=top', '見出し')}</tr><tr>${cell('rowspan=2', '左')}${cell('', '右')}</tr><tr>${cell('', '下')}</tr></table>`,
      ),
    ),
  ).toBe(
    '<table><tbody><tr><td colspan="2"><p>見出し</p></td></tr><tr><td rowspan="2"><p>左</p></td><td><p>右</p></td></tr><tr><td><p>下</p></td></tr></tbody></table>',
  )
})

it("a paste from Word takes pictures from the clipboard's RTF in order, and counts lost pictures", () => {
  const png = `89504e470d0a1a0a${'00'.repeat(40)}`
  const rtf = `{\\rtf1\\ansi{\\*\\shppict{\\pict{\\*\\picprop\\shplid1025{\\sp{\\sn shapeType}{\\sv 75}}}\\picscalex98\\picw300\\pngblip\\bliptag-149{\\*\\blipuid f8b1}${png}}}{\\nonshppict{\\pict\\picscalex98\\wmetafile8\\bliptag1 0100090000}}{\\pict\\jpegblip\n${`ffd8ffe0${'11'.repeat(40)}`.replace(/(.{32})/g, '$1\n')}}}`
  const files = picturesInRtf(rtf)
  expect(files.map(({ type, size }) => [type, size])).toEqual([
    ['image/png', 48],
    ['image/jpeg', 44],
  ])
  const word = office(
    '<p class=MsoNormal><!--[if gte vml 1]><v:shape id="_x0000_i1025"><v:imagedata src="file:///C:/clip_image001.png"/></v:shape><![endif]--><![if !vml]><img width=300 height=200 src="file:///C:/Users/a/clip_image002.png" v:shapes="_x0000_i1025"><![endif]></p><p><img src="file:///C:/Users/a/clip_image004.jpg"></p>',
  )
  const taken: (File | URL)[] = []
  const take = (source: File | URL) => `blob:${taken.push(source)}`
  const { html, lost } = cleanPastedHtml(word, { pictures: files, take })
  expect(taken).toEqual(files)
  expect(asEditorKeepsIt(html)).toMatch(/src="blob:1".*src="blob:2"/s)
  expect(lost.pictures).toBe(0)
  // Pictures count as lost without the right to upload, or if the numbers of files and pictures differ.
  expect(cleanPastedHtml(word, { pictures: files }).lost.pictures).toBe(2)
  expect(cleanPastedHtml(word, { pictures: files.slice(1), take }).lost.pictures).toBe(2)
})

it('a paste from Google Docs keeps nested lists and a table, and passes the picture to `take`', () => {
  const text = (style: string, words: string) =>
    `<span style="font-size:11pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent;font-variant:normal;white-space:pre-wrap;${style}">${words}</span>`
  const line = (words: string) =>
    `<p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;" role="presentation">${words}</p>`
  const taken: (File | URL)[] = []
  const html = pasted(
    `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-6a1f"><h2 dir="ltr" style="line-height:1.38">${text('font-weight:400', '題')}</h2>${line(text('font-weight:700', '太') + text('font-style:italic', '斜'))}<ul style="margin-top:0;padding-inline-start:48px;"><li dir="ltr" style="list-style-type:disc" aria-level="1">${line(text('', '一'))}</li><ul><li dir="ltr" aria-level="2">${line(text('', '一の一'))}</li></ul><li dir="ltr" aria-level="1">${line(text('', '二'))}</li></ul><div dir="ltr" align="left"><table style="border:none"><colgroup><col width="200"></colgroup><tbody><tr style="height:0pt"><td colspan="2" style="border:solid 1pt">${line(text('', '欄'))}</td></tr></tbody></table></div>${line(`<span><span style="border:none;display:inline-block;overflow:hidden;width:10px"><img src="https://lh7-rt.googleusercontent.com/docsz/AD_x?key=1" width="10" height="5"></span></span>`)}</b>`,
    { take: (source: File | URL) => `blob:${taken.push(source)}` },
  )
  expect(html).toBe(
    '<h2>題</h2><p><strong>太</strong><em>斜</em></p><ul><li><p>一</p><ul><li><p>一の一</p></li></ul></li><li><p>二</p></li></ul><table><tbody><tr><td colspan="2"><p>欄</p></td></tr></tbody></table><img src="blob:1" width="10" height="5">',
  )
  expect(String(taken[0])).toContain('googleusercontent.com')
})

it('a paste from Excel or Google Sheets keeps the table, and bold text from Google Sheets', () => {
  expect(
    pasted(
      '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--.xl65{mso-number-format:General}--></style></head><body><table border=0 cellpadding=0 cellspacing=0 width=144 style="border-collapse:collapse"><!--StartFragment--><col width=72 span=2 style="width:54pt"><tr height=20 style="height:15pt"><td height=20 class=xl65 width=72>品</td><td class=xl65 align=right width=72>1,200</td></tr><!--EndFragment--></table></body></html>',
    ),
  ).toBe('<table><tbody><tr><td><p>品</p></td><td><p>1,200</p></td></tr></tbody></table>')
  expect(
    pasted(
      '<google-sheets-html-origin><style type="text/css">td {border: 1px solid #cccccc;}</style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" border="1" data-sheets-root="1"><colgroup><col width="100"/></colgroup><tbody><tr style="height:21px;"><td rowspan="2" style="overflow:hidden;vertical-align:bottom;font-weight:bold;" data-sheets-value="{&quot;1&quot;:2}">品</td><td>2</td></tr><tr><td>3</td></tr></tbody></table>',
    ),
  ).toBe(
    '<table><tbody><tr><td rowspan="2"><p><strong>品</strong></p></td><td><p>2</p></td></tr><tr><td><p>3</p></td></tr></tbody></table>',
  )
})

it('a paste from VS Code converts several lines to a code block and a single line to inline code', () => {
  const box = (inner: string) =>
    `<meta charset='utf-8'><div style="color: #d4d4d4;background-color: #1e1e1e;font-family: Menlo, Monaco, 'Courier New', monospace;font-weight: normal;font-size: 12px;line-height: 18px;white-space: pre;">${inner}</div>`
  expect(
    pasted(
      box(
        '<div><span style="color: #569cd6;">if</span><span style="color: #d4d4d4;"> (a) {</span></div><br><div><span>  b()</span></div><div>}</div>',
      ),
    ),
  ).toBe('<pre><code>if (a) {\n\n  b()\n}</code></pre>')
  expect(pasted(box('<div><span>const </span><span>a</span></div>'))).toBe('<p><code>const a</code></p>')
})
