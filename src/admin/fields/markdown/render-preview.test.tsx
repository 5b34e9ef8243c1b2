import { expect, it } from 'vitest'
import { renderPreview } from './render-preview.ts'

function preview(source: string): string {
  const box = document.createElement('div')
  box.append(renderPreview(source))
  return box.innerHTML
}

it('the Markdown preview renders emphasis next to Japanese punctuation', () => {
  expect(preview('**「重点」**です')).toContain('<strong>「重点」</strong>です')
})

it('the Markdown preview renders `<b>` in raw HTML, and unwraps `<font>`', () => {
  expect(preview('<b>html</b> <font color="red">x</font>')).toBe('<p><b>html</b> x</p>\n')
})

it('the Markdown preview removes scripts, an `onerror` handler and a `javascript:` URL', () => {
  const html = preview('<img src=x onerror=alert(1)><script>alert(1)</script>\n\n[x](javascript:alert(1))')
  expect(html).not.toMatch(/onerror|<script|href/)
})

it('the Markdown preview keeps line breaks, and opens a link to another site in a new tab', () => {
  expect(preview('一\n二')).toContain('<br>')
  expect(preview('[a](https://example.com)')).toContain('target="_blank" rel="noopener noreferrer"')
})

it('the Markdown preview ends a URL before the Japanese text that follows it', () => {
  expect(preview('https://example.com/aをご覧ください。')).toMatch(
    /^<p><a href="https:\/\/example\.com\/a" [^>]*>https:\/\/example\.com\/a<\/a>をご覧ください。<\/p>/,
  )
})

it('the Markdown preview replaces a frame by a link, and links a footnote reference to the footnote', () => {
  const html = preview('<iframe src="https://player.example/1" title="動画"></iframe>\n\n文[^1]\n\n[^1]: 注')
  expect(html).not.toMatch(/<iframe|<script/)
  expect(html).toMatch(/<a href="https:\/\/player.example\/1" data-frame="" target="_blank" [^>]*>動画<\/a>/)
  const [, id] = /href="#(fn-[^"]+)"/.exec(html) ?? []
  expect(html).toContain(`<li id="${id}"><span>注</span>`)
  expect(html).not.toMatch(/href="#[^>]*target/)
})
