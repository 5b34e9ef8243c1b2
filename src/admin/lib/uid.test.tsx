import { beforeAll, describe, expect, it } from 'vitest'
import { activateCatalogue, loadCatalogue } from '#admin/i18n/messages.ts'
import { suggestUid, uidText } from './uid.ts'

beforeAll(async () => activateCatalogue(await loadCatalogue('ja')))

describe('suggestUid', () => {
  it.each([
    ['My Blog', 'my-blog'],
    ['  Café 2 Go!! ', 'cafe-2-go'],
    ['ＡＣＭＥ', 'acme'],
    ['2026 News', 'news'],
    ['池田屋 Corporate', 'corporate'],
    ['会社ブログ', 'company-blog'],
    ['ブログ', 'blog'],
    ['いもりのにっき', 'imorinonikki'],
    ['イモリの記事', 'imori-article'],
    ['池田屋', ''],
    ['第2回Aチーム', ''],
    ['Login', ''],
    ['', ''],
  ])('converts %j to %j', (name, uid) => {
    expect(suggestUid('space', name)).toBe(uid)
  })

  it('truncates a long uid without a hyphen at the end', () => {
    expect(suggestUid('app', `${'a'.repeat(39)} tail`)).toBe('a'.repeat(39))
  })
})

describe('uidText', () => {
  it('returns null for a valid uid', () => {
    expect(uidText('app', 'blog_2-x')).toBeNull()
  })

  it.each([
    ['space', '', '入力してください'],
    ['space', 'login', '予約'],
    ['app', 'space', '予約'],
    ['app', '日本語', '半角'],
    ['app', '1st', '英字'],
    ['app', 'a'.repeat(65), '64'],
  ] as const)('returns for the %s uid %j a message that contains %j', (kind, uid, words) => {
    expect(uidText(kind, uid)).toContain(words)
  })
})
