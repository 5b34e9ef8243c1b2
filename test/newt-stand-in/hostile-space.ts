import { picturedSpace } from './archive.ts'
import { addContent, idOf, type Stored, type StoredSpace } from './space.ts'

/** Rich text as other editors, other services and hand-written code produce it, including invalid HTML. */
const richTexts: readonly string[] = [
  '<p>文</p>',
  '',
  '<p></p>',
  '<p><br></p>',
  '<P> &nbsp; </P>\n<p></p>',
  '<p>前</p><p></p><p><br></p><p>後</p>',
  '<div><p></p></div>',
  '<p>途中で閉じない<p>次の段落<ul><li>一<li>二</ul>',
  '<ul><li></li><li><p></p></li></ul><ol start="3" reversed><li value="9">九</li></ol>',
  '<ul><li class="ql-indent-3">深い項目から始まる</li><li class="ql-indent-1">浅い項目</li><li>根元</li></ul>',
  '<ol><li>一</li><li class="ql-indent-1 ql-align-right">右</li></ol><ul data-checked="true"><li>済</li></ul>',
  '<p class="ql-indent-2 ql-align-center">字下げ</p><p class="ql-indent-1" style="color:red">赤い字下げ</p>',
  '<h2 class="ql-indent-4">字下げした見出し</h2><pre class="ql-syntax ql-indent-1" spellcheck="false">code\n</pre>',
  '<table><thead><tr><th align="right">右</th><th align=CENTER>中</th></tr></thead><tbody><tr><td align="left">左</td><td valign="top">上</td></tr></tbody></table>',
  '<table align="center" border="1"><tr align="right"><td align="char">字</td><td align="right" style="text-align:left">左</td></tr></table>',
  '<p align="center">中央</p><center>中央の要素</center><div align="right"><font color="red" size="7">赤</font></div>',
  '<p style="text-align: RIGHT; Color: #F00; position: fixed">右</p><p style="">空</p><p class="">空</p>',
  '<script>alert(1)</script><style>p{}</style><p onclick="x()">文<object data="x"></object><svg><text>図</text></svg></p>',
  '<a href="javascript:alert(1)">悪</a><a href=" java\nscript:x">悪</a><a href="//evil.example/">相対</a><a href="/a?b=1&amp;c=2#d" target=_blank>内</a>',
  '<img src="data:image/png;base64,AAAA"><img src=x onerror=alert(1)><img src="https://example.com/a.png" alt="a &quot;b&quot; <c>">',
  '<iframe src="https://www.youtube.com/embed/x" width=560 height=315 allowfullscreen></iframe><iframe src="javascript:x"></iframe>',
  '<blockquote class="twitter-tweet" data-lang="ja"><p lang="ja">文</p></blockquote><script async src="https://platform.twitter.com/widgets.js"></script>',
  '<video src="http://example.com/a.mp4" controls autoplay></video><audio src="//example.com/a.mp3"></audio>',
  '<details><summary>要約</summary>本文</details><figure><img src="https://example.com/b.png"><figcaption>説明</figcaption></figure>',
  '<ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby><ruby>東<rt>とう<rt>きょう</ruby>',
  '<pre><code class="language-ts">if (a &lt; b &amp;&amp; c) {\n\tx()\n}</code></pre><code>  空白  </code>',
  '<h1 id="__NEXT_DATA__">一</h1><h2 id="目次">二</h2><h3 id="1">三</h3><h6 id="a b">四</h6>',
  '<p>&lt;script&gt; &amp;amp; &#x1F600; &#128512; &hearts; &notanentity; &copy &lt</p>',
  '<p>a < b > c & d <3 <> <!-- 注 --> <!DOCTYPE html> <?php echo 1 ?> <![CDATA[x]]></p>',
  '<p>👨\u200d👩\u200d👧\u200d👦 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} می\u200cخواهم \u202eevil\u202c か\u3099 ﾊﾟ 葛\u{e0100} \u00ad\ufeff\u2028</p>',
  '<p>\ud800 \u0000 \u0007 \ufffe</p>',
  '<b><i>交差</b></i><p><b>段落を<p>またぐ</b></p>',
  '<div><span><span style="font-size:200%;background:url(x)">入れ子</span></span></div><u>下線</u><s>取消</s><mark>印</mark>',
  '<input type="checkbox" checked><input type="text" value="x"><button>押す</button><select><option>甲</option></select>',
  '<form action="x"><textarea>文</textarea></form><marquee>流れる</marquee><blink>点滅</blink><custom-tag a="b">独自</custom-tag>',
  `${'<div>'.repeat(60)}深い${'</div>'.repeat(60)}`,
  '<table><tr><td>tbody なし<td>閉じない<tr><th scope=row colspan=2>二行目</table>',
  '<table><caption>題</caption><colgroup><col span="2" width="10"></colgroup><tr><td rowspan="2" width="50%">a</td></tr></table>',
  '<p>前</p>開始タグのない終了タグ</p>後</div></b>',
  '<hr><br><hr/><br />文<wbr>字<nobr>列</nobr>',
  "<p title='題' data-x=1 lang=en dir=rtl class='a  b\tc'>属性</p><time datetime=\"2024-01-01\">元日</time>",
  '<section role="doc-endnotes"><ol><li id="fn-x"><span>注</span><a href="#fnref-x" role="doc-backlink">↩</a></li></ol></section>',
]

/** Markdown with the HTML that Newt rendered from it. */
const markdowns: readonly [html: string, source: string][] = [
  ['<p><strong>強</strong></p>\n', '**強**'],
  [
    '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n<th align="center">c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right">2</td>\n<td align="center">3</td>\n</tr>\n</tbody>\n</table>\n',
    '| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |',
  ],
  [
    '<ul>\n<li><input type="checkbox" checked disabled> 済</li>\n<li><input type="checkbox" disabled> 未</li>\n</ul>\n',
    '- [x] 済\n- [ ] 未',
  ],
  ['<h2 id="題">題</h2>\n<p>一行<br>\n二行</p>\n', '## 題\n\n一行\n二行'],
  [
    '<pre><code class="language-js">a &lt; b\n</code></pre>\n<p><del>消</del> <code>c</code></p>\n',
    '```js\na < b\n```\n\n~~消~~ `c`',
  ],
  [
    '<ol>\n<li>一\n<ul>\n<li>二</li>\n</ul>\n</li>\n</ol>\n<blockquote>\n<p>引用</p>\n</blockquote>\n<hr>\n',
    '1. 一\n   - 二\n\n> 引用\n\n---',
  ],
  ['<div align="center"><b>生の HTML</b></div>\n', '<div align="center"><b>生の HTML</b></div>'],
  ['<p>a &lt; b &amp; c © 👨\u200d👩\u200d👧</p>\n', 'a < b & c &copy; 👨\u200d👩\u200d👧'],
]

/** Values of fields that are not HTML. Each is in a separate content. */
const values: readonly Record<string, Stored>[] = [
  { number: 3, flag: true, date: '2024-02-29T00:00:00.000Z', color: '#ABCDEF', words: ['a', ''] },
  { number: { $raw: '5e-7' }, flag: false, date: '', color: '', words: [] },
  { number: 12.5, flag: null, date: '1969-12-31T15:00:00.000Z', color: '#00ff7f80', words: null },
  { number: { $raw: '1e21' } },
  { number: { $raw: '0.1234567890123456789' } },
  { number: { $raw: '-0.0' }, number2: { $raw: '123456789012345678901234567890' } },
  {
    number: 0,
    emoji: { type: 'emoji', value: '👨\u200d👩\u200d👧\u200d👦' },
    custom: { label: '', body: '<p></p>' },
  },
  {
    emoji: { type: 'emoji', value: '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}' },
    custom: { label: '名', body: '<p>文</p>' },
    customs: [{ label: '一', body: '<p></p>', _id: idOf(0x7001) }],
    multi: [
      { _id: idOf(0x7101), type: 'RICH_TEXT', data: '<p></p>' },
      { _id: idOf(0x7102), type: 'RICH_TEXT', data: '<table><tr><td align="right">右</td></tr></table>' },
    ],
  },
]

/**
 * Returns the sample space with texts and values that an import could easily change: markup of other editors, blank
 * texts, joined emoji, direction marks, and numbers at the limits.
 */
export async function hostileSpace(): Promise<StoredSpace> {
  const space = await picturedSpace()
  space.app.name = '北のブログ 🧑🏽\u200d🌾'
  const createdAt = '2024-01-01T00:00:00.000Z'
  const add = (model: string, from: number, drafts: readonly Record<string, Stored>[]) => {
    for (const [index, draft] of drafts.entries())
      addContent(space, model, {
        id: idOf(from + index),
        createdAt,
        draft: { title: `${model} ${index}`, ...draft },
      })
  }
  const texts = richTexts.map((body) => ({ body }))
  add('rich-text', 0x6000, texts)
  add(
    'markdown',
    0x6100,
    markdowns.map(([$html, source]) => ({ memo: { $html, source } })),
  )
  add('value', 0x6200, values)
  return space
}
