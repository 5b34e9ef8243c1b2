import { expect, it } from 'vitest'
import { renderPreview } from './render-preview.ts'

function preview(source: string): string {
  const box = document.createElement('div')
  box.append(renderPreview(source))
  return box.innerHTML
}

it('renders emphasis next to Japanese punctuation', () => {
  expect(preview('**「重点」**です')).toContain('<strong>「重点」</strong>です')
})

it('renders allowed raw HTML and unwraps other elements', () => {
  expect(preview('<b>html</b> <font color="red">x</font>')).toBe('<p><b>html</b> x</p>\n')
})

it('removes scripts, event handlers and `javascript:` links', () => {
  const html = preview('<img src=x onerror=alert(1)><script>alert(1)</script>\n\n[x](javascript:alert(1))')
  expect(html).not.toMatch(/onerror|<script|href/)
})

it('keeps line breaks and opens links in a new tab', () => {
  expect(preview('一\n二')).toContain('<br>')
  expect(preview('[a](https://example.com)')).toContain('target="_blank" rel="noopener noreferrer"')
})

it('ends a URL before the Japanese text that follows it', () => {
  expect(preview('https://example.com/aをご覧ください。')).toMatch(
    /^<p><a href="https:\/\/example\.com\/a" [^>]*>https:\/\/example\.com\/a<\/a>をご覧ください。<\/p>/,
  )
})

it('replaces a frame by a link with its title, and links a footnote to its text', () => {
  const html = preview('<iframe src="https://player.example/1" title="動画"></iframe>\n\n文[^1]\n\n[^1]: 注')
  expect(html).not.toMatch(/<iframe|<script/)
  expect(html).toMatch(/<a href="https:\/\/player.example\/1" data-frame="" target="_blank" [^>]*>動画<\/a>/)
  const [, id] = /href="#(fn-[^"]+)"/.exec(html) ?? []
  expect(html).toContain(`<li id="${id}"><span>注</span>`)
  expect(html).not.toMatch(/href="#[^>]*target/)
})
