import { expect, it } from 'vitest'
import { romajiOf } from './romaji.ts'

it.each([
  ['ブログ', 'burogu'],
  ['いもり', 'imori'],
  ['きょうと', 'kyoto'],
  ['しゃしん', 'shashin'],
  ['ちゃっと', 'chatto'],
  ['マッチ', 'matchi'],
  ['チーム', 'chimu'],
  ['ファイル', 'fairu'],
  ['ウェブ', 'webu'],
  ['パーティー', 'pati'],
  ['ｶﾞｲﾄﾞ', 'gaido'],
  ['ジョブ', 'jobu'],
])('romajiOf converts %s to %s', (kana, latin) => expect(romajiOf(kana)).toBe(latin))

it('romajiOf returns null for text that it cannot read as kana', () => {
  for (const text of ['記事', 'abc', 'ブログ1', '🦎', 'ゃ']) expect(romajiOf(text)).toBeNull()
})
