import { describe, expect, it } from 'vitest'
import { publicationOf, type Sign } from './publication-of.ts'
import { signsIn } from './signs.ts'

const clock = { now: new Date('2026-03-01T00:00:00Z'), zone: '+09:00' }
const past = '2026-02-28T23:00:00Z'
const future = '2026-03-01T01:00:00Z'
const stateOf = (content: Record<string, unknown>) => publicationOf(signsIn(content), clock).state
const decide = (...signs: [Sign['kind'], unknown][]) =>
  publicationOf(
    signs.map(([kind, value]) => ({ kind, key: kind, value })),
    clock,
  ).state

describe('publicationOf', () => {
  it.each<[Sign['kind'], unknown, string]>([
    ['status', 'Published', 'published'],
    ['status', ' PUBLISH ', 'published'],
    ['status', '公開中', 'published'],
    ['status', '公開済み', 'published'],
    ['status', 'Draft', 'draft'],
    ['status', 'pending_review', 'draft'],
    ['status', '下書き', 'draft'],
    ['status', '公開中（変更あり）', 'draft'],
    ['status', 'Future', 'scheduled'],
    ['status', '日時指定', 'scheduled'],
    ['status', 'archived', 'archived'],
    ['status', '公開終了', 'archived'],
    ['status', 'private', 'hidden'],
    ['status', '限定公開', 'hidden'],
    ['status', 'members only', 'hidden'],
    ['status', 'trash', 'trashed'],
    ['status', 'shipped', 'unknown'],
    ['status', 1, 'unknown'],
    ['status', { name: 'Published' }, 'unknown'],
    ['status', '', 'unknown'],
    ['status', null, 'unknown'],
    ['status', ['PUBLISH'], 'published'],
    ['status', ['PUBLISH', 'DRAFT'], 'draft'],
    ['published', true, 'published'],
    ['published', 'TRUE', 'published'],
    ['published', '1', 'published'],
    ['published', 'はい', 'published'],
    ['published', '○', 'published'],
    ['published', false, 'draft'],
    ['published', 0, 'draft'],
    ['published', 'いいえ', 'draft'],
    ['published', '公開', 'published'],
    ['published', past, 'published'],
    ['published', future, 'scheduled'],
    ['published', 'perhaps', 'unknown'],
    ['published', '-1', 'unknown'],
    ['published', -1, 'unknown'],
    ['published', '2', 'unknown'],
    ['draft', 'yes', 'draft'],
    ['draft', 'true', 'draft'],
    ['draft', 'no', 'published'],
    ['draft', 'soon', 'unknown'],
    ['hidden', true, 'hidden'],
    ['hidden', 'hunter2', 'hidden'],
    ['hidden', 'false', 'unknown'],
    ['archived', 'on', 'archived'],
    ['trashed', past, 'trashed'],
    ['trashed', null, 'unknown'],
    ['shown', false, 'hidden'],
    ['shown', true, 'unknown'],
    ['shown', 'members', 'hidden'],
    ['audience', 'public', 'unknown'],
    ['audience', '全員', 'unknown'],
    ['audience', 'private', 'hidden'],
    ['audience', false, 'hidden'],
    ['publishedAt', past, 'published'],
    ['publishedAt', future, 'scheduled'],
    ['publishedAt', null, 'draft'],
    ['publishedAt', '', 'draft'],
    ['publishedAt', 'last week', 'unknown'],
    ['publishedAt', '0000-00-00 00:00:00', 'draft'],
    ['publishedAt', 1_772_300_000, 'published'],
    ['publishedAt', 1_772_300_000_000, 'published'],
    ['publishedAt', '4070908800', 'scheduled'],
    ['publishedAt', 0, 'unknown'],
    ['publishedAt', { $date: past }, 'published'],
    ['publishedAt', { $date: { $numberLong: '4070908800000' } }, 'scheduled'],
    ['publishedAt', { _seconds: 4_070_908_800, _nanoseconds: 0 }, 'scheduled'],
    ['publishedAt', 'March 3, 2024', 'published'],
    ['publishedAt', '05/01/2099 10:00', 'scheduled'],
    ['publishedAt', '05/01/2026', 'unknown'],
    ['published', 1_772_300_000, 'published'],
    ['publishedAt', '2026-02-28 22:00:00+09', 'published'],
    ['publishedAt', '2026-03-01 10:00:00+09', 'scheduled'],
    ['publishedAt', '2026-03-01T08:00:00+0900', 'published'],
    ['publishedAt', '2026-03-01T08:59:00+09:00[Asia/Tokyo]', 'published'],
    ['publishedAt', '2026-03-01T09:01:00+09:00[Asia/Tokyo]', 'scheduled'],
    ['publishedAt', 'Thu Feb 01 2024 10:00:00 GMT+0000 (Coordinated Universal Time)', 'published'],
    ['publishedAt', 'Sun Mar 01 2026 10:00:00 GMT+0900 (日本標準時)', 'scheduled'],
    ['publishedAt', '20240105', 'published'],
    ['publishedAt', '20990105', 'scheduled'],
    ['publishedAt', '2024年1月5日', 'published'],
    ['publishedAt', 'not before 2024', 'unknown'],
    ['published', 'not before 2024', 'unknown'],
    ['publishAt', false, 'unknown'],
    ['trashed', '0000-00-00 00:00:00', 'unknown'],
    ['publishAt', future, 'scheduled'],
    ['publishAt', past, 'unknown'],
    ['expiresAt', past, 'archived'],
    ['expiresAt', future, 'unknown'],
  ])('reads %s: %j as %s', (kind, value, state) => {
    expect(decide([kind, value])).toBe(state)
  })

  it.each<[string, [Sign['kind'], unknown][], string]>([
    ['a content without statements', [], 'unknown'],
    [
      'a draft with a publication time',
      [
        ['status', 'draft'],
        ['publishedAt', past],
      ],
      'draft',
    ],
    [
      'a published content with an unknown status',
      [
        ['status', 'on sale'],
        ['published', true],
      ],
      'unknown',
    ],
    [
      'a private published content',
      [
        ['status', 'published'],
        ['hidden', true],
      ],
      'hidden',
    ],
    [
      'a published content that has expired',
      [
        ['status', 'published'],
        ['expiresAt', past],
      ],
      'archived',
    ],
    [
      'a published content with a future publication time',
      [
        ['status', 'published'],
        ['publishAt', future],
      ],
      'scheduled',
    ],
    [
      'a published content with a past publication time',
      [
        ['status', 'published'],
        ['publishAt', past],
      ],
      'published',
    ],
    ...[4_070_908_800, 4_070_908_800_000, '4070908800', { $date: future }, 'Jan 5 2099', '5.1.99'].map(
      (value): [string, [Sign['kind'], unknown][], string] => [
        `a published content to be published at ${JSON.stringify(value)}`,
        [
          ['status', 'published'],
          ['publishAt', value],
        ],
        value === '5.1.99' ? 'unknown' : 'scheduled',
      ],
    ),
    ...[1_700_000_000, '1700000000000', { $date: past }, '31 Dec 2025'].map(
      (value): [string, [Sign['kind'], unknown][], string] => [
        `a published content that expired at ${JSON.stringify(value)}`,
        [
          ['status', 'published'],
          ['expiresAt', value],
        ],
        'archived',
      ],
    ),
    [
      'a published content with an unreadable expiry',
      [
        ['status', 'published'],
        ['expiresAt', 'soon'],
      ],
      'unknown',
    ],
    [
      'a published content for an unknown audience',
      [
        ['status', 'published'],
        ['audience', 'staff'],
      ],
      'unknown',
    ],
    [
      'a published content with an object as `shown`',
      [
        ['status', 'published'],
        ['shown', { value: false }],
      ],
      'unknown',
    ],
  ])('reads %s (%j) as %s', (_what, signs, state) => {
    expect(decide(...signs)).toBe(state)
  })

  it('returns the statement of the source, and the time of a scheduled content', () => {
    const signs = signsIn({ Status: 'Future', 公開日時: '2026-03-02 09:00' })
    expect(publicationOf(signs, clock)).toEqual({
      state: 'scheduled',
      statement: 'Status: Future',
      at: '2026-03-02T00:00:00.000Z',
    })
  })

  it('omits a password from the statement', () => {
    expect(publicationOf(signsIn({ password: 'hunter2' }), clock)).toEqual({
      state: 'hidden',
      statement: 'password',
    })
  })
})

describe('signsIn and publicationOf', () => {
  it.each([
    [{ status: 'published' }, 'published'],
    [{ _status: 'published' }, 'published'],
    [{ 'Post Status': 'publish' }, 'published'],
    [{ is_published: 't' }, 'published'],
    [{ isPublic: false }, 'draft'],
    [{ Draft: 'Yes' }, 'draft'],
    [{ 公開状態: '非公開' }, 'hidden'],
    [{ 公開フラグ: '1' }, 'published'],
    [{ visibility: 'private' }, 'hidden'],
    [{ stage: 'DRAFT' }, 'draft'],
    [{ stage: 'PUBLISHED' }, 'published'],
    [{ published: true, unpublished_changes: true }, 'draft'],
    [{ live: true, has_unpublished_changes: false }, 'unknown'],
    [{ live: false, published: true }, 'hidden'],
    [{ has_unpublished_changes: false }, 'unknown'],
    [{ id: 'rec1', fields: { Name: 'a', Status: 'Draft' } }, 'draft'],
    [{ visibility: 'public' }, 'unknown'],
    [{ progress: 'wip', 公開範囲: '公開' }, 'unknown'],
    [{ published: true, delete_flg: '1' }, 'trashed'],
    [{ 公開フラグ: '1', 削除フラグ: '1' }, 'trashed'],
    [{ 公開フラグ: '1', 削除フラグ: '0' }, 'published'],
    [{ status: 'published', deleted_at: '0000-00-00 00:00:00' }, 'published'],
    [{ status: 'published', 掲載開始日時: '2099/1/1' }, 'scheduled'],
    [{ status: 'published', 掲載終了日時: '2020/1/1' }, 'archived'],
    [{ status: 'published', visibility: 'members' }, 'hidden'],
    [{ published: true, deleted_at: past }, 'trashed'],
    [{ attributes: { title: 'a', publishedAt: null } }, 'draft'],
    [{ _sys: { raw: { publishedAt: past } } }, 'published'],
    [{ title: 'a', date: past }, 'unknown'],
    [{ states: ['published'], online: true }, 'unknown'],
  ])('read %j as %s', (content, state) => {
    expect(stateOf(content)).toBe(state)
  })
})
