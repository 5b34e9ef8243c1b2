import { expect, it } from 'vitest'
import { renderPreview } from './render-preview.ts'

it('emphasis works beside Japanese punctuation', () => {
  expect(renderPreview('**「重点」**です')).toContain('<strong>「重点」</strong>です')
})

it('raw HTML stays text, scripts are no links', () => {
  const html = renderPreview('<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))')
  expect(html).not.toContain('<img')
  expect(html).not.toContain('href')
})

it('line breaks are kept, links open beside the admin', () => {
  expect(renderPreview('一\n二')).toContain('<br>')
  expect(renderPreview('[a](https://example.com)')).toContain('target="_blank" rel="noopener noreferrer"')
})
