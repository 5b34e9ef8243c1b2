import { expect, it } from 'vitest'
import { usableAddress } from './address-form.tsx'
import { asEditorKeepsIt, lossOf } from './html-loss.ts'

const names = (html: string) =>
  lossOf(html).map(({ element, attribute, property }) =>
    [element, attribute, property].filter((part) => part !== undefined).join(' '),
  )

it.each([
  '<p style="text-align: center">a<br><strong>b</strong></p><table><tbody><tr><td colspan="2"><p>c</p></td></tr></tbody></table>',
  '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td colspan="1">b</td></tr></tbody></table>',
  '<p><b>a</b><i>b</i><del>c</del> m<sup>2</sup> H<sub>2</sub>O <mark>d</mark> <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>',
  '<ul><li>a<ol start="3"><li>b</li></ol></li></ul><pre><code class="language-ts">x</code></pre><hr>',
  '<p><a href="https://example.com" target="_blank" rel="noopener">a</a></p><img src="https://example.com/a.png" alt="" width="10">',
  '文字だけ',
])('`lossOf` returns no loss for %s', (html) => {
  expect(names(html)).toEqual([])
})

it.each([
  ['<div><form>a</form></div>', ['form']],
  ['<p style="position:fixed;text-align:left" class="x">a</p>', ['p style position']],
  ['<p><a href="https://example.com"><img src="https://example.com/a.png"></a></p>', ['a', 'a href']],
])('`lossOf` returns the parts that the editor drops: %s', (html, expected) => {
  expect(names(html)).toEqual(expected)
})

it('`asEditorKeepsIt` unwraps `<address>`, and returns HTML without further loss', () => {
  const kept = asEditorKeepsIt(
    '<address class="x"><p>m<sup>2</sup></p><ruby>漢<rt>かん</rt></ruby></address>',
  )
  expect(kept).toBe('<p>m<sup>2</sup></p><p><ruby>漢<rt>かん</rt></ruby></p>')
  expect(lossOf(kept)).toEqual([])
})

it('`usableAddress` accepts URLs of links and pictures, and rejects unsafe or unsuitable URLs', () => {
  expect(usableAddress('https://example.com/a', 'link')).toEqual({ address: 'https://example.com/a' })
  expect(usableAddress('example.com/a', 'image')).toEqual({ address: 'https://example.com/a' })
  expect(usableAddress('/about', 'link')).toEqual({ address: '/about' })
  expect(usableAddress('mailto:a@example.com', 'link')).toEqual({ address: 'mailto:a@example.com' })
  expect(usableAddress('http://example.com', 'link')).toEqual({ address: 'http://example.com' })
  expect(usableAddress('http://example.com/a.png', 'image')).toEqual({ problem: 'insecureImage' })
  expect(usableAddress('mailto:a@example.com', 'image')).toEqual({ problem: 'badAddress' })
  expect(usableAddress('javascript:alert(1)', 'link')).toEqual({ problem: 'badAddress' })
  expect(usableAddress('//example.com', 'link')).toEqual({ problem: 'badAddress' })
})
