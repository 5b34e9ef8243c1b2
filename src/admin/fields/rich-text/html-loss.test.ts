import { expect, it } from 'vitest'
import { usableAddress } from './address-form.tsx'
import { lossOf } from './html-loss.ts'

it('names what the editor would drop, and nothing of its own', () => {
  expect(
    lossOf(
      '<p style="text-align: center">a<br><strong>b</strong></p><table><tbody><tr><td colspan="2"><p>c</p></td></tr></tbody></table>',
    ),
  ).toEqual([])
  expect(lossOf('<div class="box"><video></video></div><p style="color:red" class="x">a</p>')).toEqual([
    'div',
    'p[class]',
    'p[style]',
    'video',
  ])
  expect(lossOf('文字だけ')).toEqual([])
})

it('takes addresses of links and pictures, and none that run', () => {
  expect(usableAddress('https://example.com/a', 'link')).toBe('https://example.com/a')
  expect(usableAddress('example.com/a', 'image')).toBe('https://example.com/a')
  expect(usableAddress('/about', 'link')).toBe('/about')
  expect(usableAddress('mailto:a@example.com', 'link')).toBe('mailto:a@example.com')
  expect(usableAddress('mailto:a@example.com', 'image')).toBeNull()
  expect(usableAddress('javascript:alert(1)', 'link')).toBeNull()
  expect(usableAddress('//example.com', 'link')).toBeNull()
})
