import {
  day,
  documents,
  picture,
  type ShippedTemplate,
  titleAndSlug,
  to,
  toAll,
  withSlugs,
} from './vocabulary.ts'

/** The manual of a small tool. */
export const docs: ShippedTemplate = {
  id: 'docs',
  name: ['ドキュメント', 'Documentation'],
  description: [
    '回覧板アプリ「まわる」を例にした、使いかたの説明書です。章と順番、関連ページ、用語、更新の記録を備えています。',
    'The manual of a small tool: chapters and their order, related pages, a glossary, release notes.',
  ],
  icon: '📘',
  cover: 'manual',
  customTypes: [
    {
      uid: 'change',
      name: ['変更', 'Change'],
      fields: [
        {
          uid: 'kind',
          name: ['種類', 'Kind'],
          type: 'SELECT',
          inputType: 'radio',
          required: true,
          options: [
            { value: 'added', label: ['追加', 'Added'] },
            { value: 'changed', label: ['変更', 'Changed'] },
            { value: 'fixed', label: ['修正', 'Fixed'] },
          ],
        },
        { uid: 'text', name: ['内容', 'Text'], type: 'TEXT', required: true, maxLength: 200 },
      ],
    },
  ],
  models: [
    {
      uid: 'page',
      name: ['ページ', 'Pages'],
      fields: [
        ...titleAndSlug('title', ['見出し', 'Title']),
        {
          uid: 'chapter',
          name: ['章', 'Chapter'],
          type: 'REFERENCE',
          modelUid: 'chapter',
          required: true,
          width: 'half',
        },
        {
          uid: 'position',
          name: ['順番', 'Position'],
          description: ['章をまたいだ通し番号。', 'Counted through all chapters.'],
          type: 'NUMBER',
          integer: true,
          min: 1,
          width: 'half',
        },
        { uid: 'summary', name: ['要約', 'Summary'], type: 'TEXT', maxLength: 100 },
        { uid: 'body', name: ['本文', 'Body'], type: 'MARKDOWN', required: true },
        { uid: 'image', name: ['図', 'Figure'], type: 'IMAGE' },
        {
          uid: 'audience',
          name: ['だれのため', 'For whom'],
          type: 'SELECT',
          inputType: 'checkbox',
          multiple: true,
          options: [
            { value: 'reader', label: ['読む人', 'Readers'] },
            { value: 'writer', label: ['書く人', 'Writers'] },
            { value: 'admin', label: ['管理する人', 'Admins'] },
          ],
        },
        {
          uid: 'related',
          name: ['関連するページ', 'Related pages'],
          type: 'REFERENCE',
          modelUid: 'page',
          multiple: true,
          maxItems: 5,
        },
      ],
      views: [
        {
          name: ['章の順', 'By chapter'],
          type: 'TABLE',
          settings: {
            sort: 'position',
            columns: [{ id: '_sys.status' }, { id: 'chapter' }, { id: 'position' }, { id: 'audience' }],
          },
        },
        {
          name: ['管理する人向け', 'For admins'],
          type: 'TABLE',
          settings: {
            filters: [{ field: 'audience', op: 'eq', value: 'admin' }],
            columns: [{ id: '_sys.status' }, { id: 'chapter' }, { id: 'summary' }],
          },
        },
      ],
      documents: withSlugs(
        [
          'what-is-mawaru',
          40,
          {
            title: '「まわる」でできること',
            chapter: to('chapter/start'),
            position: 1,
            summary: '紙の回覧板を、そのまま画面に。',
            audience: ['reader', 'writer', 'admin'],
            image: picture('board'),
            body: '「まわる」は、町内会やマンションの回覧板を、画面の上で回すための道具です。\n\n- **書く人**は、お知らせを一枚つくって回します\n- **読む人**は、読んだら「見ました」を押します\n- **管理する人**は、だれがまだ見ていないかを確かめられます\n\n紙で受けとりたい人には、印刷した一枚が届きます。全員が画面を使う必要はありません。',
            related: toAll('page', 'first-notice', 'paper-members'),
          },
        ],
        [
          'sign-in',
          40,
          {
            title: 'はじめて入る',
            chapter: to('chapter/start'),
            position: 2,
            summary: '合言葉と、部屋番号で。',
            audience: ['reader'],
            body: '1. 配られた紙の二次元コードを読みとります\n2. 部屋番号と、合言葉を入れます\n3. 「見ました」を押したときに出る名前を決めます\n\n> 合言葉は三か月ごとに変わります。忘れたときは、班長さんに聞いてください。',
            related: toAll('page', 'what-is-mawaru'),
          },
        ],
        [
          'first-notice',
          38,
          {
            title: '最初の一枚を回す',
            chapter: to('chapter/write'),
            position: 3,
            summary: '題名、期限、本文。三つで足ります。',
            audience: ['writer'],
            image: picture('editor'),
            body: '「新しい一枚」を押し、題名と本文を書きます。\n\n```\n題名：　ごみ置き場の清掃\n期限：　今月の末\n```\n\n期限を過ぎると、一覧の下に沈みます。消えることはありません。\n\n| 見た人 | 表示 |\n|---|---|\n| 全員 | 緑の丸 |\n| 半分より多い | 黄の丸 |\n| まだ少ない | 白の丸 |',
            related: toAll('page', 'attachments', 'reminders'),
          },
        ],
        [
          'attachments',
          36,
          {
            title: '写真と書類を添える',
            chapter: to('chapter/write'),
            position: 4,
            summary: '十枚まで、向きは自動で直ります。',
            audience: ['writer'],
            body: '写真は十枚、書類は三つまで添えられます。撮った場所の情報は、送る前に取り除かれます[^exif]。\n\n[^exif]: 写真に埋め込まれた緯度と経度のことです。',
            related: toAll('page', 'first-notice'),
          },
        ],
        [
          'reminders',
          30,
          {
            title: 'まだの人に、もう一度',
            chapter: to('chapter/write'),
            position: 5,
            summary: '名指しせずに、そっと知らせます。',
            audience: ['writer', 'admin'],
            body: '期限の二日前に、まだ見ていない人だけへ知らせが届きます。だれに届いたかは、書いた人にも見えません。',
            related: toAll('page', 'first-notice'),
          },
        ],
        [
          'paper-members',
          28,
          {
            title: '紙で受けとる人',
            chapter: to('chapter/manage'),
            position: 6,
            summary: '印刷と、見たことの代わりの記録。',
            audience: ['admin'],
            image: picture('printer'),
            body: '名簿で「紙」に印をつけると、新しい一枚が出るたびに **A4 一枚**へ組んだものが用意されます。\n\n- [ ] 毎朝八時に、印刷の列を確かめる\n- [ ] 郵便受けに入れたら「届けた」を押す',
          },
        ],
        [
          'member-list',
          26,
          {
            title: '名簿をそろえる',
            chapter: to('chapter/manage'),
            position: 7,
            summary: '引っ越しの季節に、三分で。',
            audience: ['admin'],
            body: '部屋番号と名前の二列だけの表を貼りつけると、増えた人と減った人が色で示されます。確かめてから「そろえる」を押してください。取り消しは七日間できます。',
            related: toAll('page', 'paper-members'),
          },
        ],
        [
          'export',
          20,
          {
            title: '記録を持ち出す',
            chapter: to('chapter/manage'),
            position: 8,
            summary: '総会の資料に。',
            audience: ['admin'],
            body: '年度ごとに、回した一枚と「見ました」の数を表計算の形で書き出せます。**だれが見たか**は含まれません。',
          },
        ],
      ),
    },
    {
      uid: 'chapter',
      name: ['章', 'Chapters'],
      fields: [
        ...titleAndSlug('title', ['章の名前', 'Title'], 30),
        { uid: 'position', name: ['順番', 'Position'], type: 'NUMBER', integer: true, min: 1 },
        { uid: 'icon', name: ['絵文字', 'Emoji'], type: 'EMOJI' },
      ],
      views: [{ name: ['順番', 'In order'], type: 'LIST', settings: { sort: 'position' } }],
      documents: withSlugs(
        ['start', 60, { title: 'はじめに', position: 1, icon: '🌱' }],
        ['write', 60, { title: '書いて回す', position: 2, icon: '✏️' }],
        ['manage', 60, { title: '管理する', position: 3, icon: '🗂️' }],
      ),
    },
    {
      uid: 'release',
      name: ['更新の記録', 'Release notes'],
      titleField: 'version',
      fields: [
        {
          uid: 'version',
          name: ['版', 'Version'],
          type: 'TEXT',
          required: true,
          unique: true,
          pattern: '^\\d+\\.\\d+\\.\\d+$',
          width: 'half',
        },
        {
          uid: 'date',
          name: ['日付', 'Date'],
          type: 'DATE',
          inputType: 'date',
          required: true,
          width: 'half',
        },
        {
          uid: 'changes',
          name: ['変更', 'Changes'],
          type: 'CUSTOM',
          customType: 'change',
          multiple: true,
          minItems: 1,
        },
      ],
      views: [
        {
          name: ['新しい順', 'Newest first'],
          type: 'TABLE',
          settings: { sort: '-date', columns: [{ id: '_sys.status' }, { id: 'date' }, { id: 'changes' }] },
        },
      ],
      documents: documents(
        [
          'v210',
          3,
          {
            version: '2.1.0',
            date: day(-3),
            changes: [
              { kind: 'added', text: '紙で受けとる人の印刷を、班ごとにまとめられるようになりました。' },
              { kind: 'fixed', text: '期限を当日にすると、翌朝まで一覧に出ないことがありました。' },
            ],
          },
        ],
        [
          'v200',
          45,
          {
            version: '2.0.0',
            date: day(-45),
            changes: [
              { kind: 'changed', text: '「既読」を「見ました」に改めました。' },
              { kind: 'added', text: '文字の大きさを、人ごとに変えられます。' },
            ],
          },
        ],
        [
          'v190',
          120,
          {
            version: '1.9.0',
            date: day(-120),
            changes: [{ kind: 'added', text: '写真から、撮った場所の情報を取り除くようになりました。' }],
          },
        ],
      ),
    },
    {
      uid: 'term',
      name: ['用語', 'Glossary'],
      titleField: 'word',
      fields: [
        { uid: 'word', name: ['言葉', 'Word'], type: 'TEXT', required: true, unique: true, width: 'half' },
        { uid: 'reading', name: ['読み', 'Reading'], type: 'TEXT', width: 'half' },
        { uid: 'meaning', name: ['意味', 'Meaning'], type: 'TEXT', inputType: 'textarea', required: true },
        { uid: 'page', name: ['詳しいページ', 'Page'], type: 'REFERENCE', modelUid: 'page' },
      ],
      views: [
        {
          name: ['五十音順', 'By reading'],
          type: 'TABLE',
          settings: { sort: 'reading', columns: [{ id: '_sys.status' }, { id: 'reading' }, { id: 'page' }] },
        },
      ],
      documents: documents(
        [
          'notice',
          60,
          {
            word: '一枚',
            reading: 'いちまい',
            meaning: '回すお知らせの単位。紙の回覧板の、一枚の紙にあたります。',
            page: to('page/first-notice'),
          },
        ],
        [
          'seen',
          60,
          { word: '見ました', reading: 'みました', meaning: '読んだことを知らせるボタン。取り消せます。' },
        ],
        [
          'group',
          60,
          {
            word: '班',
            reading: 'はん',
            meaning: '回す順のまとまり。ふつうは十軒から二十軒です。',
            page: to('page/member-list'),
          },
        ],
      ),
    },
  ],
  pictures: {
    manual: '開いた説明書と、吹き出しの図',
    board: '丸い印の並んだ、画面の中の回覧板',
    editor: '題名と本文の欄がある、書く画面',
    printer: '紙の出てくる印刷機',
  },
}
