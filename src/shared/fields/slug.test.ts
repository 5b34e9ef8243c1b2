import { expect, it } from 'vitest'
import { makeSlug } from './slug.ts'

it.each([
  ['Hello, World!', 'hello-world'],
  ['Ｉｍｏｒｉ　１．０ リリース', 'imori-1-0-ririsu'],
  ["Café & Bar's 24", 'cafe-bars-24'],
  ['イモリ の はなし', 'imori-no-hanashi'],
  ['ｶﾞｲﾄﾞ・ブックをつくる', 'gaido-bukku-otsukuru'],
  ['きょうとのマッチャ', 'kyotono-matcha'],
  ['ッー', ''],
  ['いもりの話', ''],
  ['Imoriの話 2', 'imori-2'],
  ['--a--', 'a'],
  ['', ''],
  [
    `${'word '.repeat(20)}`,
    'word-word-word-word-word-word-word-word-word-word-word-word-word-word-word-word',
  ],
  ['x'.repeat(200), 'x'.repeat(80)],
])('makeSlug converts %j to %j', (text, slug) => expect(makeSlug(text)).toBe(slug))
