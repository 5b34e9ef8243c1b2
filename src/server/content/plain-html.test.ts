import { expect, it } from 'vitest'
import { sanitizeByParser } from './html.ts'
import { plainHtml } from './plain-html.ts'

function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const elements =
  'p h1 h6 pre blockquote ul ol li hr br img a strong b em i u s del code small sub sup div span table td script svg iframe'.split(
    ' ',
  )
const attributes = [
  'href="https://example.com/a?b=c#d"',
  'href="/path/to"',
  'href="#top"',
  'href="//example.com"',
  'href="javascript:alert(1)"',
  'href="https://example.com/?a=1&amp;b=2"',
  'href=""',
  "href='x'",
  'target="_blank"',
  'rel="noopener noreferrer"',
  'src="https://example.com/p.png"',
  'src="data:image/png;base64,AA"',
  'src="https://example.com/a,,,b"',
  'alt=""',
  'alt="池の写真"',
  'alt="a &quot; b"',
  'width="20"',
  'width="a"',
  'class="language-js"',
  'style="text-align: center"',
  'onclick="x()"',
  'onerror',
]
const texts = [
  'いもり',
  'a b',
  '&amp;',
  '&lt;',
  '&gt;',
  '&nbsp;',
  '&quot;',
  '&',
  '<',
  '>',
  '\n',
  '\t',
  '\r',
  '\u0000',
  '"',
  '😀',
  '\ud800',
  '<!-- c -->',
  ' ',
]

/** Returns random markup. In about `order` of ten steps, the added piece keeps the markup well nested. */
function markup(random: (below: number) => number, order: number): string {
  const pick = <Value>(list: readonly Value[]) => list[random(list.length)] as Value
  const tag = (name: string) => {
    const said =
      random(3) > 0 ? '' : Array.from({ length: 1 + random(3) }, () => ` ${pick(attributes)}`).join('')
    return `<${name}${said}${random(8) === 0 ? pick(['/', ' /', ' ']) : ''}>`
  }
  const open: string[] = []
  let html = ''
  for (let at = random(14); at >= 0; at--) {
    if (random(10) >= order) html += pick([tag(pick(elements)), `</${pick(elements)}>`, pick(texts)])
    else if (random(3) === 0 && open.length > 0) html += `</${open.pop()}>`
    else if (random(2) === 0) html += pick(texts.slice(0, 5))
    else {
      const name = pick(elements.slice(0, 23))
      html += tag(name)
      if (!['br', 'hr', 'img'].includes(name)) open.push(name)
    }
  }
  return (
    html +
    (random(10) < order
      ? open
          .reverse()
          .map((name) => `</${name}>`)
          .join('')
      : '')
  )
}

it('plainHtml returns the output of the sanitizer, or undefined, for random markup', () => {
  const random = numbers(20)
  let plain = 0
  let rewritten = 0
  for (let round = 0; round < 20_000; round++) {
    const html = markup(random, random(11))
    const found = plainHtml(html)
    if (found === undefined) continue
    if (html.includes('<')) plain++
    if (found !== html) rewritten++
    expect({ html, is: found }).toEqual({ html, is: sanitizeByParser(html) })
    expect(plainHtml(found), html).toBe(found)
  }
  expect(plain).toBeGreaterThan(500)
  expect(rewritten).toBeGreaterThan(50)
})

it.each([
  '<p>いもりは<strong>池</strong>にすみ、<a href="https://example.com/a" target="_blank" rel="noopener">腹</a>が赤い。<br>雨の日</p>',
  '<h2>池</h2><ul><li><p>水</p></li><li>草<ul><li>藻</li></ul></li></ul><hr/><blockquote><p>a &amp; b</p></blockquote>',
  '<p><img src="https://example.com/p.png" alt=""></p><pre><code>a\n\tb</code></pre>',
])('plainHtml returns the output of the sanitizer for %s', (html) => {
  expect(plainHtml(html)).toBe(sanitizeByParser(html))
})

it.each([
  '<p>a',
  '<p>a<p>b</p></p>',
  '<a href="/a"><a href="/b">b</a></a>',
  '<p onclick="x()">a</p>',
  '<a href="javascript:x()">a</a>',
  '<a href="/a" href="/b">a</a>',
  '<img src="//example.com/a">',
  '<P>a</P>',
  '<p>&nbsp;</p>',
  '<script>x()</script>',
  `${'<blockquote>'.repeat(60)}${'</blockquote>'.repeat(60)}`,
])('plainHtml returns undefined for %s', (html) => {
  expect(plainHtml(html)).toBeUndefined()
})
