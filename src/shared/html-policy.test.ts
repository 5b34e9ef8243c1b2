import { describe, expect, it } from 'vitest'
import { isKeptAddress } from './html-policy.ts'

describe('isKeptAddress', () => {
  it.each([
    'https://www.youtube.com@evil.test/embed/x',
    'https://www.youtube.com:443@evil.test/embed/x',
    'https:\\\\www.youtube.com@evil.test',
    'https:www.youtube.com%40x@evil.test',
    'https://www.youtube.com\n@evil.test/',
    'https://@evil.test/',
  ])('refuses credentials before the host of a frame or script: %j', (address) => {
    expect(isKeptAddress('iframe', 'src', address)).toBe(false)
    expect(isKeptAddress('script', 'src', address)).toBe(false)
  })

  it.each([
    'https://www.youtube.com/@someone/live',
    'https://example.com/a?b=c@d',
    'https://example.com/#@x',
  ])('accepts "@" after the host of a frame: %j', (address) => {
    expect(isKeptAddress('iframe', 'src', address)).toBe(true)
  })

  it('accepts credentials in the address of a link', () => {
    expect(isKeptAddress('a', 'href', 'https://user@example.com/')).toBe(true)
  })
})
