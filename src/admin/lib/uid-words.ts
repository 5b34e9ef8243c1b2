import { romajiOf } from '#shared/romaji.ts'

/** English words for common Japanese names of spaces, apps, models and fields. */
const english: Record<string, string> = {
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
  サイト: 'site',
  ホームページ: 'website',
  コーポレートサイト: 'corporate',
  コーポレート: 'corporate',
  オウンドメディア: 'media',
  メディア: 'media',
  マガジン: 'magazine',
  コラム: 'column',
  ショップ: 'shop',
  ストア: 'store',
  サービス: 'service',
  チーム: 'team',
  ドキュメント: 'docs',
  ヘルプ: 'help',
  サポート: 'support',
  ガイド: 'guide',
  ギャラリー: 'gallery',
  プロジェクト: 'project',
  ポートフォリオ: 'portfolio',
  レシピ: 'recipe',
  インタビュー: 'interview',
  セミナー: 'seminar',
  キャンペーン: 'campaign',
  採用: 'recruit',
  採用情報: 'recruit',
  会社: 'company',
  会社案内: 'company',
  会社概要: 'company',
  株式会社: 'inc',
  社員: 'staff',
  写真: 'photo',
  画像: 'image',
  動画: 'video',
  資料: 'document',
  料金: 'pricing',
  用語: 'term',
  用語集: 'glossary',
  活動: 'activity',
  導入事例: 'case-study',
}

/**
 * Returns the Latin words of a name in lower case, without accents and in half width. All other characters separate
 * words. Words before the first one that starts with a letter are omitted.
 */
function latinWords(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  const words = plain.match(/[A-Za-z0-9]+/g) ?? []
  const first = words.findIndex((word) => /^[A-Za-z]/.test(word))
  return first === -1 ? [] : words.slice(first).map((word) => word.toLowerCase())
}

/** Particles and signs that only join other words. */
const joining: ReadonlySet<string> = new Set(['の', 'と', 'や', '&', '＆'])
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Yields the words of a text. Hiragana between spaces is one word, because hiragana alone does not show word
 * boundaries.
 */
function* segmentsOf(text: string): Generator<string> {
  for (const part of text.split(/\s+/))
    if (/^\p{Script=Hiragana}+$/u.test(part)) yield part
    else for (const { segment, isWordLike } of segmenter.segment(part)) if (isWordLike) yield segment
}

/**
 * Returns the words of a name in Latin letters, without joining words and without numbers before the first word. `null`
 * if a word cannot be transcribed.
 */
function readWords(name: string): string[] | null {
  const plain = name.normalize('NFKC').trim()
  const whole = english[plain]
  if (Object.hasOwn(english, plain) && whole) return [whole]
  const words: string[] = []
  for (const segment of segmentsOf(plain)) {
    if (joining.has(segment)) continue
    const latin = latinWords(segment)
    const read = Object.hasOwn(english, segment) ? english[segment] : romajiOf(segment)
    if (/^[\p{Script=Latin}\d_]+$/u.test(segment)) words.push(...(latin.length > 0 ? latin : [segment]))
    else if (read) words.push(read)
    else return null
  }
  const first = words.findIndex((word) => /^[a-z]/.test(word))
  return first === -1 ? [] : words.slice(first)
}

/**
 * Returns the words of a name in Latin letters, for a uid: English for common Japanese words, romaji for kana.
 * Examples: `ブログ` → `blog`; `イモリの記事` → `imori`, `article`.
 *
 * If `name` cannot be transcribed (most names with kanji), its `reading` is used (`readingOf`). If that fails too, only
 * the Latin words of the name are returned, possibly none.
 */
export function wordsOf(name: string, reading = name): string[] {
  return readWords(name) ?? readWords(reading) ?? latinWords(name)
}
