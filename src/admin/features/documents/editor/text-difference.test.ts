import { expect, it } from 'vitest'
import { markDifferences } from './text-difference.ts'

const marked = (text: string, other: string) =>
  markDifferences(text, other)
    .map((stretch) => (stretch.own ? `[${stretch.text}]` : stretch.text))
    .join('')

it('markDifferences marks words that the other text does not have, in Japanese and English', () => {
  expect(marked('春の池にイモリがいる', '冬の池にイモリがいる')).toBe('[春]の池にイモリがいる')
  expect(marked('冬の池にイモリがいる', '春の池にイモリがいる')).toBe('[冬]の池にイモリがいる')
  expect(marked('a big red newt', 'a red newt')).toBe('a [big ]red newt')
  expect(marked('同じ', '同じ')).toBe('同じ')
  expect(marked('全部', '')).toBe('[全部]')
})

it('markDifferences marks nothing if the comparison exceeds its time limit', () => {
  const text = (seed: number) => Array.from({ length: 20_000 }, (_, n) => `w${(n * seed) % 7919}`).join(' ')
  expect(markDifferences(text(31), text(97))).toEqual([{ text: text(31), own: false }])
})
