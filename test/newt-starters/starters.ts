/**
 * Typical models of one kind of site, such as a blog. Each field is a line: its uid and kind, `*` for several values,
 * `?` for a value that some contents lack. `contents`: number of contents.
 */
export interface Starter {
  app: string
  models: Record<string, { contents: number; fields: string[] }>
  customTypes?: Record<string, string[]>
}

const seo = ['title text?', 'description area?', 'ogImage image?']
const button = ['label text', 'url text', 'isExternal checkbox']

export const starters: Starter[] = [
  {
    app: 'blog',
    models: {
      article: {
        contents: 24,
        fields: [
          'title text',
          'slug slug',
          'meta custom:meta',
          'body richtext',
          'coverImage image',
          'author ref:author',
          'tags ref:tag*',
        ],
      },
      author: {
        contents: 4,
        fields: ['fullName text', 'slug slug', 'profileImage image', 'biography markdown'],
      },
      tag: { contents: 8, fields: ['name text', 'slug slug'] },
    },
    customTypes: { meta: seo },
  },
  {
    app: 'corporate-site',
    models: {
      news: {
        contents: 18,
        fields: [
          'title text',
          'slug slug',
          'publishDate date',
          'category select:お知らせ|プレスリリース|メディア掲載',
          'body richtext',
          'pdf file?',
        ],
      },
      service: {
        contents: 5,
        fields: [
          'name text',
          'slug slug',
          'lead area',
          'icon image',
          'body markdown',
          'features custom:feature*',
          'order number',
        ],
      },
      member: {
        contents: 7,
        fields: ['name text', 'position text', 'photo image', 'bio area', 'twitter text?'],
      },
      company: {
        contents: 1,
        fields: [
          'companyName text',
          'established date',
          'address text',
          'location map',
          'profile custom:row*',
        ],
      },
    },
    customTypes: { feature: ['title text', 'text area', 'image image'], row: ['label text', 'value area'] },
  },
  {
    app: 'landing-page',
    models: {
      page: {
        contents: 3,
        fields: [
          'title text',
          'slug slug',
          'themeColor color',
          'sections multi:RICH_TEXT|IMAGE|hero|feature-list|cta*',
          'seo custom:seo',
        ],
      },
      faq: { contents: 12, fields: ['question text', 'answer richtext', 'isHidden checkbox'] },
      voice: {
        contents: 6,
        fields: ['name text', 'company text', 'message area', 'photo image', 'rating number'],
      },
    },
    customTypes: {
      hero: ['heading text', 'text area', 'background image', 'button custom:button'],
      'feature-list': ['heading text', 'items custom:item*'],
      cta: ['message text', 'primary custom:button', 'secondary custom:button'],
      item: ['icon emoji', 'title text', 'description area'],
      button,
      seo,
    },
  },
  {
    app: 'news',
    models: {
      article: {
        contents: 40,
        fields: [
          'title text',
          'slug slug',
          'lead area',
          'body markdown',
          'thumbnail image',
          'category ref:category',
          'writers ref:writer*',
          'publishedAt datetime',
          'isBreaking checkbox',
          'related ref:article*',
          'keywords text*',
        ],
      },
      category: { contents: 6, fields: ['name text', 'slug slug', 'color color', 'order number'] },
      writer: { contents: 5, fields: ['name text', 'avatar image', 'role text', 'profile area'] },
    },
  },
  {
    app: 'shop',
    models: {
      product: {
        contents: 30,
        fields: [
          'name text',
          'slug slug',
          'price number',
          'salePrice number?',
          'stock number',
          'status select:販売中|売り切れ|予約受付中',
          'images image*',
          'description richtext',
          'category ref:category',
          'sizes select:S|M|L|XL*',
          'variants custom:variant*',
          'releaseDate date',
          'isRecommended checkbox',
        ],
      },
      category: { contents: 5, fields: ['name text', 'slug slug', 'image image', 'parent ref:category?'] },
    },
    customTypes: { variant: ['sku text', 'color color', 'additionalPrice number', 'inStock checkbox'] },
  },
  {
    app: 'event',
    models: {
      event: {
        contents: 15,
        fields: [
          'title text',
          'slug slug',
          'startAt datetime',
          'endAt datetime',
          'venue text',
          'location map',
          'isOnline checkbox',
          'fee number',
          'capacity number?',
          'description richtext',
          'mainVisual image',
          'speakers ref:speaker*',
          'timetable custom:slot*',
          'video embed?',
        ],
      },
      speaker: {
        contents: 9,
        fields: ['name text', 'photo image', 'title text', 'bio markdown', 'links custom:link*'],
      },
    },
    customTypes: {
      slot: ['time text', 'title text', 'speaker ref:speaker'],
      link: ['label text', 'url text'],
    },
  },
  {
    app: 'recruiting',
    models: {
      job: {
        contents: 16,
        fields: [
          'title text',
          'slug slug',
          'employmentType select:正社員|契約社員|アルバイト|インターン',
          'department ref:department',
          'salary text',
          'workplace text',
          'description richtext',
          'requirements area',
          'benefits text*',
          'deadline date?',
          'isOpen checkbox',
        ],
      },
      department: { contents: 5, fields: ['name text', 'slug slug', 'icon emoji'] },
      interview: {
        contents: 6,
        fields: [
          'name text',
          'joinedYear number',
          'photo image',
          'department ref:department',
          'questions custom:question*',
        ],
      },
    },
    customTypes: { question: ['question text', 'answer area'] },
  },
  {
    app: 'portfolio',
    models: {
      work: {
        contents: 14,
        fields: [
          'title text',
          'slug slug',
          'thumbnail image',
          'gallery image*',
          'client text',
          'year number',
          'roles select:デザイン|実装|ディレクション|撮影*',
          'url text?',
          'accentColor color',
          'body richtext',
          'video embed?',
        ],
      },
      profile: {
        contents: 1,
        fields: [
          'name text',
          'jobTitle text',
          'photo image',
          'introduction markdown',
          'sns custom:account*',
          'resume file',
        ],
      },
    },
    customTypes: { account: ['service text', 'url text', 'icon image'] },
  },
  {
    app: 'docs',
    models: {
      page: {
        contents: 28,
        fields: [
          'title text',
          'slug slug',
          'body markdown',
          'section ref:section',
          'order number',
          'isNew checkbox',
          'updatedOn date',
          'attachments file*',
        ],
      },
      section: { contents: 6, fields: ['title text', 'slug slug', 'emoji emoji', 'order number'] },
    },
  },
  {
    app: 'help',
    models: {
      article: {
        contents: 26,
        fields: [
          'title text',
          'slug slug',
          'category ref:category',
          'content multi:MARKDOWN|IMAGE|EMBED|notice*',
          'audience select:管理者|利用者|開発者*',
          'related ref:article*',
        ],
      },
      category: { contents: 7, fields: ['name text', 'slug slug', 'description area', 'icon image'] },
      announcement: {
        contents: 4,
        fields: ['message text', 'startsAt datetime', 'endsAt datetime', 'isPinned checkbox'],
      },
    },
    customTypes: { notice: ['kind text', 'body richtext'] },
  },
  {
    app: 'form',
    models: {
      form: {
        contents: 4,
        fields: [
          'title text',
          'slug slug',
          'description richtext',
          'fields custom:formField*',
          'submitLabel text',
          'thanksMessage area',
          'notifyTo text*',
          'needsConsent checkbox',
        ],
      },
    },
    customTypes: {
      formField: [
        'label text',
        'name text',
        'placeholder text?',
        'isRequired checkbox',
        'maxLength number?',
        'choices text*',
      ],
    },
  },
  {
    app: 'link-page',
    models: {
      profile: {
        contents: 2,
        fields: [
          'name text',
          'avatar image',
          'bio area',
          'backgroundColor color',
          'links custom:link*',
          'birthday date',
        ],
      },
      theme: {
        contents: 3,
        fields: ['name text', 'primary color', 'textColor color', 'isDark checkbox', 'emoji emoji'],
      },
    },
    customTypes: { link: ['title text', 'url text', 'icon emoji', 'isVisible checkbox'] },
  },
]
