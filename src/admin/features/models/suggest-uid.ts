import type { FieldTypeName } from '#shared/fields/index.ts'
import { type UidKind, uidProblem } from '#shared/identifiers.ts'

/** Names that are common in Japanese models. Everything else that has no Latin letters is named by its type. */
const common: Record<string, string> = {
  タイトル: 'title',
  題名: 'title',
  見出し: 'heading',
  名前: 'name',
  氏名: 'name',
  名称: 'name',
  本文: 'body',
  内容: 'content',
  説明: 'description',
  概要: 'summary',
  要約: 'summary',
  抜粋: 'excerpt',
  紹介: 'introduction',
  紹介文: 'introduction',
  プロフィール: 'profile',
  スラッグ: 'slug',
  著者: 'author',
  執筆者: 'author',
  作者: 'author',
  投稿者: 'author',
  カテゴリ: 'category',
  カテゴリー: 'category',
  分類: 'category',
  タグ: 'tags',
  公開日: 'publishedAt',
  公開日時: 'publishedAt',
  日付: 'date',
  日時: 'date',
  開始日: 'startDate',
  開始日時: 'startsAt',
  終了日: 'endDate',
  終了日時: 'endsAt',
  価格: 'price',
  金額: 'price',
  在庫: 'stock',
  数量: 'quantity',
  住所: 'address',
  電話番号: 'phone',
  メールアドレス: 'email',
  リンク: 'link',
  質問: 'question',
  回答: 'answer',
  順番: 'position',
  表示順: 'position',
  記事: 'article',
  ブログ: 'blog',
  お知らせ: 'news',
  ニュース: 'news',
  新着情報: 'news',
  イベント: 'event',
  商品: 'product',
  製品: 'product',
  店舗: 'shop',
  スタッフ: 'staff',
  メンバー: 'member',
  よくある質問: 'faq',
  事例: 'case',
  実績: 'work',
  ページ: 'page',
}

const byType: Record<FieldTypeName, string> = {
  TEXT: 'text',
  RICH_TEXT: 'richText',
  MARKDOWN: 'markdown',
  NUMBER: 'number',
  DATE: 'date',
  CHECKBOX: 'checkbox',
  SELECT: 'select',
  REFERENCE: 'reference',
}

/** The Latin words of a name: width and accents are levelled, everything else separates. */
function latinWords(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  const words = plain.match(/[A-Za-z0-9]+/g) ?? []
  const first = words.findIndex((word) => /^[A-Za-z]/.test(word))
  return first === -1 ? [] : words.slice(first).map((word) => word.toLowerCase())
}

function camelCase(words: string[]): string {
  return words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('')
}

/** `stem`, or `stem2`, `stem3`… when it is taken or reserved. Numbered from 1 with `always`. */
function free(kind: UidKind, stem: string, taken: ReadonlySet<string>, always = false): string {
  const usable = (uid: string) => !taken.has(uid) && uidProblem(kind, uid) === null
  if (!always && usable(stem)) return stem
  for (let number = always ? 1 : 2; ; number++) {
    const uid = `${stem}${number}`
    if (usable(uid)) return uid
  }
}

function known(name: string): string | undefined {
  const trimmed = name.normalize('NFKC').trim()
  return Object.hasOwn(common, trimmed) ? common[trimmed] : undefined
}

/** A uid for a field of that name: `Meta title` → `metaTitle`, `本文` → `body`, `肩書き` → `text1`. */
export function suggestFieldUid(name: string, type: FieldTypeName, taken: ReadonlySet<string>): string {
  const stem = (known(name) ?? camelCase(latinWords(name))).slice(0, 60)
  return stem ? free('field', stem, taken) : free('field', byType[type], taken, true)
}

/** A uid for a model of that name: `Blog posts` → `blog-posts`, `お知らせ` → `news`, `研究室` → `model1`. */
export function suggestModelUid(name: string, taken: ReadonlySet<string>): string {
  const stem = (known(name) ?? latinWords(name).join('-')).slice(0, 60).replace(/-+$/, '')
  return stem ? free('model', stem, taken) : free('model', 'model', taken, true)
}
