import {
  day,
  documents,
  picture,
  piece,
  type ShippedTemplate,
  titleAndSlug,
  withSlugs,
} from './vocabulary.ts'

/** The site of a small company that makes instruments. */
export const corporate: ShippedTemplate = {
  id: 'corporate',
  name: ['コーポレートサイト', 'Company site'],
  description: [
    '水の計測器をつくる小さな会社を例にした、会社のサイトです。部品を組み合わせるページ、沿革、拠点、お知らせを備えています。',
    'The site of a small maker of instruments: pages put together from sections, history, locations, news.',
  ],
  icon: '🏢',
  cover: 'works',
  customTypes: [
    {
      uid: 'button',
      name: ['ボタン', 'Button'],
      fields: [
        { uid: 'label', name: ['文字', 'Label'], type: 'TEXT', required: true, maxLength: 20, width: 'half' },
        { uid: 'url', name: ['行き先', 'Leads to'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
    {
      uid: 'point',
      name: ['特長', 'Point'],
      fields: [
        { uid: 'icon', name: ['絵文字', 'Emoji'], type: 'EMOJI' },
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', required: true, maxLength: 30 },
        { uid: 'text', name: ['文', 'Text'], type: 'TEXT', inputType: 'textarea', maxLength: 120 },
      ],
    },
    {
      uid: 'hero',
      name: ['冒頭', 'Hero'],
      description: [
        'ページのいちばん上。大きな画像と、ひとこと。',
        'Top of a page: a large picture and a line.',
      ],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', required: true, maxLength: 40 },
        { uid: 'lead', name: ['前文', 'Lead'], type: 'TEXT', inputType: 'textarea', maxLength: 160 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE' },
        { uid: 'button', name: ['ボタン', 'Button'], type: 'CUSTOM', customType: 'button' },
      ],
    },
    {
      uid: 'media',
      name: ['画像と文章', 'Picture with text'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE', required: true },
        {
          uid: 'side',
          name: ['画像の位置', 'Side of the picture'],
          type: 'SELECT',
          inputType: 'radio',
          defaultValue: 'left',
          options: [
            { value: 'left', label: ['左', 'Left'] },
            { value: 'right', label: ['右', 'Right'] },
          ],
        },
        { uid: 'text', name: ['文章', 'Text'], type: 'RICH_TEXT' },
      ],
    },
    {
      uid: 'points',
      name: ['特長の並び', 'Points'],
      fields: [
        { uid: 'title', name: ['見出し', 'Title'], type: 'TEXT', maxLength: 40 },
        {
          uid: 'points',
          name: ['特長', 'Points'],
          type: 'CUSTOM',
          customType: 'point',
          multiple: true,
          minItems: 1,
          maxItems: 6,
        },
      ],
    },
    {
      uid: 'history',
      name: ['沿革の項目', 'Year of the history'],
      fields: [
        {
          uid: 'year',
          name: ['年', 'Year'],
          type: 'NUMBER',
          integer: true,
          min: 1800,
          max: 2100,
          required: true,
          width: 'half',
        },
        { uid: 'text', name: ['できごと', 'What happened'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
  ],
  models: [
    {
      uid: 'page',
      name: ['ページ', 'Pages'],
      description: ['部品を上から順に並べてつくるページ。', 'Pages, put together from sections.'],
      fields: [
        ...titleAndSlug('title', ['ページ名', 'Title'], 40),
        {
          uid: 'description',
          name: ['説明', 'Description'],
          description: ['検索結果に出る紹介。', 'Shown in search results.'],
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 120,
        },
        {
          uid: 'sections',
          name: ['部品', 'Sections'],
          type: 'MULTI_TYPE',
          multiple: true,
          types: [
            { type: 'CUSTOM', customType: 'hero' },
            { type: 'CUSTOM', customType: 'media' },
            { type: 'CUSTOM', customType: 'points' },
            { type: 'RICH_TEXT' },
          ],
        },
      ],
      documents: withSlugs(
        [
          'home',
          30,
          {
            title: 'ホーム',
            description:
              '川と湖の水をはかって六十年。みずうみ計器は、現場で使いつづけられる計測器をつくっています。',
            sections: [
              piece('hero', {
                title: '水を、静かにはかる。',
                lead: '川の水位、湖の濁り、井戸の深さ。電気の届かない場所でも十年動く計測器を、四十二人でつくっています。',
                image: picture('works'),
                button: { label: '製品を見る', url: '/products' },
              }),
              piece('points', {
                title: '選ばれている理由',
                points: [
                  {
                    icon: '🔋',
                    title: '電池ひとつで十年',
                    text: '太陽電池も配線もいりません。交換は十年に一度です。',
                  },
                  { icon: '🛠️', title: '分解できる', text: '部品はすべて、六角レンチ一本で取り外せます。' },
                  {
                    icon: '📍',
                    title: '全国三千か所',
                    text: '渓流の源から河口まで、二十九の都道府県で動いています。',
                  },
                ],
              }),
              piece('media', {
                title: '組み立ては、いまも手で',
                image: picture('workshop'),
                side: 'right',
                text: '<p>一台ごとに、組んだ人の名前を台帳へ書きます。三十年前の一台が修理に戻ってきたとき、誰がどの部品を選んだのかが分かるからです。</p>',
              }),
            ],
          },
        ],
        [
          'about',
          60,
          {
            title: '会社について',
            description: 'みずうみ計器の考えかたと、これまでのあゆみ。',
            sections: [
              piece('hero', {
                title: '現場に、いちばん近い計器屋',
                lead: '創業者は、洪水で家を流された測量士でした。',
                image: picture('lake'),
              }),
              piece(
                'RICH_TEXT',
                '<h2>私たちの約束</h2><p>はかった値に手を加えないこと。壊れたら直せること。使う人の靴が濡れる場所へ、まず自分たちが行くこと。</p><p>この三つを、創業のときから変えていません。</p>',
              ),
            ],
          },
        ],
        [
          'products',
          60,
          {
            title: '製品',
            description: '水位計、濁度計、雨量計。',
            sections: [
              piece('media', {
                title: '水位計 WL-3',
                image: picture('gauge'),
                side: 'left',
                text: '<p>橋脚や護岸に取りつける、手のひらほどの水位計です。一分おきの記録を十年ぶん、本体に残します。</p><ul><li>精度：±3 mm</li><li>動作温度：−30〜60 ℃</li><li>重さ：640 g</li></ul>',
              }),
              piece('points', {
                title: 'そのほかの製品',
                points: [
                  { icon: '🌧️', title: '雨量計 RG-2', text: '転倒ますの動きを、音で数えます。' },
                  { icon: '🌫️', title: '濁度計 TB-1', text: '光の散らばりで、水のにごりを見ます。' },
                ],
              }),
            ],
          },
        ],
      ),
    },
    {
      uid: 'news',
      name: ['お知らせ', 'News'],
      fields: [
        { uid: 'title', name: ['タイトル', 'Title'], type: 'TEXT', required: true, maxLength: 60 },
        {
          uid: 'date',
          name: ['日付', 'Date'],
          type: 'DATE',
          inputType: 'date',
          required: true,
          width: 'half',
        },
        {
          uid: 'kind',
          name: ['種類', 'Kind'],
          type: 'SELECT',
          width: 'half',
          options: [
            { value: 'company', label: ['会社', 'Company'] },
            { value: 'product', label: ['製品', 'Products'] },
            { value: 'exhibition', label: ['展示会', 'Exhibitions'] },
          ],
        },
        { uid: 'body', name: ['本文', 'Body'], type: 'RICH_TEXT', required: true },
      ],
      views: [
        {
          name: ['新しい順', 'Newest first'],
          type: 'TABLE',
          settings: { sort: '-date', columns: [{ id: '_sys.status' }, { id: 'date' }, { id: 'kind' }] },
        },
      ],
      documents: documents(
        [
          'exhibition',
          5,
          {
            title: '「水とくらしの技術展」に出展します',
            date: day(-5),
            kind: 'exhibition',
            body: '<p>来月、県産業会館で開かれる技術展に、水位計 WL-3 と、その中身をすべて並べた分解模型を持っていきます。実際に分解していただけます。</p>',
          },
        ],
        [
          'battery',
          32,
          {
            title: '水位計の電池を、交換できる標準品に変えました',
            date: day(-32),
            kind: 'product',
            body: '<p>これまでの専用電池をやめ、どこでも手に入る単一形の電池を使えるようにしました。すでにお使いのものも、部品一つで切り替えられます。</p>',
          },
        ],
        [
          'closed-days',
          80,
          {
            title: '工場の点検にともなう休業のお知らせ',
            date: day(-80),
            kind: 'company',
            body: '<p>来月の第二月曜から水曜まで、工場の設備を点検するため、本社・工場を休業いたします。東京営業所は通常どおり営業します。緊急のご連絡は、製品の裏に記した番号へお願いします。担当が交代で出ます。</p>',
          },
        ],
      ),
    },
    {
      uid: 'location',
      name: ['拠点', 'Locations'],
      titleField: 'name',
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, maxLength: 40 },
        { uid: 'address', name: ['住所', 'Address'], type: 'TEXT', required: true },
        { uid: 'phone', name: ['電話', 'Telephone'], type: 'TEXT', pattern: '^[0-9-]+$' },
        { uid: 'place', name: ['地図', 'On the map'], type: 'MAP' },
      ],
      views: [
        {
          name: ['連絡先', 'Addresses'],
          type: 'TABLE',
          settings: { columns: [{ id: '_sys.status' }, { id: 'address', width: 320 }, { id: 'phone' }] },
        },
      ],
      documents: documents(
        [
          'main',
          60,
          {
            name: '本社・工場',
            address: '長野県水海市湖畔 2-14',
            phone: '0266-00-0000',
            place: { lat: 36.0487, lng: 138.0812 },
          },
        ],
        [
          'tokyo',
          60,
          {
            name: '東京営業所',
            address: '東京都千代田区川端 3-1 五階',
            phone: '03-0000-0000',
            place: { lat: 35.6917, lng: 139.7706 },
          },
        ],
      ),
    },
    {
      uid: 'profile',
      name: ['会社概要', 'Company profile'],
      fields: [
        { uid: 'name', name: ['社名', 'Company name'], type: 'TEXT', required: true },
        { uid: 'representative', name: ['代表者', 'Representative'], type: 'TEXT', width: 'half' },
        { uid: 'founded', name: ['創業', 'Founded'], type: 'DATE', inputType: 'date', width: 'half' },
        {
          uid: 'employees',
          name: ['社員数', 'Employees'],
          type: 'NUMBER',
          integer: true,
          min: 1,
          width: 'half',
        },
        {
          uid: 'capital',
          name: ['資本金（円）', 'Capital (yen)'],
          type: 'NUMBER',
          integer: true,
          min: 0,
          width: 'half',
        },
        { uid: 'message', name: ['ごあいさつ', 'Message'], type: 'RICH_TEXT' },
        { uid: 'portrait', name: ['代表者の画像', 'Portrait'], type: 'IMAGE' },
        { uid: 'history', name: ['沿革', 'History'], type: 'CUSTOM', customType: 'history', multiple: true },
      ],
      views: [{ name: ['会社概要', 'Company profile'], type: 'SINGLETON' }],
      documents: documents([
        'profile',
        60,
        {
          name: '株式会社みずうみ計器',
          representative: '湖東 しづか',
          founded: '1963-06-01',
          employees: 42,
          capital: 30_000_000,
          portrait: picture('president'),
          message:
            '<p>水は、少しずつしか変わりません。その少しを見のがさないために、計器は静かで、正直で、長生きでなければならないと考えています。</p><p>六十年前に納めた一台が、いまも同じ橋の下で動いています。その隣に立てるものを、これからもつくります。</p>',
          history: [
            { year: 1963, text: '湖畔の納屋で創業。竹の水位標をつくる' },
            { year: 1978, text: '自記式の水位計を開発' },
            { year: 1996, text: '電池で動く記録計に切り替える' },
            { year: 2015, text: '分解できる設計を、全製品に広げる' },
          ],
        },
      ]),
    },
  ],
  pictures: {
    works: '湖のほとりに建つ、のこぎり屋根の工場',
    workshop: '工具の掛かった壁と、組み立て中の計器が載った作業台',
    lake: '山に囲まれた湖と、岸に立つ水位標',
    gauge: '目盛りのついた、まるい水位計',
    president: '湖東しづか社長の似顔絵',
  },
}
