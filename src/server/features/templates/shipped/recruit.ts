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

const step = (title: string, text: string) => ({ title, text })
const usualSteps = [
  step('書類', '履歴書のほかに、最近つくったものや直したものの話を一枚に。'),
  step('工房の見学', '半日、同じ机で過ごします。ここで互いに合うかどうかを見ます。'),
  step('面接', '代表と、いっしょに働く二人がお会いします。'),
]

/** The recruiting site of a furniture maker. */
export const recruit: ShippedTemplate = {
  id: 'recruit',
  name: ['採用サイト', 'Recruiting'],
  description: [
    '木の家具をつくる工房を例にした、採用のサイトです。募集職種、働く人の話、部署、よくある質問を備えています。',
    'Jobs at a maker of furniture: positions, stories of people, teams, questions.',
  ],
  icon: '🤝',
  cover: 'workshop',
  customTypes: [
    {
      uid: 'step',
      name: ['選考の段階', 'Step'],
      fields: [
        { uid: 'title', name: ['名前', 'Title'], type: 'TEXT', required: true, maxLength: 30 },
        { uid: 'text', name: ['説明', 'Text'], type: 'TEXT', inputType: 'textarea', maxLength: 200 },
      ],
    },
    {
      uid: 'qa',
      name: ['一問一答', 'Question and answer'],
      fields: [
        { uid: 'question', name: ['問い', 'Question'], type: 'TEXT', required: true, maxLength: 60 },
        {
          uid: 'answer',
          name: ['答え', 'Answer'],
          type: 'TEXT',
          inputType: 'textarea',
          required: true,
          maxLength: 600,
        },
      ],
    },
    {
      uid: 'hour',
      name: ['一日の流れ', 'Hour of the day'],
      fields: [
        {
          uid: 'time',
          name: ['時刻', 'Time'],
          type: 'DATE',
          inputType: 'time',
          required: true,
          width: 'half',
        },
        { uid: 'text', name: ['すること', 'What happens'], type: 'TEXT', required: true, width: 'half' },
      ],
    },
  ],
  models: [
    {
      uid: 'job',
      name: ['募集職種', 'Jobs'],
      fields: [
        ...titleAndSlug('title', ['職種', 'Title'], 40),
        { uid: 'team', name: ['部署', 'Team'], type: 'REFERENCE', modelUid: 'team', required: true },
        {
          uid: 'employment',
          name: ['雇用の形', 'Employment'],
          type: 'SELECT',
          inputType: 'radio',
          required: true,
          width: 'half',
          options: [
            { value: 'permanent', label: ['正社員', 'Permanent'] },
            { value: 'fixedTerm', label: ['契約社員', 'Fixed term'] },
            { value: 'partTime', label: ['短時間', 'Part time'] },
          ],
        },
        { uid: 'open', name: ['募集中', 'Open'], type: 'CHECKBOX', defaultValue: true, width: 'half' },
        {
          uid: 'salaryMin',
          name: ['月給の下限（円）', 'Monthly pay from (yen)'],
          type: 'NUMBER',
          integer: true,
          min: 0,
          width: 'half',
        },
        {
          uid: 'salaryMax',
          name: ['月給の上限（円）', 'Monthly pay to (yen)'],
          type: 'NUMBER',
          integer: true,
          min: 0,
          width: 'half',
        },
        { uid: 'until', name: ['締め切り', 'Deadline'], type: 'DATE', inputType: 'date' },
        { uid: 'work', name: ['仕事の内容', 'The work'], type: 'RICH_TEXT', required: true },
        {
          uid: 'requirements',
          name: ['求める人', 'Requirements'],
          type: 'TEXT',
          multiple: true,
          maxItems: 8,
        },
        { uid: 'welcome', name: ['歓迎', 'Welcome'], type: 'TEXT', multiple: true, maxItems: 8 },
        {
          uid: 'steps',
          name: ['選考の流れ', 'Steps'],
          type: 'CUSTOM',
          customType: 'step',
          multiple: true,
          tab: ['選考', 'Selection'],
        },
        {
          uid: 'people',
          name: ['いっしょに働く人', 'Colleagues'],
          type: 'REFERENCE',
          modelUid: 'person',
          multiple: true,
          tab: ['選考', 'Selection'],
        },
      ],
      views: [
        {
          name: ['募集中', 'Open'],
          type: 'TABLE',
          settings: {
            filters: [{ field: 'open', op: 'eq', value: 'true' }],
            columns: [{ id: '_sys.status' }, { id: 'team' }, { id: 'employment' }, { id: 'until' }],
          },
        },
      ],
      documents: withSlugs(
        [
          'furniture-maker',
          4,
          {
            title: '家具職人（椅子）',
            team: to('team/workshop'),
            employment: 'permanent',
            open: true,
            salaryMin: 228_000,
            salaryMax: 310_000,
            until: day(45),
            work: '<p>椅子の座と脚を、図面から仕上げまで受けもちます。はじめの一年は木取りと研ぎ。二年目から、自分の椅子を組みます。</p><h2>だいじにしていること</h2><p>速さより、直せること。使う人が三十年後に持ち込んでも、同じ手で直せる組みかたをします。</p>',
            requirements: ['刃物を自分で研げる、または覚えたい方', '立ち仕事ができる方'],
            welcome: ['職業訓練校での木工の経験', '修理の経験'],
            steps: usualSteps,
            people: toAll('person', 'ogawa', 'mori'),
          },
        ],
        [
          'designer',
          11,
          {
            title: '家具デザイナー',
            team: to('team/design'),
            employment: 'permanent',
            open: true,
            salaryMin: 245_000,
            salaryMax: 380_000,
            until: day(30),
            work: '<p>注文主の家をたずね、部屋をはかり、絵を描きます。描いた家具が組み上がるまで、職人の隣で過ごすのも仕事のうちです。</p><ul><li>年に十から十五の注文</li><li>三次元図面と、手描きの両方</li></ul>',
            requirements: ['寸法の入った図面を描ける方', '知らない人の家で、よく聴ける方'],
            welcome: ['建築や内装の設計の経験'],
            steps: usualSteps,
            people: toAll('person', 'shiraishi'),
          },
        ],
        [
          'customer-care',
          18,
          {
            title: '修理とお客さまの窓口',
            team: to('team/care'),
            employment: 'partTime',
            open: true,
            salaryMin: 128_000,
            salaryMax: 160_000,
            work: '<p>届いた家具を開け、どこが傷んでいるかを確かめ、直しかたと見積もりをお返しします。週三日、一日五時間から。</p>',
            requirements: ['手紙を書くのが苦にならない方'],
            steps: [usualSteps[0], usualSteps[2]],
            people: toAll('person', 'mori'),
          },
        ],
        [
          'finisher',
          60,
          {
            title: '塗装・仕上げ',
            team: to('team/workshop'),
            employment: 'fixedTerm',
            open: false,
            salaryMin: 215_000,
            salaryMax: 260_000,
            until: day(-10),
            work: '<p>漆と蜜蝋による仕上げ。今回の募集は終わりました。次は来年の春です。</p>',
            requirements: ['湿度の管理に気を配れる方'],
            steps: usualSteps,
          },
        ],
      ),
    },
    {
      uid: 'person',
      name: ['働く人', 'People'],
      titleField: 'name',
      fields: [
        ...titleAndSlug('name', ['名前', 'Name'], 30),
        { uid: 'role', name: ['仕事', 'Role'], type: 'TEXT', width: 'half' },
        {
          uid: 'joined',
          name: ['入った年', 'Joined in'],
          type: 'NUMBER',
          integer: true,
          min: 1950,
          max: 2100,
          width: 'half',
        },
        { uid: 'team', name: ['部署', 'Team'], type: 'REFERENCE', modelUid: 'team' },
        { uid: 'portrait', name: ['画像', 'Portrait'], type: 'IMAGE' },
        { uid: 'catch', name: ['ひとこと', 'In a line'], type: 'TEXT', maxLength: 60 },
        {
          uid: 'interview',
          name: ['一問一答', 'Interview'],
          type: 'CUSTOM',
          customType: 'qa',
          multiple: true,
        },
        {
          uid: 'hours',
          name: ['ある一日', 'A day'],
          type: 'CUSTOM',
          customType: 'hour',
          multiple: true,
          tab: ['ある一日', 'A day'],
        },
      ],
      views: [
        {
          name: ['ギャラリー', 'Gallery'],
          type: 'GALLERY',
          settings: { cover: 'portrait', aspect: 'square', size: 'medium' },
        },
      ],
      documents: withSlugs(
        [
          'ogawa',
          40,
          {
            name: '小川 実',
            role: '椅子職人',
            joined: 2011,
            team: to('team/workshop'),
            portrait: picture('ogawa'),
            catch: '座ってもらうまで、できたとは言いません。',
            interview: [
              {
                question: 'なぜ、椅子を。',
                answer:
                  '家具のなかで、いちばん体に近いからです。背の角度を一度変えると、座った人の声まで変わる。それを見るのがおもしろくて、十四年になります。',
              },
              {
                question: '新しく来る人に、ひとこと。',
                answer:
                  '最初の年は、研ぐことばかりで退屈かもしれません。でも刃が切れるようになると、木のほうから手を引いてくれます。',
              },
            ],
            hours: [
              { time: '08:10', text: '刃を研ぐ' },
              { time: '09:00', text: '座板を削る' },
              { time: '12:00', text: '庭で昼ごはん' },
              { time: '13:00', text: '脚を組む' },
              { time: '17:15', text: '床を掃いて、おわり' },
            ],
          },
        ],
        [
          'shiraishi',
          40,
          {
            name: '白石 えり',
            role: 'デザイナー',
            joined: 2018,
            team: to('team/design'),
            portrait: picture('shiraishi'),
            catch: '図面は、手紙だと思っています。',
            interview: [
              {
                question: '忘れられない注文は。',
                answer:
                  '九十歳の方の、文机です。「立ち上がるときに手をつく場所がほしい」とだけ言われて。天板の右の角を、手のひらの幅だけ厚くしました。',
              },
              { question: '休みの日は。', answer: '古い宿に泊まって、階段の手すりをはかっています。' },
            ],
            hours: [
              { time: '09:00', text: '工房をひと回りする' },
              { time: '10:00', text: '注文主の家で採寸' },
              { time: '14:00', text: '図面を引く' },
              { time: '16:30', text: '職人と、組みかたの相談' },
            ],
          },
        ],
        [
          'mori',
          40,
          {
            name: '森 こずえ',
            role: '修理',
            joined: 2015,
            team: to('team/care'),
            portrait: picture('mori'),
            catch: '三十年前の釘に、毎週会います。',
            interview: [
              {
                question: '修理の仕事の、おもしろさは。',
                answer:
                  '前に直した人の手が見えることです。丁寧な人、急いでいた人。わたしの直しも、次の誰かが見るのだと思うと、背すじが伸びます。',
              },
            ],
            hours: [
              { time: '10:00', text: '届いた箱を開ける' },
              { time: '11:00', text: '見立てと見積もり' },
              { time: '13:30', text: '継ぎ、貼り、締める' },
              { time: '15:30', text: '手紙を書く' },
            ],
          },
        ],
      ),
    },
    {
      uid: 'team',
      name: ['部署', 'Teams'],
      titleField: 'name',
      fields: [
        { uid: 'name', name: ['名前', 'Name'], type: 'TEXT', required: true, maxLength: 30 },
        {
          uid: 'description',
          name: ['説明', 'Description'],
          type: 'TEXT',
          inputType: 'textarea',
          maxLength: 200,
        },
        { uid: 'members', name: ['人数', 'Members'], type: 'NUMBER', integer: true, min: 1 },
        { uid: 'image', name: ['画像', 'Picture'], type: 'IMAGE' },
      ],
      documents: documents(
        [
          'workshop',
          90,
          {
            name: '工房',
            members: 14,
            image: picture('chair'),
            description: '木取りから仕上げまで。椅子、卓、棚の三つの組に分かれています。',
          },
        ],
        [
          'design',
          90,
          {
            name: '設計室',
            members: 4,
            image: picture('drawing'),
            description: '注文を聴き、図面にします。工房とは、扉一枚でつながっています。',
          },
        ],
        [
          'care',
          90,
          {
            name: '修理室',
            members: 3,
            image: picture('repair'),
            description: '納めた家具を、何度でも迎える部屋です。',
          },
        ],
      ),
    },
    {
      uid: 'question',
      name: ['よくある質問', 'Questions'],
      fields: [
        { uid: 'question', name: ['質問', 'Question'], type: 'TEXT', required: true, maxLength: 80 },
        { uid: 'answer', name: ['答え', 'Answer'], type: 'MARKDOWN', required: true },
      ],
      documents: documents(
        [
          'experience',
          90,
          {
            question: '木工の経験がなくても応募できますか。',
            answer: 'できます。いまいる職人のうち **五人は、まったく別の仕事から**来ました。',
          },
        ],
        [
          'housing',
          90,
          {
            question: '住まいの補助はありますか。',
            answer: '工房から二十分のところに、社宅が六部屋あります。家賃は月一万二千円です。',
          },
        ],
        [
          'holiday',
          90,
          {
            question: '休みは。',
            answer: '土曜・日曜・祝日、盆と年末年始。子どもの行事の日は、半日から休めます。',
          },
        ],
      ),
    },
  ],
  pictures: {
    workshop: '天井の高い工房に、作りかけの椅子が並んでいる',
    chair: '作業台に載った、背もたれのある木の椅子',
    drawing: '机に広げた図面と、定規と鉛筆',
    repair: '締め具で留められた、修理中の卓',
    ogawa: '小川実さんの似顔絵',
    shiraishi: '白石えりさんの似顔絵',
    mori: '森こずえさんの似顔絵',
  },
}
