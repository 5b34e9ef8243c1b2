import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { sanitizeEmbedCode } from './embed-code.ts'

const frame = (attributes: string) => `<iframe src="https://player.example/1"${attributes}></iframe>`
const filling = ' style="top:0;left:0;width:100%;height:100%;position:absolute;border:0"'

describe('an embed code', () => {
  it.each([
    frame(' width="560" height="315" allowfullscreen loading="lazy"'),
    `<div style="left:0;width:100%;height:0;position:relative;padding-bottom:56.25%">${frame(filling)}</div>`,
    `<div style="padding:56.25% 0 0 0;position:relative">${frame(filling)}</div>`,
    '<blockquote class="twitter-tweet" data-lang="ja"><p lang="ja" dir="ltr">今日は<br />晴れ</p>— ' +
      '<a href="https://twitter.com/a/status/1">11月21日</a></blockquote>' +
      '<script async src="https://platform.twitter.com/widgets.js" charset="utf-8"></script>',
    '<img src="https://photo.example/1.jpg" alt="海 &amp; 山" />',
  ])('is kept unchanged: %s', (code) => expect(sanitizeEmbedCode(code)).toBe(code))

  it.each([
    [`<script>alert(1)</script>${frame('')}`, frame('')],
    [`<script src="https://evil.example/x.js"></script>${frame('')}`, frame('')],
    [`<script src="https://platform.twitter.com.evil.example/x.js"></script>${frame('')}`, frame('')],
    [`<script src="http://platform.twitter.com/widgets.js"></script>${frame('')}`, frame('')],
    [
      '<script src="https://platform.twitter.com/widgets.js">alert(1)</script>',
      '<script src="https://platform.twitter.com/widgets.js"></script>',
    ],
    [`<iframe srcdoc="<script>alert(1)</script>"></iframe>${frame('')}`, frame('')],
    [frame(' onload="alert(1)"'), frame('')],
    [frame(' style="position:fixed;inset:0;z-index:9"'), frame('')],
    [frame(filling), frame(' style="top:0;left:0;width:100%;height:100%;border:0"')],
    [
      `<figure style="position:relative">${frame(' style="position:absolute"')}</figure>`,
      `<figure>${frame('')}</figure>`,
    ],
    [frame(' name="x" sandbox="allow-scripts allow-top-navigation"'), frame(' sandbox="allow-scripts"')],
    [frame(' allow="camera *; autoplay; microphone"'), frame(' allow="autoplay"')],
    ['<iframe src="//player.example/1"></iframe>', frame('')],
    [`<style>*{display:none}</style>${frame('')}`, frame('')],
  ])('is sanitized: %s', (code, kept) => expect(sanitizeEmbedCode(code)).toBe(kept))

  it.each([
    '<p>a text</p>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<iframe src="http://player.example/1"></iframe>',
    '<iframe src="/admin"></iframe>',
    '<iframe src="data:text/html,x"></iframe>',
    '<script>alert(1)</script>',
    '<svg onload="alert(1)"></svg>',
    '',
  ])('is rejected: %j', (code) => expect(sanitizeEmbedCode(code)).toBeNull())

  it('of about 16,384 characters takes less than 10 seconds of CPU time, and a second pass changes nothing', () => {
    const pieces = [
      '<iframe src="https://a.example">',
      '<script>',
      '<div style="width:1px;',
      '<a href="https://a.example/',
      '</',
      '<!--',
    ]
    const reading = () => {
      for (const piece of pieces) {
        const code = sanitizeEmbedCode(piece.repeat(16_384 / piece.length))
        if (code !== null) expect(sanitizeEmbedCode(code)).toBe(code)
      }
    }
    expect(cpuTime(reading)).toBeLessThan(10_000)
  })
})
