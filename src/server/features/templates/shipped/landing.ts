import {
  documents,
  picture,
  piece,
  type ShippedTemplate,
  titleAndSlug,
  toAll,
  withSlugs,
} from './vocabulary.ts'

/** A landing page for one product. */
export const landing: ShippedTemplate = {
  id: 'landing',
  name: ['ランディングページ', 'Landing page'],
  description: [
    '献立アプリを例にした、一枚で伝えるページです。冒頭、特長、使いかた、声、料金、よくある質問を部品として並べ替えられます。',
    'One page for one product: hero, features, steps, voices, plans and questions as sections in any order.',
  ],
  icon: '🚀',
  cover: 'phone',
  customTypes: [
    {
      uid: 'button',
      name: ['ボタン', 'Button'],
      fields: [
        { uid: 'label', name: ['文字', 'Label'], type: 'TEXT', required: true, maxLength: 20, width: 'half' },
        { uid: 'url', name: ['行き先', 'Leads to'], type: 'TEXT', required: true, width: 'half' },
        { uid: 'strong', name: ['目立たせる', 'Stands out'], type: 'CHECKBOX' },
      ],
    },
    {
      uid: 'hero',
      name: ['冒頭', 'Hero'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', required: true, maxLength: 40 },
        { uid: 'lead', name: ['前文', 'Lead'], type: 'TEXT', inputType: 'textarea', maxLength: 160 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE' },
        { uid: 'background', name: ['背景の色', 'Background'], type: 'COLOR' },
        {
          uid: 'buttons',
          name: ['ボタン', 'Buttons'],
          type: 'CUSTOM',
          customType: 'button',
          multiple: true,
          maxItems: 2,
        },
      ],
    },
    {
      uid: 'feature',
      name: ['特長', 'Feature'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', required: true, maxLength: 30 },
        { uid: 'text', name: ['文', 'Text'], type: 'TEXT', inputType: 'textarea', maxLength: 160 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE' },
      ],
    },
    {
      uid: 'features',
      name: ['特長の並び', 'Features'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        {
          uid: 'features',
          name: ['特長', 'Features'],
          type: 'CUSTOM',
          customType: 'feature',
          multiple: true,
          minItems: 1,
        },
      ],
    },
    {
      uid: 'steps',
      name: ['使いかた', 'Steps'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        { uid: 'steps', name: ['手順', 'Steps'], type: 'TEXT', multiple: true, minItems: 1, maxItems: 6 },
      ],
    },
    {
      uid: 'plan',
      name: ['料金プラン', 'Plan'],
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, maxLength: 20, width: 'half' },
        {
          uid: 'price',
          name: ['月額（円）', 'Yen a month'],
          type: 'NUMBER',
          integer: true,
          min: 0,
          required: true,
          width: 'half',
        },
        { uid: 'includes', name: ['できること', 'Includes'], type: 'TEXT', multiple: true },
        { uid: 'recommended', name: ['おすすめ', 'Recommended'], type: 'CHECKBOX' },
        { uid: 'button', name: ['ボタン', 'Button'], type: 'CUSTOM', customType: 'button' },
      ],
    },
    {
      uid: 'pricing',
      name: ['料金', 'Pricing'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        { uid: 'note', name: ['注記', 'Note'], type: 'TEXT', inputType: 'textarea' },
        {
          uid: 'plans',
          name: ['プラン', 'Plans'],
          type: 'CUSTOM',
          customType: 'plan',
          multiple: true,
          minItems: 1,
        },
      ],
    },
    {
      uid: 'voices',
      name: ['使う人の声', 'Voices'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        { uid: 'voices', name: ['声', 'Voices'], type: 'REFERENCE', modelUid: 'voice', multiple: true },
      ],
    },
    {
      uid: 'faq',
      name: ['よくある質問', 'Questions'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        {
          uid: 'questions',
          name: ['質問', 'Questions'],
          type: 'REFERENCE',
          modelUid: 'question',
          multiple: true,
        },
      ],
    },
  ],
  models: [
    {
      uid: 'page',
      name: ['ページ', 'Pages'],
      fields: [
        ...titleAndSlug('title', ['ページ名', 'Title'], 40),
        {
          uid: 'sections',
          name: ['部品', 'Sections'],
          type: 'MULTI_TYPE',
          multiple: true,
          types: ['hero', 'features', 'steps', 'voices', 'pricing', 'faq'].map((customType) => ({
            type: 'CUSTOM',
            customType,
          })),
        },
        {
          uid: 'metaTitle',
          name: ['検索に出る題名', 'Title in search results'],
          type: 'TEXT',
          maxLength: 60,
          tab: ['検索と共有', 'Search and sharing'],
        },
        {
          uid: 'metaDescription',
          name: ['検索に出る説明', 'Description in search results'],
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 120,
          tab: ['検索と共有', 'Search and sharing'],
        },
        {
          uid: 'shareImage',
          name: ['共有されたときの画像', 'Picture when shared'],
          type: 'IMAGE',
          tab: ['検索と共有', 'Search and sharing'],
        },
      ],
      documents: withSlugs([
        'home',
        6,
        {
          title: 'きょうの献立ノート',
          sections: [
            piece('hero', {
              title: '献立に、もう悩まない。',
              lead: '冷蔵庫にあるものを三つ選ぶだけ。「きょうの献立ノート」が、一週間ぶんの晩ごはんと買いもののメモをつくります。',
              image: picture('phone'),
              background: '#fdf3e3',
              buttons: [
                { label: '無料ではじめる', url: '#plans', strong: true },
                { label: '三十秒で見る', url: '#steps', strong: false },
              ],
            }),
            piece('features', {
              title: '台所に立つ前の、十五分がなくなる',
              features: [
                {
                  title: 'あるものから考える',
                  text: '使いかけの大根、半分のこった豆腐。余らせがちな食材を先に使う献立をつくります。',
                  image: picture('vegetables'),
                },
                {
                  title: '家族の「苦手」を覚える',
                  text: '辛いもの、生のトマト、魚の骨。一度教えれば、次からは出てきません。',
                  image: picture('table'),
                },
                {
                  title: '買いものメモが、店の順に',
                  text: '野菜、肉、乳製品。売り場をひと回りする順に並べ替えて渡します。',
                  image: picture('list'),
                },
              ],
            }),
            piece('steps', {
              title: 'はじめかた',
              steps: [
                '冷蔵庫の食材を、三つ選ぶ',
                '家族の人数と、苦手なものを入れる',
                '一週間の献立を受けとる',
              ],
            }),
            piece('voices', {
              title: '使っている人の声',
              voices: toAll('voice', 'nurse', 'father', 'single'),
            }),
            piece('pricing', {
              title: '料金',
              note: 'いつでもやめられます。年払いにすると二か月ぶんお得です。',
              plans: [
                {
                  name: 'ひとり',
                  price: 0,
                  includes: ['一日一品の献立', '買いものメモ'],
                  recommended: false,
                  button: { label: 'はじめる', url: 'https://example.com/start', strong: false },
                },
                {
                  name: '家族',
                  price: 480,
                  includes: ['一週間の献立', '苦手なものを覚える', '家族四人までの共有'],
                  recommended: true,
                  button: { label: '三十日試す', url: 'https://example.com/trial', strong: true },
                },
              ],
            }),
            piece('faq', {
              title: 'よくある質問',
              questions: toAll('question', 'cancel', 'allergy', 'baby'),
            }),
          ],
          metaTitle: 'きょうの献立ノート｜あるもの三つで、一週間の晩ごはん',
          metaDescription: '冷蔵庫の食材を三つ選ぶだけで、一週間の献立と買いもののメモができあがります。',
          shareImage: picture('phone'),
        },
      ]),
    },
    {
      uid: 'voice',
      name: ['声', 'Voices'],
      titleField: 'name',
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, maxLength: 20, width: 'half' },
        { uid: 'about', name: ['どんな人', 'About'], type: 'TEXT', maxLength: 40, width: 'half' },
        { uid: 'portrait', name: ['似顔絵', 'Portrait'], type: 'IMAGE' },
        {
          uid: 'text',
          name: ['声', 'What they say'],
          type: 'TEXT',
          inputType: 'textarea',
          required: true,
          maxLength: 200,
        },
      ],
      views: [
        {
          name: ['似顔絵', 'Portraits'],
          type: 'GALLERY',
          settings: { cover: 'portrait', aspect: 'square', size: 'medium' },
        },
      ],
      documents: documents(
        [
          'nurse',
          20,
          {
            name: '里奈さん',
            about: '看護師・四人暮らし',
            portrait: picture('rina'),
            text: '夜勤明けの頭で献立を考えるのが、いちばんつらかった。いまは冷蔵庫の写真を見て三つ押すだけです。',
          },
        ],
        [
          'father',
          20,
          {
            name: '健さん',
            about: '会社員・父と子の二人暮らし',
            portrait: picture('ken'),
            text: '息子が「これ、もう一回」と言った料理だけが、ちゃんと残っていく。それがうれしい。',
          },
        ],
        [
          'single',
          20,
          {
            name: '千尋さん',
            about: '大学院生・ひとり暮らし',
            portrait: picture('chihiro'),
            text: '白菜をまるごと買えるようになりました。四日で使い切る順番を教えてくれるので。',
          },
        ],
      ),
    },
    {
      uid: 'question',
      name: ['質問', 'Questions'],
      fields: [
        { uid: 'question', name: ['質問', 'Question'], type: 'TEXT', required: true, maxLength: 80 },
        { uid: 'answer', name: ['答え', 'Answer'], type: 'RICH_TEXT', required: true },
      ],
      documents: documents(
        [
          'cancel',
          20,
          {
            question: 'いつでもやめられますか。',
            answer: '<p>はい。設定の「プラン」から、その場で。記録した献立は、あとから書き出せます。</p>',
          },
        ],
        [
          'allergy',
          20,
          {
            question: 'アレルギーに対応していますか。',
            answer:
              '<p>表示義務のある八品目を、献立と買いものメモから除けます。ただし<strong>加工食品の原材料は、かならずご自身でお確かめください</strong>。</p>',
          },
        ],
        [
          'baby',
          20,
          {
            question: '離乳食の献立もつくれますか。',
            answer:
              '<p>取り分けのできる献立に印をつけています。月齢ごとの献立は、いま準備しているところです。</p>',
          },
        ],
      ),
    },
  ],
  pictures: {
    phone: '献立の並んだ画面を映す携帯電話と、まわりの野菜',
    vegetables: 'かごに盛られた大根、にんじん、葉もの',
    table: '湯気の立つ鍋を囲む食卓',
    list: '項目に印のついた買いものメモ',
    rina: '里奈さんの似顔絵',
    ken: '健さんの似顔絵',
    chihiro: '千尋さんの似顔絵',
  },
}
