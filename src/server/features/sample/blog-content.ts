import { articles } from './blog-articles.ts'

/** What people are shown first: a small magazine with every type of field in use. Made up from end to end. */
export const blog = {
  app: {
    uid: 'blog',
    name: 'ブログ',
    description: '水辺の町の暮らしを綴る、小さな読みもののサンプルです。自由に書き換えてお使いください。',
    icon: { type: 'emoji' as const, value: '🦎' },
  },
  models: [
    {
      uid: 'author',
      name: '著者',
      description: '記事を書く人たち。記事から参照されます。',
      fields: [
        { uid: 'name', name: '名前', type: 'TEXT', required: true, maxLength: 50 },
        {
          uid: 'slug',
          name: 'スラッグ',
          type: 'TEXT',
          required: true,
          unique: true,
          pattern: '^[a-z0-9-]+$',
        },
        { uid: 'role', name: '肩書き', type: 'TEXT' },
        { uid: 'profile', name: 'プロフィール', type: 'MARKDOWN' },
      ],
    },
    {
      uid: 'category',
      name: 'カテゴリ',
      description: '記事の棚分け。',
      fields: [
        { uid: 'name', name: '名前', type: 'TEXT', required: true, maxLength: 30 },
        {
          uid: 'slug',
          name: 'スラッグ',
          type: 'TEXT',
          required: true,
          unique: true,
          pattern: '^[a-z0-9-]+$',
        },
        { uid: 'description', name: '説明', type: 'TEXT', inputType: 'textarea' },
        { uid: 'position', name: '並び順', type: 'NUMBER', integer: true, min: 1 },
      ],
    },
    {
      uid: 'article',
      name: '記事',
      description: 'ブログの本体です。',
      fields: [
        { uid: 'title', name: 'タイトル', type: 'TEXT', required: true, maxLength: 60 },
        {
          uid: 'slug',
          name: 'スラッグ',
          description: 'URLに使う文字列。半角の英小文字、数字、ハイフンだけを使います。',
          type: 'TEXT',
          required: true,
          unique: true,
          pattern: '^[a-z0-9-]+$',
        },
        {
          uid: 'summary',
          name: '要約',
          description: '一覧や検索結果に出る、ひとことの紹介。',
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 120,
        },
        { uid: 'body', name: '本文', type: 'RICH_TEXT', required: true },
        {
          uid: 'notes',
          name: '覚え書き',
          description: '材料や持ちものなど、本文に添える一覧。Markdown で書きます。',
          type: 'MARKDOWN',
        },
        { uid: 'category', name: 'カテゴリ', type: 'REFERENCE', modelUid: 'category', required: true },
        { uid: 'authors', name: '著者', type: 'REFERENCE', modelUid: 'author', multiple: true, minItems: 1 },
        {
          uid: 'tone',
          name: '文章の種類',
          type: 'SELECT',
          inputType: 'radio',
          options: [
            { value: 'essay', label: 'エッセイ' },
            { value: 'interview', label: '聞き書き' },
            { value: 'guide', label: '手引き' },
            { value: 'recipe', label: 'レシピ' },
          ],
        },
        { uid: 'publishedOn', name: '掲載日', type: 'DATE', inputType: 'date' },
        { uid: 'readingMinutes', name: '読む時間（分）', type: 'NUMBER', integer: true, min: 1, max: 60 },
        { uid: 'featured', name: 'おすすめ', type: 'CHECKBOX' },
      ],
    },
  ],
  authors: [
    {
      name: '早瀬みなと',
      slug: 'hayase',
      role: '編集人',
      profile:
        '川沿いの古い家で、この雑誌を編んでいます。\n\n- 好きなもの：**朝の散歩**、貸し出しカードの残る古本\n- 苦手なもの：締め切りの前の晩',
    },
    {
      name: '川上柚',
      slug: 'kawakami',
      role: '料理家',
      profile:
        '町の小さな食堂で十年働いたのち、台所のことを書くようになりました。\n\n> 手をかけるところと、かけないところ。その**間合い**が料理だと思っています。',
    },
    {
      name: '野々村拓',
      slug: 'nonomura',
      role: '木工・道具直し',
      profile:
        '壊れたものを預かって直す仕事をしています。\n\n1. まず、よく見る\n2. 急いで外さない\n3. 直したことが分かるように直す',
    },
  ],
  categories: [
    { name: '季節', slug: 'seasons', description: '水辺の一年を、足もとから眺めます。', position: 1 },
    { name: '道具', slug: 'tools', description: '長く使うものと、その手入れのこと。', position: 2 },
    { name: '聞き書き', slug: 'people', description: '町の人に聞いた、仕事と日々の話。', position: 3 },
    { name: '台所', slug: 'kitchen', description: '毎日の食卓のための、気負わない料理。', position: 4 },
  ],
  articles,
}
