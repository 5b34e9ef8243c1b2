import { expect, it } from 'vitest'
import { makeSlug } from './slug.ts'

it.each([
  ['Hello, World!', 'hello-world'],
  ['Ｉｍｏｒｉ　１．０ リリース', 'imori-1-0'],
  ["Café & Bar's 24", 'cafe-bars-24'],
  ['いもりの話', ''],
  ['--a--', 'a'],
  ['', ''],
  [
    `${'word '.repeat(20)}`,
    'word-word-word-word-word-word-word-word-word-word-word-word-word-word-word-word',
  ],
  ['x'.repeat(200), 'x'.repeat(80)],
])('the slug of %j is %j', (text, slug) => expect(makeSlug(text)).toBe(slug))
