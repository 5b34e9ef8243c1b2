import type { PublicationState } from '../../publication-states.ts'
import { unmarked } from '../exact-values.ts'

/** Splits a list of words that is written as one text. */
export const splitWords = (list: string): string[] => list.trim().split(/\s+/)

/**
 * Words of the supported services, of WordPress plugins, Movable Type and microCMS, and of hand-written tables, in the
 * form that {@link plainWord} returns.
 */
const words: Partial<Record<PublicationState, string>> = {
  published: `
    published publish public live posted 公開 公開中 公開済 公開済み 一般公開 全体公開 掲載中 配信中`,
  scheduled: `
    scheduled schedule future planned publishlater 予約 予約中 予約済 予約済み 予約投稿 予約公開
    公開予約 公開予約中 公開予定 公開待ち 日時指定 指定日時公開`,
  draft: `
    draft drafts unpublish unpublished notpublished autodraft pending pendingreview review inreview
    hold onhold wip workinprogress inprogress incomplete changed modified disabled inactive
    published(changed) publishedwithchanges 下書き 下書 下書き中 未公開 未公開(原稿) 原稿 草稿
    承認待ち レビュー待ち レビュー中 編集中 作成中 執筆中 準備中 保留 保留中 公開中(変更あり)
    公開中かつ下書き中 公開中かつ下書き追加中 未承認 公開停止 公開停止中`,
  archived: `
    archived archive closed close expired ended retired アーカイブ アーカイブ済 アーカイブ済み
    公開終了 掲載終了 配信終了 終了 期限切れ`,
  hidden: `
    private hidden secret internal members member membersonly paid tiers password passwordprotected
    protected confidential restricted unlisted sent 非公開 限定公開 会員限定 会員限定公開
    有料会員限定 非表示 社内限定 パスワード保護`,
  trashed: `
    trash trashed deleted removed junk spam bin ゴミ箱 ごみ箱 削除 削除済 削除済み スパム`,
}

const stateByWord = new Map(
  Object.entries(words).flatMap(([state, list]) =>
    splitWords(list).map((word) => [word, state as PublicationState] as const),
  ),
)

/** Returns the text without differences of case, width, spaces, hyphens and underscores. */
export const plainWord = (text: string): string =>
  text
    .slice(0, 200)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '')

/** Returns the state that a word means; `unknown` for other texts. */
export const stateOfWord = (text: string): PublicationState => stateByWord.get(plainWord(text)) ?? 'unknown'

/** Words for audiences and switches that show a content to all visitors. */
const forAll = new Set(
  splitWords(
    'all anyone everyone everybody visible shown show enabled active 全員 全体 すべて 誰でも 表示 表示中 表示する',
  ),
)

/** Returns whether a word means that all visitors can see a content once it is published. */
export const isWordForAll = (word: unknown): boolean =>
  typeof word === 'string' && forAll.has(plainWord(word))

const yes = new Set(splitWords('true t yes y on 1 はい 有 有効 真 ○ ◯ ✓ ✔ 済 する'))
const no = new Set(splitWords('false f no n off 0 いいえ 無 無効 なし 偽 × ✗ ✕ しない'))

/** Parses a boolean in any spelling. Returns undefined for other values. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = unmarked(String(value)).trim().normalize('NFKC')
  // A hyphen may be a minus sign: WooCommerce uses -1 for private.
  if (/^[+-]/.test(text)) return undefined
  const word = plainWord(text)
  return yes.has(word) ? true : no.has(word) ? false : undefined
}
