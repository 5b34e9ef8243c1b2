import { Editor } from '@tiptap/core'
import { expect, it } from 'vitest'
import { renderMarkdown, sanitizeRichText } from '#server/content/html.ts'
import { allowedAttributes, allowedElements, styledElements } from '#shared/html-policy.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { contentStyles } from '#shared/html-styles.ts'
import { applyHtmlPolicy } from '../html-policy.ts'
import { richTextExtensions } from './extensions.ts'
import { lossOf } from './html-loss.ts'
import { writtenHtml } from './written-html.ts'

const picture = '<img src="https://a.example/a.png" />'
const film = 'https://a.example/v.mp4'

/** Each element in a valid context. `ATTRIBUTES` is replaced by further attributes. */
const homes: Record<string, string> = {
  br: '<p>a<br />b</p>',
  hr: '<p>a</p><hr /><p>b</p>',
  div: '<div ATTRIBUTES><p>a</p></div>',
  section: '<section ATTRIBUTES><p>a</p></section>',
  blockquote: '<blockquote ATTRIBUTES><p>a</p></blockquote>',
  pre: '<pre ATTRIBUTES>a\n  b</pre>',
  rb: '<p><ruby><rb>漢</rb><rt>かん</rt></ruby></p>',
  rt: '<p><ruby>漢<rt>かん</rt></ruby></p>',
  rp: '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>',
  ruby: '<p><ruby>漢<rt>かん</rt></ruby></p>',
  ul: '<ul ATTRIBUTES><li><p>a</p></li></ul>',
  ol: '<ol ATTRIBUTES><li><p>a</p></li></ol>',
  li: '<ol><li ATTRIBUTES><p>a</p><ul><li><p>b</p></li></ul></li></ol>',
  dl: '<dl ATTRIBUTES><dt>a</dt><dd>b</dd></dl>',
  dt: '<dl><dt ATTRIBUTES>a</dt><dd>b</dd></dl>',
  dd: '<dl><dt>a</dt><dd ATTRIBUTES>b</dd></dl>',
  details: '<details ATTRIBUTES><summary>a</summary><p>b</p></details>',
  summary: '<details><summary ATTRIBUTES>a</summary><p>b</p></details>',
  table: '<table ATTRIBUTES><tbody><tr><td><p>a</p></td></tr></tbody></table>',
  caption: '<table><caption ATTRIBUTES>a</caption><tbody><tr><td>b</td></tr></tbody></table>',
  colgroup: '<table><colgroup ATTRIBUTES><col /></colgroup><tbody><tr><td>b</td></tr></tbody></table>',
  col: '<table><colgroup><col ATTRIBUTES /></colgroup><tbody><tr><td>b</td></tr></tbody></table>',
  thead:
    '<table><thead ATTRIBUTES><tr><th><p>a</p></th></tr></thead><tbody><tr><td><p>b</p></td></tr></tbody></table>',
  tbody: '<table><tbody ATTRIBUTES><tr><td><p>b</p></td></tr></tbody></table>',
  tfoot: '<table><tbody><tr><td>b</td></tr></tbody><tfoot ATTRIBUTES><tr><td>c</td></tr></tfoot></table>',
  tr: '<table><tbody><tr ATTRIBUTES><td><p>b</p></td></tr></tbody></table>',
  td: '<table><tbody><tr><td ATTRIBUTES><p>b</p></td></tr></tbody></table>',
  th: '<table><tbody><tr><th ATTRIBUTES><p>b</p></th></tr></tbody></table>',
  a: '<p><a href="https://a.example/" ATTRIBUTES>a</a></p>',
  img: '<img src="https://a.example/a.png" ATTRIBUTES />',
  picture: `<picture ATTRIBUTES><source srcset="https://a.example/a.webp" />${picture}</picture>`,
  video: `<video src="${film}" controls muted ATTRIBUTES></video>`,
  audio: '<audio src="https://a.example/a.mp3" ATTRIBUTES></audio>',
  source: `<video controls><source src="${film}" ATTRIBUTES /></video>`,
  track: '<video controls><track src="https://a.example/a.vtt" ATTRIBUTES /></video>',
  figure: `<figure ATTRIBUTES>${picture}<figcaption>a</figcaption></figure>`,
  figcaption: `<figure>${picture}<figcaption ATTRIBUTES>a</figcaption></figure>`,
  input: '<ul><li><p><input checked disabled type="checkbox" /> a</p></li></ul>',
  iframe: '<iframe src="https://a.example/1" ATTRIBUTES></iframe>',
  script: '<script async src="https://platform.twitter.com/widgets.js"></script>',
  ...Object.fromEntries(
    ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, `<${name} ATTRIBUTES>a</${name}>`]),
  ),
}
const homeOf = (element: string) => homes[element] ?? `<p>a<${element} ATTRIBUTES>b</${element}>c</p>`
const withAttributes = (element: string, attributes: string) =>
  homeOf(element).replace(' ATTRIBUTES', attributes === '' ? '' : ` ${attributes}`)

/** A value for each attribute that does not accept arbitrary text. */
const values: Record<string, string> = {
  href: 'https://a.example/',
  src: film,
  srcset: 'https://a.example/a.png 2x',
  poster: 'https://a.example/p.png',
  type: 'a',
  rel: 'noopener',
  target: '_blank',
  datetime: '2026-11-24',
  scope: 'col',
}
const flags = new Set(
  'reversed open checked disabled controls loop muted autoplay playsinline default'.split(' '),
)
const attributeOf = (name: string) =>
  flags.has(name)
    ? name
    : `${name}="${values[name] ?? (/^(?:width|height|.*span|start|value)$/.test(name) ? '3' : 'x')}"`

/** Values for style properties. Other properties get a border or the length `1em`. */
const styles: Record<string, string> = {
  'font-size': '14px',
  'font-weight': 'bold',
  'font-style': 'italic',
  'text-decoration': 'underline',
  'text-align': 'center',
  'vertical-align': 'super',
  'white-space': 'pre-wrap',
  'list-style-type': 'lower-alpha',
  float: 'right',
  clear: 'both',
  'border-collapse': 'collapse',
  'aspect-ratio': '16 / 9',
  color: 'rgb(230, 0, 0)',
  'background-color': '#ff0',
}
const styleOf = (property: string) =>
  `${property}:${styles[property] ?? (property.startsWith('border') && !property.endsWith('radius') ? '1px solid red' : '1em')}`

const samples: [string, string][] = allowedElements.flatMap((element): [string, string][] => [
  // A span without attributes is removed.
  ...(element === 'span' ? [] : [[element, withAttributes(element, '')] as [string, string]]),
  ...(allowedAttributes[element] ?? [])
    .filter((name) => !withAttributes(element, '').includes(` ${name}`))
    .map((name): [string, string] => [`${element} ${name}`, withAttributes(element, attributeOf(name))]),
  ...(/^h\d$/.test(element)
    ? [[`${element} id`, withAttributes(element, 'id="目次-1"')] as [string, string]]
    : []),
  ...(styledElements.includes(element)
    ? [
        [`${element} class`, withAttributes(element, 'class="own md:flex"')] as [string, string],
        [`${element} style`, withAttributes(element, 'style="color:rgb(230, 0, 0);margin-left:1em"')] as [
          string,
          string,
        ],
      ]
    : []),
])
samples.push(
  ...Object.keys(contentStyles).map((property): [string, string] => [
    `style ${property}`,
    withAttributes('p', `style="${styleOf(property)}"`),
  ]),
)

/** Normalises HTML: attributes sorted by name, styles as the DOM serialises them. */
function canonical(html: string): string {
  const { body } = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  for (const element of body.querySelectorAll('*')) {
    const attributes = [...element.attributes].map(({ name, value }) => [name, value] as const)
    for (const [name] of attributes) element.removeAttribute(name)
    for (const [name, value] of attributes.sort(([a], [b]) => (a < b ? -1 : 1))) {
      element.setAttribute(name, value)
      if (name === 'style') element.setAttribute(name, (element as HTMLElement).style.cssText)
    }
  }
  return body.innerHTML
}

const fragmentHtml = (content: DocumentFragment) => {
  const box = document.createElement('div')
  box.append(content)
  return box.innerHTML
}

it.each(samples)('the editor, the HTML policy and the Markdown renderer keep %s unchanged', (_name, html) => {
  const before = canonical(html)
  const editor = new Editor({ extensions: richTextExtensions(), content: html })
  const written = writtenHtml(editor)
  const inPage = editor.view.dom
  expect(inPage.querySelector('.own, #目次-1')).toBeNull()
  editor.destroy()
  expect(canonical(written)).toBe(before)
  expect(lossOf(html)).toEqual([])
  expect(canonical(sanitizeRichText(written))).toBe(before)
  expect(canonical(renderMarkdown(html).trim())).toContain(before)
  const { content, removed } = applyHtmlPolicy(html)
  expect(removed).toEqual([])
  expect(canonical(fragmentHtml(content))).toBe(before)
  expect([...removalsOf(html).keys()]).toEqual([])
})
