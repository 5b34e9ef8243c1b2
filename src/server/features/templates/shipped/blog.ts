import { articles, type BlogArticle } from './blog-articles.ts'
import {
  day,
  picture,
  type ShippedDocument,
  type ShippedTemplate,
  titleAndSlug,
  to,
  toAll,
  withSlugs,
} from './vocabulary.ts'

/** The default example: a small magazine. Entirely fictional. */
export const blog: ShippedTemplate = {
  id: 'blog',
  name: ['ブログ', 'Blog'],
  description: [
    '水辺の町の暮らしを綴る、小さな読みもののサンプルです。自由に書き換えてお使いください。',
    'A small magazine on life in a town by the water, to be rewritten as you like: articles, authors, categories.',
  ],
  icon: '🦎',
  cover: 'waiting-for-newts',
  customTypes: [],
  models: [
    {
      uid: 'article',
      name: ['記事', 'Articles'],
      description: ['ブログの本体です。', 'What the blog is about.'],
      fields: [
        ...titleAndSlug('title', ['タイトル', 'Title']),
        { uid: 'cover', name: ['表紙の画像', 'Cover'], type: 'IMAGE' },
        {
          uid: 'summary',
          name: ['要約', 'Summary'],
          description: ['一覧や検索結果に出る、ひとことの紹介。', 'A line for lists and search results.'],
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 120,
        },
        { uid: 'body', name: ['本文', 'Body'], type: 'RICH_TEXT', required: true },
        {
          uid: 'notes',
          name: ['覚え書き', 'Notes'],
          description: [
            '材料や持ちものなど、本文に添える一覧。Markdown で書きます。',
            'Ingredients and the like, in Markdown.',
          ],
          type: 'MARKDOWN',
        },
        {
          uid: 'category',
          name: ['カテゴリ', 'Category'],
          type: 'REFERENCE',
          modelUid: 'category',
          required: true,
        },
        {
          uid: 'authors',
          name: ['著者', 'Authors'],
          type: 'REFERENCE',
          modelUid: 'author',
          multiple: true,
          minItems: 1,
        },
        {
          uid: 'tone',
          name: ['文章の種類', 'Kind of text'],
          type: 'SELECT',
          inputType: 'radio',
          options: [
            { value: 'essay', label: ['エッセイ', 'Essay'] },
            { value: 'interview', label: ['聞き書き', 'Interview'] },
            { value: 'guide', label: ['手引き', 'Guide'] },
            { value: 'recipe', label: ['レシピ', 'Recipe'] },
          ],
        },
        { uid: 'publishedOn', name: ['掲載日', 'Date'], type: 'DATE', inputType: 'date' },
        {
          uid: 'readingMinutes',
          name: ['読む時間（分）', 'Minutes to read'],
          type: 'NUMBER',
          integer: true,
          min: 1,
          max: 60,
        },
        { uid: 'featured', name: ['おすすめ', 'Featured'], type: 'CHECKBOX' },
      ],
      views: [
        {
          name: ['表紙', 'Covers'],
          type: 'GALLERY',
          settings: { cover: 'cover', aspect: 'landscape', size: 'medium' },
        },
        {
          name: ['新しい順', 'Newest first'],
          type: 'TABLE',
          settings: {
            sort: '-publishedOn',
            columns: [{ id: '_sys.status' }, { id: 'category' }, { id: 'authors' }, { id: 'publishedOn' }],
          },
        },
      ],
      documents: articles.map(articleDocument),
    },
    {
      uid: 'author',
      name: ['著者', 'Authors'],
      description: ['記事を書く人たち。記事から参照されます。', 'Who writes; articles refer to them.'],
      fields: [
        ...titleAndSlug('name', ['名前', 'Name'], 50),
        { uid: 'role', name: ['肩書き', 'Role'], type: 'TEXT' },
        { uid: 'portrait', name: ['似顔絵', 'Portrait'], type: 'IMAGE' },
        { uid: 'profile', name: ['プロフィール', 'Profile'], type: 'MARKDOWN' },
      ],
      views: [
        {
          name: ['似顔絵', 'Portraits'],
          type: 'GALLERY',
          settings: { cover: 'portrait', aspect: 'square', size: 'medium' },
        },
      ],
      documents: withSlugs(
        [
          'hayase',
          90,
          {
            name: '早瀬みなと',
            role: '編集人',
            portrait: picture('hayase'),
            profile:
              '川沿いの古い家で、この雑誌を編んでいます。\n\n- 好きなもの：**朝の散歩**、貸し出しカードの残る古本\n- 苦手なもの：締め切りの前の晩',
          },
        ],
        [
          'kawakami',
          90,
          {
            name: '川上柚',
            role: '料理家',
            portrait: picture('kawakami'),
            profile:
              '町の小さな食堂で十年働いたのち、台所のことを書くようになりました。\n\n> 手をかけるところと、かけないところ。その**間合い**が料理だと思っています。',
          },
        ],
        [
          'nonomura',
          90,
          {
            name: '野々村拓',
            role: '木工・道具直し',
            portrait: picture('nonomura'),
            profile:
              '壊れたものを預かって直す仕事をしています。\n\n1. まず、よく見る\n2. 急いで外さない\n3. 直したことが分かるように直す',
          },
        ],
      ),
    },
    {
      uid: 'category',
      name: ['カテゴリ', 'Categories'],
      description: ['記事の棚分け。', 'Shelves for articles.'],
      fields: [
        ...titleAndSlug('name', ['名前', 'Name'], 30),
        { uid: 'description', name: ['説明', 'Description'], type: 'TEXT', inputType: 'textarea' },
        { uid: 'position', name: ['並び順', 'Position'], type: 'NUMBER', integer: true, min: 1 },
      ],
      documents: withSlugs(
        ['seasons', 90, { name: '季節', description: '水辺の一年を、足もとから眺めます。', position: 1 }],
        ['tools', 90, { name: '道具', description: '長く使うものと、その手入れのこと。', position: 2 }],
        ['people', 90, { name: '聞き書き', description: '町の人に聞いた、仕事と日々の話。', position: 3 }],
        ['kitchen', 90, { name: '台所', description: '毎日の食卓のための、気負わない料理。', position: 4 }],
      ),
    },
  ],
  pictures: {
    'one-pencil': 'ノートの上に置かれた、短い鉛筆',
    'donabe-rice': '湯気を立てる土鍋',
    'leaves-left-alone': '木の下に積もった落ち葉',
    'tofu-maker': '水を張った桶と豆腐',
    'iron-kettle': '火にかけられた鉄瓶',
    'waiting-for-newts': '霧の池に浮かぶ、腹の赤いイモリ',
    'pickled-ginger': '薄紅色の漬けものが入った瓶',
    'library-bus': '山道を走る、若草色の移動図書館',
    'mending-umbrellas': '開いた傘と、糸と針',
    'tomorrows-soup': '野菜の入ったスープの椀',
    'river-wind': '夕日の川にかかる橋',
    'bathhouse-painter': '銭湯の壁に描かれた富士山',
    hayase: '早瀬みなとさんの似顔絵',
    kawakami: '川上柚さんの似顔絵',
    nonomura: '野々村拓さんの似顔絵',
  },
}

function articleDocument(article: BlogArticle): ShippedDocument {
  const { daysAgo, state, edit, body, category, authors, ...values } = article
  return {
    key: article.slug,
    daysAgo,
    ...(state === 'draft' ? { state } : {}),
    ...(edit ? { edit } : {}),
    values: {
      ...values,
      cover: picture(article.slug),
      body: body.join(''),
      category: to(`category/${category}`),
      authors: toAll('author', ...authors),
      publishedOn: state === 'draft' ? null : day(-daysAgo),
    },
  }
}
