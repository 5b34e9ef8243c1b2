import { expect, it } from 'vitest'
import { applyHtmlPolicy } from './html-policy.ts'

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

it('what the policy allows stays, and nothing is said', () => {
  const html =
    '<h2>見出し</h2><p style="text-align: center">本<strong>文</strong></p><p>m<sup>2</sup> <ruby>漢<rt>かん</rt></ruby></p><pre><code class="language-ts">a</code></pre><a href="/x">x</a><img src="https://example.com/a.png" srcset="https://example.com/a.png?width=480 480w, /b.png 960w" sizes="100vw" alt="a" loading="lazy">'
  const result = apply(html)
  expect(result.removed).toEqual([])
  expect(result.html.replace(/text-align:\s?center;?/, 'text-align: center')).toBe(html)
})

it('says what goes, once each, and keeps the words', () => {
  const result = apply(
    '<div class="note">注意</div><div class="x">二</div><embed><p style="color:red; text-align:left" onclick="x()">赤</p><font>字</font>',
  )
  expect(result.removed).toEqual(['div class', 'embed', 'p style color', 'p onclick', 'font'])
  expect(result.html).toMatch(/^<div>注意<\/div><div>二<\/div><p style="text-align:\s?left;?">赤<\/p>字$/)
})

it('nothing that runs is left', () => {
  const result = apply(
    '<script>alert(1)</script><a href=" java\nscript:alert(1)">x</a><img src="data:text/html,x" srcset="/a.png 1x, javascript:alert(1) 2x" onerror="alert(1)"><svg onload="alert(1)"><a href="x">y</a></svg><a href="//evil.example">z</a><input type="text"><input type="checkbox" checked>',
  )
  expect(result.html).toMatch(/^<a>x<\/a><img><a>z<\/a><input type="checkbox" checked(="")?>$/)
  expect(result.removed).toEqual(['script', 'a href', 'img src', 'img srcset', 'img onerror', 'svg', 'input'])
})
