import { describe, expect, test } from 'vitest'
import { cpuTime, growth, tooMuchGrowth } from '#test/growth.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'

describe('rich text', () => {
  test.each([
    [
      '<h2>見出し</h2><p>本文<br>次&nbsp;の行 &amp; &lt;b&gt;</p>',
      '<h2>見出し</h2><p>本文<br />次\u00a0の行 &amp; &lt;b&gt;</p>',
    ],
    [
      '<p style="text-align: center; COLOR: red; position:fixed">x</p>',
      '<p style="text-align:center;color:red">x</p>',
    ],
    [
      '<table><tr><th align="RIGHT">a</th><td align="center" style="color:red">b</td></tr></table>',
      '<table><tr><th style="text-align:right">a</th><td style="text-align:center;color:red">b</td></tr></table>',
    ],
    [
      '<table><tr><td align="right" style="text-align:left">a</td><td align="x">b</td></tr></table>',
      '<table><tr><td style="text-align:left">a</td><td>b</td></tr></table>',
    ],
    [
      '<td colspan="2" style="text-align:right;background:url(x)">x</td>',
      '<td colspan="2" style="text-align:right">x</td>',
    ],
    [
      '<figure><img src="https://a/b.png?x=1&amp;y=2" alt="&quot;絵&quot;" width="10" height="5" onload="x" /><figcaption>c</figcaption></figure>',
      '<figure><img src="https://a/b.png?x=1&amp;y=2" alt="&quot;絵&quot;" width="10" height="5" /><figcaption>c</figcaption></figure>',
    ],
    [
      '<pre class="ql-syntax" spellcheck="false">a</pre><pre><code class="language-c++ evil{}">a\n  b</code></pre>',
      '<pre class="ql-syntax">a</pre><pre><code class="language-c++">a\n  b</code></pre>',
    ],
    [
      '<a href="mailto:a@b.example">m</a><a href="tel:+81">t</a><a href="/x#y">r</a>',
      '<a href="mailto:a@b.example">m</a><a href="tel:+81">t</a><a href="/x#y">r</a>',
    ],
    ['<p>  two  spaces\n\n</p>', '<p>  two  spaces\n\n</p>'],
    ['<ruby>漢<rt>かん</rt></ruby>', '<ruby>漢<rt>かん</rt></ruby>'],
    [
      '<em class="kenten x!">点</em><sup class="x">x</sup>',
      '<em class="kenten">点</em><sup class="x">x</sup>',
    ],
    [
      '<h2 id="概要-1">a</h2><p id="login">b</p><h3 id="a b">c</h3><h3 id="__NEXT_DATA__">d</h3>',
      '<h2 id="概要-1">a</h2><p>b</p><h3>c</h3><h3>d</h3>',
    ],
    [
      '<strong style="color: rgb(230, 0, 0); background:url(x); margin-left:-9px">x</strong>',
      '<strong style="color:rgb(230, 0, 0)">x</strong>',
    ],
    [
      '<ul><li class="ql-indent-9">一</ul><p class="ql-indent-2">二',
      '<ul><li style="margin-left:22.5em">一</li></ul><p style="padding-left:6em">二</p>',
    ],
    [
      '<ul><li>一</li><li class="ql-indent-1 ql-align-right">二</ul><p class="ql-align-center">中',
      '<ul><li>一<ul><li style="text-align:right">二</li></ul></li></ul><p style="text-align:center">中</p>',
    ],
    [
      '<video controls autoplay src="http://a.example/v.mp4" poster="//a.example/p.png" onplay="x"></video><video muted autoplay src="https://a.example/v.mp4"></video>',
      '<video controls src="https://a.example/v.mp4" poster="https://a.example/p.png"></video><video muted autoplay src="https://a.example/v.mp4"></video>',
    ],
    [
      '<audio controls autoplay muted><source src="https://a.example/a.mp3" type="audio/mpeg"><source src="javascript:x"><track src="data:x" kind="captions"></audio>',
      '<audio controls muted><source src="https://a.example/a.mp3" type="audio/mpeg" /><source /><track kind="captions" /></audio>',
    ],
    [
      '<video src="http://127.0.0.1:3000/acme.assets/v1/0123456789abcdef01234567/v.mp4"></video>',
      '<video src="http://127.0.0.1:3000/acme.assets/v1/0123456789abcdef01234567/v.mp4"></video>',
    ],
    [
      '<picture><source srcset="/a.webp 1x, /b.webp 2x" type="image/webp"><img src="/a.png"></picture>',
      '<picture><source srcset="/a.webp 1x, /b.webp 2x" type="image/webp" /><img src="/a.png" /></picture>',
    ],
    [
      '<p>文<sup><a href="#fn-a1" id="fnref-a1" role="doc-noteref">1</a></sup></p><section role="doc-endnotes" class="x;"><ol><li id="fn-a1"><p>注 <a href="#fnref-a1" role="doc-backlink">↩</a></p></li></ol></section>',
      '<p>文<sup><a href="#fn-a1" id="fnref-a1" role="doc-noteref">1</a></sup></p><section role="doc-endnotes"><ol><li id="fn-a1"><p>注 <a href="#fnref-a1" role="doc-backlink">↩</a></p></li></ol></section>',
    ],
    [
      '<p id="fn-a" role="alert"><a id="login" role="button" data-document="x" data-other="y">x</a></p>',
      '<p><a>x</a></p>',
    ],
    [
      '<a data-document="0123456789abcdef01234567" data-model="article">x</a>',
      '<a data-document="0123456789abcdef01234567" data-model="article">x</a>',
    ],
  ])('is sanitized: %s', (html, expected) => expect(sanitizeRichText(html)).toBe(expected))

  describe('embeds', () => {
    const frame = '<iframe src="https://player.example/1" width="560" height="315" allowfullscreen></iframe>'
    const tweet =
      '<blockquote class="twitter-tweet" data-lang="ja"><p lang="ja" dir="ltr">つぶやき</p></blockquote><script async src="https://platform.twitter.com/widgets.js" charset="utf-8"></script>'

    test.each([
      frame,
      tweet,
      `<p>前</p><figure data-embed="https://player.example/watch?v=1&amp;t=2">${frame}</figure><p>後</p>`,
      `<figure data-embed>${tweet}</figure>`,
      '<div class="iframely-embed"><div style="position:relative;height:0;padding-bottom:56.25%"><a href="https://a.example/" class="x"></a></div></div>',
      '<div style="position:relative;height:0;padding-bottom:56.25%"><iframe src="https://player.example/1" style="position:absolute;top:0;left:0;width:100%;height:100%"></iframe></div>',
    ])('keep the code of a service unchanged: %s', (html) => {
      expect(sanitizeRichText(html)).toBe(html)
      expect(renderMarkdown(html)).toContain(html)
    })

    test('keep allowed attributes, and lose others', () => {
      const free = '<div class="box" style="position:absolute" data-x="1"><a class="x">a</a></div>'
      expect(sanitizeRichText(free)).toBe('<div class="box"><a class="x">a</a></div>')
      expect(sanitizeRichText(`<figure data-embed="">${frame}</figure>${free}`)).toBe(
        `<figure data-embed>${frame}</figure><div class="box"><a class="x">a</a></div>`,
      )
      expect(
        sanitizeRichText(`<iframe src="//a.example/1" allow="camera *; autoplay" onload="x">文</iframe>`),
      ).toBe('<iframe src="https://a.example/1" allow="autoplay">文</iframe>')
    })

    const covering = 'position:absolute;top:-1200px;left:-1200px;width:9999px;height:9999px'
    test.each([
      [
        `<details open><summary>x</summary><div class="twitter-x" style="${covering};background-color:red">y</div></details>`,
        '<details open><summary>x</summary><div class="twitter-x" style="width:9999px;height:9999px;background-color:red">y</div></details>',
      ],
      [
        `<iframe src="https://a.example/1" name="x" style="${covering}" sandbox="allow-scripts allow-top-navigation"></iframe>`,
        '<iframe src="https://a.example/1" style="width:9999px;height:9999px" sandbox="allow-scripts"></iframe>',
      ],
      [
        `<figure data-embed=""><div style="${covering}"><a href="https://a.example/"><img src="/a.png" style="${covering}" /></a></div></figure>`,
        '<figure data-embed><div style="width:9999px;height:9999px"><a href="https://a.example/"><img src="/a.png" style="width:9999px;height:9999px" /></a></div></figure>',
      ],
      [
        '<div style="position:relative"><p><iframe src="https://a.example/1" style="position:absolute;top:0;left:0;width:100%;height:100%"></iframe></p></div>',
        '<div style="position:relative"><p><iframe src="https://a.example/1" style="top:0;left:0;width:100%;height:100%"></iframe></p></div>',
      ],
    ])('lose styles with which they could cover other content: %s', (html, expected) => {
      expect(sanitizeRichText(html)).toBe(expected)
      expect(renderMarkdown(html)).toContain(expected)
    })
  })

  const attacks = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<img src="javascript:alert(1)">',
    '<img src="data:text/html,<script>alert(1)</script>">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\nscript:alert(1)">x</a>',
    '<a href="jav&#x09;ascript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="//evil.example">x</a>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<iframe src="http://evil.example"></iframe><iframe src="//evil.example" srcdoc="<script>alert(1)</script>"></iframe>',
    '<iframe src="javascript:alert(1)">中<img src=x onerror=alert(1)></iframe>',
    '<script src="https://evil.example/x.js">alert(1)</script><script src="https://platform.twitter.com@evil.example/x.js"></script>',
    '<figure data-embed="javascript:alert(1)"><script>alert(1)</script><svg onload=alert(1)></svg></figure>',
    '<constructor toString=x><a constructor=x __proto__=y class="constructor" style="constructor:x">x</a></constructor>',
    '<object data="x"></object><embed src="x"><base href="x"><meta http-equiv="refresh"><link rel="import" href="x">',
    '<form action="x"><input><button formaction="javascript:x">',
    '<p style="background:url(javascript:alert(1))" data-x="<script>" id="x" class="y">x</p>',
    '<p style="text-align:center;}</style><script>alert(1)</script>">x',
    '<<script>alert(1)//<</script>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<textarea><img src=x onerror=alert(1)></textarea>',
    '<svg><textarea><img src=x onerror=alert(1)></textarea></svg>',
    '<math><xmp><img src=x onerror=alert(1)></xmp></math>',
    '<svg><desc><textarea>&lt;img src=x onerror=alert(1)&gt;</textarea></desc></svg>',
    '<video src="javascript:alert(1)" poster="javascript:x"><source src=x onerror=alert(1)></video>',
    '<ul><li class="ql-indent-1"><script>alert(1)</script><img src=x onerror=alert(1)></ul>',
    '<p class="ql-align-center" style="x:&quot;&gt;&lt;script&gt;alert(1)">x</p>',
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
    '<!--<img src="--><img src=x onerror=alert(1)//">',
    '<a href="https://x" target="_blank" onclick="x" style="position:fixed">x</a>',
  ]
  const harmful =
    /<script(?! src="https:\/\/platform)|<iframe(?! src="https:)|<svg|<object|<embed|<base|<meta|<link|<form|<style|\son\w+\s*=|javascript:|vbscript:|data:|position:fixed|"\/\//i

  test.each(attacks)('has no harmful markup after sanitizing %s, alone or inside other markup', (attack) => {
    for (const html of [attack, `<p>前${attack}後</p>`, `<ul><li>${attack}`, `<td>${attack}</td>`]) {
      const clean = sanitizeRichText(html)
      // Escaped text is harmless: harm needs a tag or an attribute.
      expect(clean.replace(/&lt;[^<]*/g, '')).not.toMatch(harmful)
      expect(sanitizeRichText(clean)).toBe(clean)
      expect(renderMarkdown(html).replace(/&lt;[^<]*/g, '')).not.toMatch(harmful)
    }
  })

  test('does not change in a second sanitization (500 random mixtures of markup)', () => {
    const pieces = [
      ...attacks,
      '<p>',
      '</p>',
      '<b>',
      '&',
      '&amp;',
      '&#0;',
      '"',
      "'",
      '<',
      '>',
      '東京',
      '\u00a0',
      '<td>',
      '<ol start=2>',
      '&copy',
      '\n',
      '😀',
    ]
    let state = 7
    const next = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state % n
    }
    for (let round = 0; round < 500; round++) {
      const html = Array.from({ length: 1 + next(8) }, () => pieces[next(pieces.length)]).join('')
      const clean = sanitizeRichText(html)
      expect(sanitizeRichText(clean), html).toBe(clean)
    }
  })

  // 20,000 characters take a few milliseconds. In quadratic time, a document of one megabyte would take seconds.
  test.each([
    ['comments in an address', (size: number) => `<a href="${'あ<!---->'.repeat(size / 8)}">x</a>`],
    [
      'comments after a long address',
      (size) => `<a href="${'<'.repeat(size)}${'<!---->'.repeat(size / 7)}">x</a>`,
    ],
    ['form controls, which are removed', (size) => `${'<p>'.repeat(size / 3)}${'<input>'.repeat(size / 7)}`],
    ['open tags', (size) => '<b>'.repeat(size / 3)],
    ['nested blocks', (size) => `${'<div>'.repeat(90)}x${'</div>'.repeat(90)}`.repeat(size / 1000)],
    ['tags without an end', (size) => '<a href="'.repeat(size / 9)],
    ['comments without an end', (size) => '<!--'.repeat(size / 4)],
    [
      'embeds',
      (size) => '<figure data-embed=""><iframe></iframe><script></script></figure>'.repeat(size / 64),
    ],
    ['list items of Quill', (size) => `<ul>${'<li class="ql-indent-7">a</li>'.repeat(size / 32)}</ul>`],
    ['open list items of Quill', (size) => '<ul><li class="ql-indent-1">'.repeat(size / 28)],
    ['styles', (size) => `<p style="${'color:red;'.repeat(size / 10)}">x</p>`],
    [
      'classes and styles',
      (size) => `<p class="${'a '.repeat(size / 4)}" style="${'a:b;'.repeat(size / 8)}">x</p>`,
    ],
  ] satisfies [string, (size: number) => string][])(
    'is sanitized in linear time with %s',
    { tags: ['full'] },
    (_name, html) => {
      expect(growth((size) => sanitizeRichText(html(size)), 20_000)).toBeLessThan(tooMuchGrowth)
    },
  )

  test('loses a link address that contains many HTML comments', () => {
    expect(sanitizeRichText('<a href="https://a.example/?<!--x-->">x</a>')).toBe(
      '<a href="https://a.example/?&lt;!--x--&gt;">x</a>',
    )
    expect(sanitizeRichText(`<a href="https://a.example/?${'<!---->'.repeat(20)}" title="t">x</a>`)).toBe(
      '<a title="t">x</a>',
    )
  })

  test('becomes text if it is nested too deeply', () => {
    const nested = (depth: number) => `<p>前</p>${'<b>'.repeat(depth)}中`
    expect(sanitizeRichText(nested(90))).toContain('<p>前</p><b>')
    const text = sanitizeRichText(nested(5_000))
    expect(text).toMatch(/^&lt;p&gt;前&lt;\/p&gt;&lt;b&gt;.*中$/)
    expect(sanitizeRichText(text)).toBe(text)
  })
})

describe('Markdown', () => {
  test.each([
    ['**「重点」**です', '<p><strong>「重点」</strong>です</p>\n'],
    ['これは**強調。**だ', '<p>これは<strong>強調。</strong>だ</p>\n'],
    ['一行\n二行', '<p>一行<br />\n二行</p>\n'],
    ['# 見出し', '<h1>見出し</h1>\n'],
    [
      '~~消す~~ <https://a.example>',
      '<p><del>消す</del> <a href="https://a.example">https://a.example</a></p>\n',
    ],
    [
      '|a|b|\n|-|:-:|\n|1|2|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align:center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td style="text-align:center">2</td>\n</tr>\n</tbody>\n</table>\n',
    ],
    ['```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>\n'],
    ['<div align="center"><b>生</b></div>', '<div><b>生</b></div>'],
    ['[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>\n'],
    ['readme.md と example.com', '<p>readme.md と example.com</p>\n'],
    // A URL ends before the Japanese text after it, and may contain Japanese between delimiters.
    ...['です', 'です。', 'を見て', '。', '、次', '）', '」', '　次', '（池）', '…', '🐸'].flatMap((after) =>
      ['https://example.com', 'https://example.com/', 'http://example.com/a?b=1'].map((url) => [
        `池は${url}${after}`,
        `<p>池は<a href="${url}">${url}</a>${after}</p>\n`,
      ]),
    ),
    [
      'https://example.com/池?a=1を、https://日本語.jp/a。',
      '<p><a href="https://example.com/%E6%B1%A0?a=1">https://example.com/池?a=1</a>を、<a href="https://xn--wgv71a119e.jp/a">https://日本語.jp/a</a>。</p>\n',
    ],
    [
      'https://example.com/a_(b)?c=1&d=e. https://[::1]:80/x',
      '<p><a href="https://example.com/a_(b)?c=1&amp;d=e">https://example.com/a_(b)?c=1&amp;d=e</a>. <a href="https://[::1]:80/x">https://[::1]:80/x</a></p>\n',
    ],
    ['https://詳しくは', '<p>https://詳しくは</p>\n'],
    [
      '<https://example.com/池> [池](https://example.com/池)',
      '<p><a href="https://example.com/%E6%B1%A0">https://example.com/池</a> <a href="https://example.com/%E6%B1%A0">池</a></p>\n',
    ],
  ])('is rendered: %s', (source, html) => {
    expect(renderMarkdown(source)).toBe(html)
  })

  test('has footnotes that are numbered in the order of use, with links in both directions', () => {
    const html = renderMarkdown(
      '池[^b]と井守[^a]、また[^b]、無い[^c]\n\n[^a]: **注**[^d]\n続き\n[^b]: `x` [l](https://a.example)\n\n[^d]: 内\n[^e]: 使わない',
    )
    const id = /fn-([a-z0-9]+)-1"/.exec(html)?.[1]
    expect(html.replaceAll(`${id}-`, '')).toBe(
      '<p>池<sup><a href="#fn-1" id="fnref-1" role="doc-noteref">1</a></sup>と井守<sup><a href="#fn-2" id="fnref-2" role="doc-noteref">2</a></sup>、また<sup><a href="#fn-1" role="doc-noteref">1</a></sup>、無い[^c]</p>\n' +
        '<section role="doc-endnotes">\n<ol>\n' +
        '<li id="fn-1"><span><code>x</code> <a href="https://a.example">l</a></span><a href="#fnref-1" role="doc-backlink">↩</a></li>\n' +
        '<li id="fn-2"><span><strong>注</strong><sup><a href="#fn-3" id="fnref-3" role="doc-noteref">3</a></sup><br />\n続き</span><a href="#fnref-2" role="doc-backlink">↩</a></li>\n' +
        '<li id="fn-3"><span>内</span><a href="#fnref-3" role="doc-backlink">↩</a></li>\n</ol>\n</section>\n',
    )
    expect(renderMarkdown('[^1]と`[^1]`\n\n[^1]: <script>alert(1)</script>注')).toContain('<code>[^1]</code>')
  })

  test('nests quotes up to 32 levels and lists up to 16 levels, and renders deeper levels as text', () => {
    const quoted = renderMarkdown(`${'> '.repeat(30)}深い`)
    expect(quoted.split('<blockquote>')).toHaveLength(31)
    expect(quoted).toContain('<p>深い</p>')
    const tooDeep = renderMarkdown(`${'> '.repeat(40)}深い\n\n外`)
    expect(tooDeep.split('<blockquote>')).toHaveLength(33)
    expect(tooDeep).toContain(`<p>${'&gt; '.repeat(8)}深い</p>`)
    expect(tooDeep).toContain('<p>外</p>')
    const list = renderMarkdown(
      Array.from({ length: 20 }, (_, level) => `${'  '.repeat(level)}- 項${level}`).join('\n'),
    )
    expect(list.split('<ul>')).toHaveLength(17)
    for (let level = 0; level < 20; level++) expect(list).toContain(`項${level}`)
  })

  test.each([
    ['quotes', (size: number) => '>'.repeat(size)],
    ['quotes in lists', (size) => '> - '.repeat(size / 4)],
    // The text has half the usual size, because CPU cache misses distort the measurement of larger ones.
    ['lazy lines', (size) => `${'> '.repeat(95)}a\n${'b\n'.repeat(size / 4)}`],
    ['brackets', (size) => '[('.repeat(size / 2)],
    ['images in images', (size) => `${'!['.repeat(size / 5)}a${'](b)'.repeat(size / 5)}`],
    ['code', (size) => '`a '.repeat(size / 3)],
    ['definitions', (size) => '[a]: b\n'.repeat(size / 7)],
    [
      'many footnotes',
      (size) => Array.from({ length: size / 20 }, (_, n) => `[^${n}]\n\n[^${n}]: x\n\n`).join(''),
    ],
    ['footnotes', (size) => '[^a] [^a]\n\n[^a]: [^a]\n[^'.repeat(size / 25)],
  ] satisfies [string, (size: number) => string][])(
    'is rendered in linear time with %s',
    { tags: ['full'] },
    (_name, source) => {
      expect(growth((size) => renderMarkdown(source(size)), 8_000)).toBeLessThan(tooMuchGrowth)
    },
  )
})

describe('task lists', () => {
  test('have checkboxes for items that begin with [ ] or [x] and a space', () => {
    expect(renderMarkdown('- [ ] 買う\n- [x] **書く**\n- [x]なし\n\n[ ] 文')).toBe(
      '<ul>\n<li><input disabled type="checkbox" /> 買う</li>\n' +
        '<li><input checked disabled type="checkbox" /> <strong>書く</strong></li>\n' +
        '<li>[x]なし</li>\n</ul>\n<p>[ ] 文</p>\n',
    )
  })

  test('the sanitizer removes inputs that are not checkboxes, and `onclick` and `name` of a checkbox', () => {
    expect(
      sanitizeRichText('<input type="text" value="x"><input><input type="checkbox" onclick="x" name="y">'),
    ).toBe('<input type="checkbox" />')
  })
})

describe('pictures in several sizes', () => {
  const sanitized = (srcset: string) => sanitizeRichText(`<img src="/a.png" srcset="${srcset}" />`)

  test('keep allowed addresses in srcset, and lose javascript: addresses', () => {
    const srcset = '/a.png?width=480 480w, https://example.com/%E6%B1%A0.png 960w'
    expect(sanitized(srcset)).toBe(`<img src="/a.png" srcset="${srcset}" />`)
    expect(sanitized('/a.png 1x, javascript:alert(1) 2x')).not.toContain('javascript')
  })

  test('lose a srcset of 200,000 commas within 5 seconds of CPU time', () => {
    const reading = () => expect(sanitized(`x${','.repeat(200_000)}y`)).toBe('<img src="/a.png" />')
    expect(cpuTime(reading)).toBeLessThan(5_000)
  })
})
