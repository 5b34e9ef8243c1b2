import { describe, expect, it } from 'vitest'
import { uidProblem } from '#shared/identifiers.ts'
import { suggestFieldUid, suggestModelUid } from './suggest-uid.ts'

const none: ReadonlySet<string> = new Set()

describe('suggestFieldUid', () => {
  it.each([
    ['Meta title', 'metaTitle'],
    ['metaTitle', 'metaTitle'],
    ['OGP画像', 'ogpImage'],
    ['ＳＥＯ タイトル', 'seoTitle'],
    ['Café crème', 'cafeCreme'],
    ['2nd price', 'price'],
    ['本文', 'body'],
    [' カテゴリー ', 'category'],
    ['順番', 'position'],
  ])('suggests for "%s" the uid %s', (name, uid) => {
    expect(suggestFieldUid(name, 'TEXT', none)).toBe(uid)
  })

  it('uses the reading of a name in kanji, or else the field type with a number', () => {
    expect(suggestFieldUid('肩書き', 'TEXT', none)).toBe('text1')
    expect(suggestFieldUid('肩書き', 'TEXT', none, 'かたがき')).toBe('katagaki')
    expect(suggestFieldUid('はじめての出会い', 'TEXT', none, 'はじめて の であい')).toBe('hajimeteDeai')
    expect(suggestFieldUid('よくある質問', 'TEXT', none, 'よく ある しつもん')).toBe('faq')
    expect(suggestFieldUid('肩書き', 'TEXT', new Set(['text1', 'text2']))).toBe('text3')
    expect(suggestFieldUid('', 'RICH_TEXT', none)).toBe('richText1')
  })

  it('avoids uids that are taken or reserved', () => {
    expect(suggestFieldUid('Title', 'TEXT', new Set(['title']))).toBe('title2')
    expect(suggestFieldUid('order', 'NUMBER', none)).toBe('order2')
    expect(suggestFieldUid('constructor', 'TEXT', none)).toBe('constructor2')
  })

  it('suggests valid uids for unusual names', () => {
    for (const name of ['__proto__', 'x'.repeat(500), '-- 1 a', '🦎', 'İstanbul', 'ﬁeld', 'select', '_id'])
      expect(uidProblem('field', suggestFieldUid(name, 'TEXT', none)), name).toBeNull()
  })
})

describe('suggestModelUid', () => {
  it('returns a slug of the name, its translation or its reading, or a numbered uid', () => {
    expect(suggestModelUid('Blog posts', none)).toBe('blog-posts')
    expect(suggestModelUid('お知らせ', none)).toBe('news')
    expect(suggestModelUid('研究室', none)).toBe('model1')
    expect(suggestModelUid('研究室', none, 'けんきゅうしつ')).toBe('kenkyushitsu')
    expect(suggestModelUid('記事', none, 'きじ')).toBe('article')
    expect(suggestModelUid('settings', none)).toBe('settings2')
    expect(suggestModelUid('News', new Set(['news', 'news2']))).toBe('news3')
  })
})
