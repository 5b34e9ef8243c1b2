import { expect, it } from 'vitest'
import { findHits } from './use-highlight.ts'

it.each([
  ['イモリの池', ['いもり'], ['イモリ']],
  ['ｲﾓﾘとｶﾞﾏ', ['がま', 'いもり'], ['ｶﾞﾏ', 'ｲﾓﾘ']],
  ['池と池', ['池'], ['池', '池']],
  ['Ｎｅｗｔ newt', ['newt'], ['Ｎｅｗｔ', 'newt']],
  ['㍿イモリ', ['会社いも'], ['㍿イモ']],
  ['か\u3099ま', ['がま'], ['か\u3099ま']],
  ['😀池', ['池'], ['池']],
  ['池', ['沼'], []],
])('`findHits` finds in %s for %j the hits %j', (text, words, hits) => {
  expect(findHits(text, words).map(([from, to]) => text.slice(from, to))).toEqual(hits)
})
