import { expect, test } from 'vitest'
import { fieldSchema } from '#shared/fields/index.ts'
import { charactersOf, documentText, gramsOf, normalizeText } from './text.ts'

const field = (id: string, settings: object) =>
  fieldSchema.parse({ _id: id.repeat(24), uid: `f${id}`, name: id, ...settings })
const model = {
  fields: [
    field('1', { type: 'TEXT' }),
    field('2', { type: 'RICH_TEXT' }),
    field('3', { type: 'TEXT', multiple: true }),
    field('4', { type: 'NUMBER' }),
    field('5', { type: 'MARKDOWN' }),
  ],
}
const key = (id: string) => id.repeat(24)

const textOf = (values: Record<string, unknown>) => documentText(model, values)

test('documentText returns texts by field, normalised and without markup', async () => {
  const { texts } = await textOf({
    [key('1')]: 'ｱｯﾌﾟﾙ ＡＢＣ',
    [key('2')]: '<p>Ｔｏｋｙｏ &amp; 東京</p><p>二</p>',
    [key('3')]: ['甲', '乙'],
    [key('4')]: 12,
  })
  expect(texts).toEqual({ [key('1')]: 'アップル abc', [key('2')]: 'tokyo & 東京\n二', [key('3')]: '甲\n乙' })
})

test('documentText returns the texts, grams and characters of a long text', async () => {
  const long = 'ｱｯﾌﾟﾙか\u3099 ΟΔΟΣ ㍿😀한국어 e\u0301'.repeat(3_000)
  const { texts, grams, characters } = await textOf({ [key('1')]: long })
  expect(texts[key('1')]).toBe(long.normalize('NFKC').toLowerCase())
  expect(grams.toSorted((a, b) => a - b)).toEqual(gramsOf(normalizeText(long)))
  expect(characters).toEqual(charactersOf(normalizeText(long)))
})

test('documentText cuts a text that normalization makes too long, between characters', async () => {
  const { texts } = await textOf({ [key('1')]: '\ufdfa'.repeat(290_000), [key('5')]: '大阪城' })
  const cut = texts[key('1')] ?? ''
  expect(cut.length).toBeGreaterThan(1_000_000 - 18 * 16_384)
  expect(cut.length).toBeLessThanOrEqual(1024 * 1024)
  expect(cut).toBe('\ufdfa'.normalize('NFKC').repeat(cut.length / 18))
  expect(texts[key('5')]).toBe('大阪城')
})

test('documentText returns the grams of contained texts, but not of three absent pairs', async () => {
  const { grams } = await textOf({ [key('1')]: '東京タワー😀と', [key('5')]: '大阪城' })
  expect(new Set(grams).size).toBe(grams.length)
  expect(grams.every((gram) => Number.isInteger(gram) && gram >= -(2 ** 31) && gram < 2 ** 31)).toBe(true)
  for (const part of ['東京', 'タワー', 'ー😀と', '阪城'])
    expect(grams).toEqual(expect.arrayContaining(gramsOf(part)))
  for (const kana of ['たわー', 'タわ']) expect(grams).toEqual(expect.arrayContaining(gramsOf(kana)))
  for (const other of ['京都', 'と大', 'かー'])
    expect(grams).not.toEqual(expect.arrayContaining(gramsOf(other)))
  expect(gramsOf('京')).toEqual([])
})

test('gramsOf returns the hash that existing databases store for a pair of characters', () => {
  expect(gramsOf(normalizeText('ＡＢc'))).toEqual(gramsOf('abc'))
  expect(gramsOf('東京')).toEqual([-189477975])
})
