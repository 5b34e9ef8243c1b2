import { expect, it } from 'vitest'
import { preferredLanguage } from './languages.ts'

it.each([
  [['en-US', 'ja'], 'en'],
  [['fr', 'ja-JP', 'en'], 'ja'],
  ['de, en;q=0.9, ja;q=0.8'.split(','), 'en'],
  [['ja_JP.UTF-8'], 'ja'],
  [['english', 'jam'], 'ja'],
  [[''], 'ja'],
  [undefined, 'ja'],
])('preferredLanguage of %j is %s', (tags, expected) => expect(preferredLanguage(tags)).toBe(expected))

it('preferredLanguage returns the second argument if no tag is supported', () => {
  expect(preferredLanguage(['fr_FR'], 'en')).toBe('en')
})
