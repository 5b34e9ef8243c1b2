import { expect, it } from 'vitest'
import { applyHtmlPolicy, withoutNames } from './html-policy.ts'

function apply(html: string) {
  const { content, removed } = applyHtmlPolicy(html)
  const box = document.createElement('div')
  box.append(content)
  return {
    html: box.innerHTML,
    removed: removed.map(({ element, attribute, property }) =>
      [element, attribute, property].filter((part) => part !== undefined).join(' '),
    ),
  }
}

it('the HTML policy keeps allowed content and reports no removal', () => {
  const html =
    '<h2>見出し</h2><p style="text-align: center">本<strong>文</strong></p><p>m<sup>2</sup> <ruby>漢<rt>かん</rt></ruby></p><pre><code class="language-ts">a</code></pre><a href="/x">x</a><img src="https://example.com/a.png" srcset="https://example.com/a.png?width=480 480w, /b.png 960w" sizes="100vw" alt="a" loading="lazy">'
  const result = apply(html)
  expect(result.removed).toEqual([])
  expect(result.html.replace(/text-align:\s?center;?/, 'text-align: center')).toBe(html)
})

it('the HTML policy reports removed elements, attributes and style properties, and keeps the text', () => {
  const result = apply(
    '<div class="note">注意</div><div id="x">二</div><embed><p style="position:fixed; text-align:left" onclick="x()">赤</p><font>字</font>',
  )
  expect(result.removed).toEqual(['div id', 'embed', 'p style position', 'p onclick', 'font'])
  expect(result.html).toMatch(
    /^<div class="note">注意<\/div><div>二<\/div><p style="text-align:\s?left;?">赤<\/p>字$/,
  )
})

it('the HTML policy removes scripts, event handlers, unsafe URLs, SVG and a text input, but no checkbox', () => {
  const result = apply(
    '<script>alert(1)</script><a href=" java\nscript:alert(1)">x</a><img src="data:text/html,x" srcset="/a.png 1x, javascript:alert(1) 2x" onerror="alert(1)"><svg onload="alert(1)"><a href="x">y</a></svg><a href="//evil.example">z</a><input type="text"><input type="checkbox" checked>',
  )
  expect(result.html).toMatch(/^<a>x<\/a><img><a>z<\/a><input type="checkbox" checked(="")?>$/)
  expect(result.removed).toEqual(['script', 'a href', 'img src', 'img srcset', 'img onerror', 'svg', 'input'])
})

it('the HTML policy keeps `position: absolute` of a frame if the parent has `position: relative`', () => {
  const filling = 'position:absolute;top:0;left:0;width:100%;height:100%'
  const result = apply(
    `<div style="position:relative"><iframe src="https://a.example/" style="${filling}" sandbox="allow-scripts allow-top-navigation"></iframe></div><section><iframe src="https://a.example/" style="${filling}"></iframe></section>`,
  )
  expect(result.html).toContain(`style="${filling}" sandbox="allow-scripts">`)
  expect(result.html).toContain(
    '<section><iframe src="https://a.example/" style="top:0;left:0;width:100%;height:100%">',
  )
  expect(result.removed).toEqual(['iframe style position'])
})

it('the HTML policy converts lists and alignment of Quill to nested lists and styles', () => {
  const result = apply('<ul><li>一</li><li class="ql-indent-1">二</li></ul><p class="ql-align-right">右</p>')
  expect(result.html).toBe('<ul><li>一<ul><li>二</li></ul></li></ul><p style="text-align:right">右</p>')
  expect(result.removed).toEqual([])
})

it('the HTML policy converts the alignment of table cells to a style', () => {
  const result = apply('<table><tbody><tr><td align="right">右</td></tr></tbody></table>')
  expect(result.html).toBe('<table><tbody><tr><td style="text-align:right">右</td></tr></tbody></table>')
  expect(result.removed).toEqual([])
})

it('the HTML policy removes `autoplay` and `data:` URLs of players, and changes `http:` to `https:`', () => {
  const result = apply(
    '<video autoplay controls src="http://a.example/v.mp4"></video><audio autoplay muted src="data:x"></audio>',
  )
  expect(result.html).toMatch(
    /^<video controls(="")? src="https:\/\/a.example\/v.mp4"><\/video><audio muted(="")?><\/audio>$/,
  )
  expect(result.removed).toEqual(['video autoplay', 'audio autoplay', 'audio src'])
})

it('`withoutNames` keeps the class `kenten` and footnote ids, and removes other classes and heading ids', () => {
  const { content } = applyHtmlPolicy(
    '<h2 id="root" class="x">a</h2><em class="kenten m_1">b</em><sup><a href="#fn-1" id="fnref-1" role="doc-noteref" class="y">1</a></sup>',
  )
  withoutNames(content)
  const box = document.createElement('div')
  box.append(content)
  expect(box.innerHTML).toBe(
    '<h2>a</h2><em class="kenten">b</em><sup><a href="#fn-1" id="fnref-1" role="doc-noteref">1</a></sup>',
  )
})
