import {
  documents,
  picture,
  piece,
  type ShippedTemplate,
  titleAndSlug,
  toAll,
  withSlugs,
} from './vocabulary.ts'

/** The works of an illustrator. */
export const portfolio: ShippedTemplate = {
  id: 'portfolio',
  name: ['ポートフォリオ', 'Portfolio'],
  description: [
    'イラストレーターの仕事を見せるサイトです。作品のギャラリー、経歴、寄せられた言葉を備えています。',
    'The works of an illustrator: a gallery, a profile, what clients say.',
  ],
  icon: '🎨',
  cover: 'desk',
  customTypes: [
    {
      uid: 'link',
      name: ['リンク', 'Link'],
      fields: [
        { uid: 'label', name: ['名前', 'Label'], type: 'TEXT', required: true, width: 'half' },
        {
          uid: 'url',
          name: ['URL', 'URL'],
          type: 'TEXT',
          required: true,
          pattern: '^(https?://|mailto:)',
          width: 'half',
        },
      ],
    },
    {
      uid: 'career',
      name: ['経歴', 'Career'],
      fields: [
        { uid: 'year', name: ['年', 'Year'], type: 'NUMBER', integer: true, required: true, width: 'half' },
        { uid: 'text', name: ['できごと', 'What happened'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
    {
      uid: 'credit',
      name: ['担当', 'Credit'],
      fields: [
        { uid: 'role', name: ['役割', 'Role'], type: 'TEXT', required: true, width: 'half' },
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
    {
      uid: 'caption',
      name: ['画像と説明', 'Picture with caption'],
      fields: [
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE', required: true },
        { uid: 'caption', name: ['説明', 'Caption'], type: 'TEXT', maxLength: 120 },
      ],
    },
  ],
  models: [
    {
      uid: 'work',
      name: ['作品', 'Works'],
      fields: [
        ...titleAndSlug('title', ['題名', 'Title'], 50),
        { uid: 'cover', name: ['表紙', 'Cover'], type: 'IMAGE', required: true },
        {
          uid: 'kinds',
          name: ['種類', 'Kinds'],
          type: 'SELECT',
          inputType: 'checkbox',
          multiple: true,
          options: [
            { value: 'book', label: ['装画', 'Book covers'] },
            { value: 'poster', label: ['ポスター', 'Posters'] },
            { value: 'package', label: ['包装', 'Packaging'] },
            { value: 'mural', label: ['壁画', 'Murals'] },
            { value: 'own', label: ['自主制作', 'Own work'] },
          ],
        },
        {
          uid: 'year',
          name: ['制作年', 'Year'],
          type: 'NUMBER',
          integer: true,
          min: 1900,
          max: 2100,
          width: 'half',
        },
        { uid: 'client', name: ['依頼主', 'Client'], type: 'TEXT', width: 'half' },
        { uid: 'color', name: ['主な色', 'Main colour'], type: 'COLOR', width: 'half' },
        { uid: 'featured', name: ['トップに出す', 'On the front page'], type: 'CHECKBOX', width: 'half' },
        {
          uid: 'contents',
          name: ['中身', 'Contents'],
          type: 'MULTI_TYPE',
          multiple: true,
          types: [{ type: 'RICH_TEXT' }, { type: 'CUSTOM', customType: 'caption' }, { type: 'EMBED' }],
        },
        { uid: 'credits', name: ['担当', 'Credits'], type: 'CUSTOM', customType: 'credit', multiple: true },
        {
          uid: 'related',
          name: ['あわせて見る', 'See also'],
          type: 'REFERENCE',
          modelUid: 'work',
          multiple: true,
          maxItems: 3,
        },
      ],
      views: [
        {
          name: ['ギャラリー', 'Gallery'],
          type: 'GALLERY',
          settings: { cover: 'cover', aspect: 'landscape', size: 'large' },
        },
        {
          name: ['年の順', 'By year'],
          type: 'TABLE',
          settings: {
            sort: '-year',
            columns: [
              { id: '_sys.status' },
              { id: 'cover', width: 90 },
              { id: 'year', width: 110 },
              { id: 'kinds', width: 120 },
              { id: 'client', width: 130 },
            ],
          },
        },
      ],
      documents: withSlugs(
        [
          'tide-table',
          7,
          {
            title: '潮見表のカレンダー',
            cover: picture('tide'),
            kinds: ['own'],
            year: 2025,
            color: '#1f5673',
            featured: true,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>毎日の満潮と干潮を、線の高さだけで描いた一枚もののカレンダー。数字は隅に小さく入れました。壁に貼ると、一年がひとつの波に見えます。</p>',
              ),
              piece('caption', {
                image: picture('tide'),
                caption: '十二か月ぶんの潮の高さ。大潮のところで線が混みあう。',
              }),
            ],
            related: toAll('work', 'night-train'),
          },
        ],
        [
          'night-train',
          20,
          {
            title: '夜汽車の本',
            cover: picture('night-train'),
            kinds: ['book'],
            year: 2024,
            client: '灯台社',
            color: '#23304f',
            featured: true,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>窓のあかりだけが動いていく短編集の装画。帯を外すと、客車がもう一両ふえます。校了の前の日に、月を二ミリ左へ動かしました。</p>',
              ),
            ],
            credits: [
              { role: '装丁', name: '千田製本室' },
              { role: '編集', name: '東野' },
            ],
          },
        ],
        [
          'tea-package',
          33,
          {
            title: '山のお茶の包み紙',
            cover: picture('tea'),
            kinds: ['package'],
            year: 2024,
            client: '峠の茶園',
            color: '#5d7a4a',
            featured: true,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>三種類のお茶を、摘む山の高さで描き分けました。並べて置くと、ひと続きの稜線になります。</p>',
              ),
              piece('caption', { image: picture('tea'), caption: '手前から、里・中腹・霧の上。' }),
            ],
            credits: [{ role: '印刷', name: '三色堂' }],
          },
        ],
        [
          'swim-poster',
          48,
          {
            title: '市民プールのポスター',
            cover: picture('swim'),
            kinds: ['poster'],
            year: 2023,
            client: '青葉市スポーツ課',
            color: '#2aa7b8',
            featured: false,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>「泳げない人も来てよい」と伝えたくて、水に足だけ浸けている人を描きました。</p>',
              ),
            ],
            related: toAll('work', 'nursery-wall'),
          },
        ],
        [
          'nursery-wall',
          70,
          {
            title: '保育園の壁画',
            cover: picture('wall'),
            kinds: ['mural'],
            year: 2023,
            client: 'どんぐり保育園',
            color: '#e2a33b',
            featured: false,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>子どもの目の高さに、小さな動物を三十八匹かくしました。毎年、年長さんが一匹ずつ描き足しています。</p>',
              ),
            ],
          },
        ],
        [
          'bird-notebook',
          95,
          {
            title: '鳥の観察ノート',
            cover: picture('birds'),
            kinds: ['own', 'book'],
            year: 2022,
            color: '#b5533c',
            featured: true,
            contents: [
              piece(
                'RICH_TEXT',
                '<p>ベランダに来た鳥を、一年間、五分以内で描いた記録。早く飛び立った鳥ほど、線が少ない。</p>',
              ),
            ],
          },
        ],
      ),
    },
    {
      uid: 'profile',
      name: ['プロフィール', 'Profile'],
      titleField: 'name',
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true },
        { uid: 'portrait', name: ['画像', 'Portrait'], type: 'IMAGE' },
        { uid: 'catch', name: ['ひとこと', 'In a line'], type: 'TEXT', maxLength: 60 },
        { uid: 'text', name: ['紹介', 'About'], type: 'RICH_TEXT' },
        { uid: 'careers', name: ['経歴', 'Career'], type: 'CUSTOM', customType: 'career', multiple: true },
        { uid: 'links', name: ['連絡先', 'Contact'], type: 'CUSTOM', customType: 'link', multiple: true },
      ],
      views: [{ name: ['プロフィール', 'Profile'], type: 'SINGLETON' }],
      documents: documents([
        'profile',
        100,
        {
          name: '水城 かや',
          portrait: picture('kaya'),
          catch: '動かないものの、動きかけを描いています。',
          text: '<p>海辺の町で生まれ、いまは川のそばの二階で描いています。装画、ポスター、包装紙。紙に刷られるものが好きです。</p><p>ご依頼は、締め切りの二か月前にいただけるとうれしいです。</p>',
          careers: [
            { year: 2014, text: '美術大学を卒業、印刷所に勤める' },
            { year: 2018, text: '独立' },
            { year: 2021, text: '個展「窓のそと」' },
            { year: 2024, text: '「夜汽車の本」で装画の賞' },
          ],
          links: [
            { label: 'メール', url: 'mailto:kaya@example.com' },
            { label: '展示の予定', url: 'https://example.com/exhibitions' },
          ],
        },
      ]),
    },
    {
      uid: 'voice',
      name: ['寄せられた言葉', 'What clients say'],
      titleField: 'name',
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true },
        {
          uid: 'text',
          name: ['言葉', 'Words'],
          type: 'TEXT',
          inputType: 'textarea',
          required: true,
          maxLength: 200,
        },
        { uid: 'work', name: ['作品', 'Work'], type: 'REFERENCE', modelUid: 'work' },
      ],
      views: [
        {
          name: ['作品ごと', 'By work'],
          type: 'TABLE',
          settings: { columns: [{ id: '_sys.status' }, { id: 'work' }, { id: 'text', width: 340 }] },
        },
      ],
      documents: documents(
        [
          'tea',
          60,
          {
            name: '峠の茶園',
            text: '包みをひらくのがもったいないと、お客さまが紙を持ち帰られます。',
            work: toAll('work', 'tea-package')[0],
          },
        ],
        [
          'publisher',
          60,
          {
            name: '灯台社・東野',
            text: '原稿を三度読んでから描きはじめる方です。月の二ミリは、正しかった。',
            work: toAll('work', 'night-train')[0],
          },
        ],
      ),
    },
  ],
  pictures: {
    desk: '絵の具と筆が並んだ、窓ぎわの机',
    tide: '波の線が幾重にも重なるカレンダー',
    'night-train': '月の下を走る、窓のともった汽車',
    tea: '三つの山の稜線を描いた茶の包み',
    swim: '水面に足を浸けた人を描いたポスター',
    wall: '大きな木と動物たちを描いた壁',
    birds: '枝にとまった三羽の鳥',
    kaya: '水城かやさんの似顔絵',
  },
}
