import { expect, it } from 'vitest'
import { markedSpans } from './typed-marks.ts'

const marked = (text: string) =>
  markedSpans(text).map(({ mark, from, to, length }) => [mark, text.slice(from + length, to - length)])

it.each([
  ['これは**大事**', [['bold', '大事']]],
  ['「*大事*」です', [['italic', '大事']]],
  ['値段は~~百円~~', [['strike', '百円']]],
  [
    '関数`f`と**太字**',
    [
      ['code', 'f'],
      ['bold', '太字'],
    ],
  ],
  ['**「重点」**', [['bold', '「重点」']]],
  ['「__重点__」', [['bold', '重点']]],
  ['a *b c* d', [['italic', 'b c']]],
])('`markedSpans` finds the marked text in %s', (text, expected) => {
  expect(markedSpans(text).length).toBe(expected.length)
  for (const one of expected) expect(marked(text)).toContainEqual(one)
})

it.each([
  '2*3*4',
  '価格*と送料*は',
  'a_b_c',
  '** x **',
  '****',
  '***',
  '**大事*',
  '``',
  '~~ ~~',
  '**a',
  '* a * b',
])('`markedSpans` finds no marked text in %s', (text) => expect(markedSpans(text)).toEqual([]))
