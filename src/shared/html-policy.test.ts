import { describe, expect, it } from 'vitest'
import { isKeptAddress } from './html-policy.ts'

describe('an address of a frame', () => {
  it.each([
    'https://www.youtube.com@evil.test/embed/x',
    'https://www.youtube.com:443@evil.test/embed/x',
    'https:\\\\www.youtube.com@evil.test',
    'https:www.youtube.com%40x@evil.test',
    'https://www.youtube.com\n@evil.test/',
    'https://@evil.test/',
  ])('is refused if credentials precede its host: %j', (address) => {
    expect(isKeptAddress('iframe', 'src', address)).toBe(false)
    expect(isKeptAddress('script', 'src', address)).toBe(false)
  })

  it.each([
    'https://www.youtube.com/@someone/live',
    'https://example.com/a?b=c@d',
    'https://example.com/#@x',
  ])('may contain the sign @ elsewhere: %j', (address) => {
    expect(isKeptAddress('iframe', 'src', address)).toBe(true)
  })

  it('may not contain credentials, unlike the address of a link', () => {
    expect(isKeptAddress('a', 'href', 'https://user@example.com/')).toBe(true)
  })
})
