import { expect, it } from 'vitest'
import { readingOf } from './use-reading.ts'

const heard = new Map([
  ['記事', 'きじ'],
  ['開催日', 'かいさいび'],
  ['第3回', 'だい3かい'],
  ['はじめての記事', 'はじめてのきじ'],
  ['書き方', 'かきかた'],
  ['方', 'ほう'],
  ['井守', 'いもり'],
])

it.each([
  ['開催日', 'かいさいび'],
  ['はじめての記事', 'はじめて の きじ'],
  ['ブログの記事', 'ブログ の きじ'],
  ['Imori 記事 24', 'Imori   きじ   24'],
  ['記事の書き方', 'きじ の かきかた'],
  ['第3回', 'だい 3 かい'],
  ['いもり', 'いもり'],
  // Parts without a known reading stay as they are.
  ['井守の春', 'いもりの春'],
  ['', ''],
])('`readingOf` reads %j as %j', (text, reading) => expect(readingOf(text, heard)).toBe(reading))
