import { japanese } from './moves.names.ts'

/** What people call fields in Japanese, by uids; the first word of several that mean the same. */
const uidsOfNames: ReadonlyMap<string, string> = new Map([
  ...[...japanese].reverse().flatMap(([uid, name]): [string, string][] => (name === '' ? [] : [[name, uid]])),
  // Headings of tables that no word of a uid alone says.
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
    ふりがな: 'furigana',
    フリガナ: 'furigana',
  }),
])

/** The reverse of `nameOf`: 価格 is `price`. Undefined for words that nobody knows. */
export const uidOfName = (name: string): string | undefined => uidsOfNames.get(name.trim())
