import { day, picture, type ShippedTemplate, titleAndSlug, to, withSlugs } from './vocabulary.ts'

/** Announcements of a small town's library. */
export const news: ShippedTemplate = {
  id: 'news',
  name: ['お知らせ', 'News'],
  description: [
    '町の図書館を例にした、お知らせの配信です。分類、掲載期間、重要なお知らせの固定表示を備えています。',
    'Announcements, shown with the example of a town library: categories, dates of display, pinned items.',
  ],
  icon: '📰',
  cover: 'library',
  customTypes: [
    {
      uid: 'link',
      name: ['関連リンク', 'Related link'],
      fields: [
        { uid: 'label', name: ['見出し', 'Label'], type: 'TEXT', required: true, maxLength: 40 },
        { uid: 'url', name: ['URL', 'URL'], type: 'TEXT', required: true, pattern: '^https?://' },
      ],
    },
  ],
  models: [
    {
      uid: 'news',
      name: ['お知らせ', 'News'],
      description: ['公開した順に並ぶお知らせ。', 'Announcements, in the order in which they appear.'],
      fields: [
        ...titleAndSlug('title', ['タイトル', 'Title']),
        {
          uid: 'category',
          name: ['分類', 'Category'],
          type: 'REFERENCE',
          modelUid: 'category',
          required: true,
        },
        {
          uid: 'date',
          name: ['掲載日', 'Date'],
          type: 'DATE',
          inputType: 'date',
          required: true,
          width: 'half',
        },
        {
          uid: 'until',
          name: ['掲載終了日', 'Shown until'],
          description: ['空欄なら、ずっと掲載します。', 'Left empty: shown for good.'],
          type: 'DATE',
          inputType: 'date',
          width: 'half',
        },
        {
          uid: 'important',
          name: ['重要なお知らせ', 'Important'],
          description: ['一覧のいちばん上に固定します。', 'Stays on top of the list.'],
          type: 'CHECKBOX',
        },
        { uid: 'summary', name: ['概要', 'Summary'], type: 'TEXT', inputType: 'textarea', maxLength: 120 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE' },
        { uid: 'body', name: ['本文', 'Body'], type: 'RICH_TEXT', required: true },
        {
          uid: 'links',
          name: ['関連リンク', 'Related links'],
          type: 'CUSTOM',
          customType: 'link',
          multiple: true,
        },
      ],
      views: [
        {
          name: ['新しい順', 'Newest first'],
          type: 'TABLE',
          settings: {
            sort: '-date',
            columns: [{ id: '_sys.status' }, { id: 'category' }, { id: 'date' }, { id: 'important' }],
          },
        },
        { name: ['カレンダー', 'Calendar'], type: 'CALENDAR', settings: { date: 'date' } },
      ],
      documents: withSlugs(
        [
          'evening-hours',
          2,
          {
            title: '平日の開館時間を一時間延ばします',
            category: to('category/notice'),
            date: day(-2),
            until: day(60),
            important: true,
            summary: 'これから二か月のあいだ、平日の閉館を午後八時にします。仕事帰りにもお立ち寄りください。',
            image: picture('evening'),
            body: '<p>これから二か月のあいだ、平日の閉館時間を午後七時から<strong>午後八時</strong>に延ばします。土曜・日曜・祝日はこれまでどおり午後五時に閉館します。</p><p>延長する一時間は、貸出と返却、閲覧席をご利用いただけます。調べもののご相談は午後七時までにお申し出ください。</p><h2>夜の図書館の過ごしかた</h2><ul><li>二階の窓ぎわに、持ち込みの飲みものを置ける席を用意しました。</li><li>午後七時半からは館内の音楽を止め、あかりを少し落とします。</li></ul>',
          },
        ],
        [
          'story-time',
          6,
          {
            title: '土曜のおはなし会、今月の絵本が決まりました',
            category: to('category/event'),
            date: day(-6),
            until: day(22),
            summary: '雨の音と傘の絵本を四冊。三歳から小学校低学年のお子さん向けです。',
            image: picture('story-time'),
            body: '<p>毎週土曜、午前十時半からの「おはなし会」。今月は雨と傘をめぐる絵本を四冊読みます。申し込みは要りません。はじまりの五分前に、児童コーナーの丸いじゅうたんへお越しください。</p><ul><li>対象：三歳〜小学校低学年（保護者の方もどうぞ）</li><li>時間：三十分ほど</li><li>持ちもの：なし。途中の出入りも自由です</li></ul>',
          },
        ],
        [
          'catalogue-maintenance',
          9,
          {
            title: '蔵書検索を一時休止します（点検のため）',
            category: to('category/maintenance'),
            date: day(-9),
            until: day(5),
            important: true,
            summary: '来週月曜の深夜、機器の点検のため蔵書検索と予約が使えません。',
            body: '<p>月曜の午後十時から翌朝六時まで、機器の点検を行います。この間は、インターネットでの<strong>蔵書検索・予約・貸出の延長</strong>がご利用いただけません。</p><p>点検の前日に返却期限が来る資料は、期限を一日延ばします。お手続きは要りません。</p>',
            links: [{ label: '開館カレンダー', url: 'https://example.com/calendar' }],
          },
        ],
        [
          'new-books',
          14,
          {
            title: '新しく入った本の棚を、入口に移しました',
            category: to('category/books'),
            date: day(-14),
            summary: '先週入った六十二冊を、まず手に取っていただける場所に。',
            image: picture('new-books'),
            body: '<p>「新しい本がどこにあるか分かりにくい」という声をいただき、新着の棚を入口の正面に移しました。並べるのは入ってから一か月のあいだ。そのあとは、それぞれの分類の棚に収まります。</p><p>今週は、郷土の川を撮りつづけた写真集と、台所道具の修理の本がよく借りられています。</p>',
          },
        ],
        [
          'volunteers',
          21,
          {
            title: '本の修理を手伝ってくださる方を募集します',
            category: to('category/recruit'),
            date: day(-21),
            until: day(30),
            summary: '第二・第四水曜の午後、のりと和紙で本を直します。はじめての方にもお教えします。',
            image: picture('repair'),
            body: '<p>背の割れた絵本、角のめくれた図鑑。年に四百冊ほどを、職員とボランティアの手で直しています。道具はこちらで用意し、はじめての日に手順をひととおりお教えします。</p><h2>お願いしたいこと</h2><ol><li>破れたページを、和紙と薄いのりで継ぐ</li><li>はずれた背を、糸でかがる</li><li>直した本の記録をつける</li></ol><p>月に一度だけの参加もうれしく思います。</p>',
          },
        ],
        [
          'bookmobile-route',
          33,
          {
            title: '移動図書館の道順が変わります',
            category: to('category/notice'),
            date: day(-33),
            summary: '川向こうの集会所に、あたらしい停車場所ができました。',
            body: '<p>移動図書館「あおば号」が、隔週木曜の午後二時から川向こうの集会所にも停まります。これにともない、中学校前の停車は午後三時十分からに変わります。</p><table><tbody><tr><th>場所</th><th>時刻</th></tr><tr><td>川向こう集会所</td><td>14:00–14:40</td></tr><tr><td>中学校前</td><td>15:10–15:50</td></tr><tr><td>駅西口</td><td>16:20–17:00</td></tr></tbody></table>',
          },
        ],
        [
          'photo-archive',
          47,
          {
            title: '昭和の町の写真、千二百枚を公開しました',
            category: to('category/books'),
            date: day(-47),
            summary: '寄贈された写真を電子化し、場所と年代から探せるようにしました。',
            body: '<p>町の写真館から寄せられた写真のうち、千二百枚を電子化しました。郷土資料室の端末で、場所と年代から探せます。写っている建物や人についてご存じのことがあれば、どうぞ窓口でお聞かせください。お話はカードに書きとめ、写真に添えます。</p>',
          },
        ],
      ),
    },
    {
      uid: 'category',
      name: ['分類', 'Categories'],
      fields: [
        ...titleAndSlug('name', ['名前', 'Name'], 20),
        {
          uid: 'color',
          name: ['ラベルの色', 'Colour of the label'],
          type: 'COLOR',
          palette: ['#2f6f8f', '#b5651d', '#5b7f3a', '#8a4f7d', '#6b6f76'],
        },
      ],
      documents: withSlugs(
        ['notice', 90, { name: 'ご案内', color: '#2f6f8f' }],
        ['event', 90, { name: '催し', color: '#b5651d' }],
        ['books', 90, { name: '本と資料', color: '#5b7f3a' }],
        ['recruit', 90, { name: '募集', color: '#8a4f7d' }],
        ['maintenance', 90, { name: '点検・休止', color: '#6b6f76' }],
      ),
    },
  ],
  pictures: {
    library: '並木の奥に建つ、赤い屋根の図書館',
    evening: '夜、窓にあかりのともる図書館',
    'story-time': '開いた絵本から、雨と傘が飛び出している',
    'new-books': '色とりどりの背表紙が並ぶ本棚',
    repair: '作業台に置かれた本と、糸とはさみ',
  },
}
