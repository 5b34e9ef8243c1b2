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
    ['publishedAt', past, 'published'],
    ['publishedAt', future, 'scheduled'],
    ['publishedAt', null, 'draft'],
    ['publishedAt', '', 'draft'],
    ['publishedAt', 'last week', 'unknown'],
    ['publishAt', future, 'scheduled'],
    ['publishAt', past, 'unknown'],
    ['expiresAt', past, 'archived'],
    ['expiresAt', future, 'unknown'],
  ])('reads %s: %j as %s', (kind, value, state) => {
    expect(decide([kind, value])).toBe(state)
  })

  it.each<[string, [Sign['kind'], unknown][], string]>([
    ['no statement', [], 'unknown'],
    [
      'a draft with a time',
      [
        ['status', 'draft'],
        ['publishedAt', past],
      ],
      'draft',
    ],
    [
      'an unknown word next to a published one',
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
      'a published content of tomorrow',
      [
        ['status', 'published'],
        ['publishAt', future],
      ],
      'scheduled',
    ],
    [
      'a published content of yesterday',
      [
        ['status', 'published'],
        ['publishAt', past],
      ],
      'published',
    ],
  ])('takes the most restrictive statement of %s', (_what, signs, state) => {
    expect(decide(...signs)).toBe(state)
  })

  it('keeps the statement of the source, and the time of a scheduled content', () => {
    const signs = signsIn({ Status: 'Future', 公開日時: '2026-03-02 09:00' })
    expect(publicationOf(signs, clock)).toEqual({
      state: 'scheduled',
      said: 'Status: Future',
      at: '2026-03-02T00:00:00.000Z',
    })
  })

  it('does not repeat passwords', () => {
    expect(publicationOf(signsIn({ password: 'hunter2' }), clock)).toEqual({
      state: 'hidden',
      said: 'password',
    })
  })
})

describe('signsIn', () => {
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
    [{ status: 'published', visibility: 'members' }, 'hidden'],
    [{ published: true, deleted_at: past }, 'trashed'],
    [{ attributes: { title: 'a', publishedAt: null } }, 'draft'],
    [{ _sys: { raw: { publishedAt: past } } }, 'published'],
    [{ title: 'a', date: past }, 'unknown'],
    [{ states: ['published'], online: true }, 'unknown'],
  ])('reads %j as %s', (content, state) => {
    expect(stateOf(content)).toBe(state)
  })
})
