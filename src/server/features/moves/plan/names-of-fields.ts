import type { Language } from '#shared/languages.ts'
import { shownName } from '#shared/unicode.ts'
import words from './japanese-words.json'

/** The most common words of uids with their Japanese translations. Used for sources without field names. */
const japanese: ReadonlyMap<string, string> = new Map(Object.entries(words))

/** Names of complete uids that cannot be composed from the names of their words. */
const wholeNames: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  ja: { sourceId: '元のID' },
  en: { sourceId: 'Original ID' },
}

/**
 * Returns a likely name for a field or model with this uid: `coverImage` becomes カバー画像 or Cover image. In Japanese, a
 * uid with an unknown word stays unchanged.
 */
export function nameOf(uid: string, language: Language): string {
  const whole = Object.hasOwn(wholeNames[language], uid) ? wholeNames[language][uid] : undefined
  return shownName(whole ?? wordsOf(uid, language), language === 'ja' ? '項目' : 'Field')
}

function wordsOf(uid: string, language: Language): string {
  const words = uid
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
  if (words.length === 0) return uid
  if (language === 'en') {
    const text = words.join(' ')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const known = words.map((word) => japanese.get(word.toLowerCase()))
  return known.every((word) => word !== undefined) ? known.join('') || uid : uid
}

/** uids by Japanese name. If several words have the same translation, the first word is used. */
const uidsOfNames: ReadonlyMap<string, string> = new Map([
  ...[...japanese].reverse().flatMap(([uid, name]): [string, string][] => (name === '' ? [] : [[name, uid]])),
  // Table headings that are not a single word of a uid.
  ...Object.entries({
    氏名: 'name',
    名前: 'name',
    商品名: 'productName',
    商品コード: 'productCode',
    品番: 'productCode',
    会社名: 'companyName',
    電話: 'tel',
    メール: 'email',
    件名: 'title',
    題名: 'title',
    題: 'title',
    内容: 'content',
    備考: 'note',
    公開日: 'publishedOn',
    公開日時: 'publishedAt',
    作成日: 'createdOn',
    作成日時: 'createdDate',
    更新日: 'updatedOn',
    更新日時: 'updatedDate',
    登録日: 'registeredOn',
    発売日: 'releasedOn',
    開催日: 'heldOn',
    在庫数: 'stock',
    税込価格: 'priceWithTax',
    人数: 'headcount',
    参加人数: 'headcount',
    料金: 'fee',
    数量: 'quantity',
    個数: 'quantity',
    単価: 'unitPrice',
    合計: 'total',
    担当者: 'personInCharge',
    開始日: 'startsOn',
    終了日: 'endsOn',
    時間: 'time',
    性別: 'gender',
    点数: 'score',
    ふりがな: 'furigana',
    フリガナ: 'furigana',
  }),
])

/**
 * Returns the uid for a Japanese name, the reverse of {@link nameOf}: 価格 becomes `price`. undefined: the name is
 * unknown.
 */
export const uidOfName = (name: string): string | undefined => uidsOfNames.get(name.trim())
