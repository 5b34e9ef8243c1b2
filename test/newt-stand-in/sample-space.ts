import {
  addAsset,
  addContent,
  assetsSrc,
  emptySpace,
  idOf,
  type Stored,
  type StoredSpace,
  storageSrc,
} from './space.ts'

/** Ids of contents that tests use. */
export const ids = {
  everything: idOf(0x1001),
  draft: idOf(0x1002),
  edited: idOf(0x1003),
  unpublished: idOf(0x1004),
  republished: idOf(0x1005),
  bare: idOf(0x1006),
  author: idOf(0x2001),
  draftAuthor: idOf(0x2002),
  category: idOf(0x3001),
  person: idOf(0x4001),
}

/** URLs that occur in the sample but respond with 404. */
export const lostPictures = [
  'https://demo.assets.newt.so/v1/00000000000000000000dead/lost.png',
  'https://storage.googleapis.com/p_630f0000/dead-uuid/%E6%B6%88%E3%81%88%E3%81%9F.png',
]

const oddNames = [
  '日本語 写真 (1).png',
  "it's 100% odd+name&more=x;y.jpg",
  'emoji🎾.webp',
  'con.png',
  'ﾊﾝｶｸ　全角.pdf',
  `${'長'.repeat(60)}.png`,
]

/**
 * Returns a space with every field type and every state, both formats of asset URLs, and unusual file names. It also
 * has lost pictures, one model that can be found through a reference (`category`) and one that cannot (`staff-member`).
 */
export function sampleSpace(): StoredSpace {
  const space = emptySpace()
  const pictures = oddNames.map((fileName, index) => {
    const id = idOf(0xa000 + index)
    return addAsset(space, {
      id,
      fileName,
      fileType: fileName.endsWith('pdf') ? 'application/pdf' : 'image/png',
      bytes: Buffer.from(`picture ${index} ${fileName}`.repeat(50)),
      src: index % 2 === 0 ? assetsSrc('demo', id, fileName) : storageSrc(id, encodeURIComponent(fileName)),
      width: fileName.endsWith('pdf') ? null : 640,
      height: fileName.endsWith('pdf') ? null : 480,
      altText: '代替テキスト',
      metadata: { 撮影者: '山田', year: 2023, public: true },
    })
  })
  // The files at these two URLs have the same bytes.
  const twins = ['one.txt', 'two.txt'].map((fileName, index) => {
    const id = idOf(0xb000 + index)
    return addAsset(space, asset(id, fileName, 'same bytes', assetsSrc('demo', id, fileName)))
  })
  // This asset is used only in HTML, with raw Japanese characters in the URL.
  addAsset(
    space,
    asset(idOf(0xc001), '本文 の画像.png', 'in html', storageSrc(idOf(0xc001), '本文 の画像.png')),
  )
  addAsset(space, asset(idOf(0xc002), 'wide.png', 'wide', assetsSrc('demo', idOf(0xc002), 'wide.png')))
  addAsset(
    space,
    asset(idOf(0xc003), 'notes (final).pdf', 'pdf', assetsSrc('demo', idOf(0xc003), 'notes (final).pdf')),
  )
  addAsset(space, asset(idOf(0xc004), 'cover.png', 'app cover', assetsSrc('demo', idOf(0xc004), 'cover.png')))
  addAsset(space, asset(idOf(0xc005), 'empty.txt', '', assetsSrc('demo', idOf(0xc005), 'empty.txt')))
  space.app.cover = { type: 'image', value: assetsSrc('demo', idOf(0xc004), 'cover.png') }

  const wide = assetsSrc('demo', idOf(0xc002), 'wide.png')
  const html = [
    `<h2>見出し &amp; <em>強調</em></h2><p><img src="${wide}?width=800&amp;format=auto" alt="x"></p>`,
    `<img srcset="${wide}?width=400 1x, ${wide}?width=800 2x" src='${storageSrc(idOf(0xc001), '本文 の画像.png')}'>`,
    `<a href="${assetsSrc('demo', idOf(0xc003), 'notes (final).pdf')}">PDF</a><img src="${lostPictures[0]}">`,
    '<script>alert("data, not code")</script><img src="https://example.com/elsewhere.png">',
  ].join('\n')

  const everything: Record<string, Stored> = {
    title: 'すべてのフィールド "引用" \\ \u2028 \n改行 🎾',
    slug: 'every-field',
    lines: ['一行目', '', 'third'],
    body: html,
    markdown: {
      $html: `<p>本文<br><img src="${lostPictures[1]}"></p>`,
      source: '本文\n![]( … )',
    },
    plain: `Markdown in text: ![図](${assetsSrc('demo', idOf(0xc005), 'empty.txt')}) と、終わり。`,
    number: { $raw: '1.50' },
    big: { $raw: '9007199254740993' },
    huge: { $raw: '1e2' },
    noNumber: null,
    date: '2023-06-01T00:00:00.000Z',
    image: pictures[0] ?? null,
    images: pictures,
    noImage: null,
    files: twins,
    select: 'news',
    selects: ['a', 'b'],
    flag: true,
    color: '#00ff7f',
    emoji: { type: 'emoji', value: '🎾' },
    map: { lat: 35.681236, lng: 139.767125 },
    author: { $ref: ids.author },
    coAuthors: [{ $ref: ids.author }, { $ref: ids.draftAuthor }, { $ref: idOf(0xdead) }],
    category: { $ref: ids.category },
    editor: { $ref: ids.person },
    noReference: { $ref: idOf(0xdead) },
    custom: { label: 'カスタム', picture: pictures[1] ?? null, link: { $ref: ids.author } },
    customs: [
      { label: '1', _id: idOf(0x9001) },
      { label: '2', _id: idOf(0x9002) },
    ],
    multi: [
      { _id: idOf(0x9101), type: 'TEXT', data: 'text' },
      { _id: idOf(0x9102), type: 'IMAGE', data: pictures[2] ?? null },
      { _id: idOf(0x9103), type: 'REFERENCE', data: { $ref: ids.category } },
      { _id: idOf(0x9104), type: 'cta', data: { label: '見る', url: 'https://example.com' } },
      { _id: idOf(0x9105), type: 'MAP', data: { lat: 0, lng: 0 } },
    ],
    embed: '<blockquote class="twitter-tweet">…</blockquote>',
  }
  const at = (day: number) => `2023-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
  addContent(space, 'article', { id: ids.everything, createdAt: at(1), customOrder: 2, draft: everything })
  addContent(space, 'article', {
    id: ids.draft,
    createdAt: at(2),
    draft: { title: '下書き', slug: '下書き/odd slug?&' },
    published: undefined,
  })
  addContent(space, 'article', {
    id: ids.edited,
    createdAt: at(3),
    updatedAt: at(20),
    firstPublishedAt: at(4),
    publishedAt: at(5),
    draft: { title: '編集中の新しい題', author: { $ref: ids.draftAuthor } },
    published: { title: '公開中の古い題', author: { $ref: ids.author } },
  })
  addContent(space, 'article', {
    id: ids.unpublished,
    createdAt: at(6),
    firstPublishedAt: at(6),
    publishedAt: null,
    draft: { title: '公開をやめた' },
    published: undefined,
  })
  const twice = { title: '二度公開した' }
  addContent(space, 'article', {
    id: ids.republished,
    createdAt: at(7),
    updatedAt: at(9),
    firstPublishedAt: at(8),
    publishedAt: at(9),
    customOrder: 1,
    draft: twice,
    published: twice,
  })
  addContent(space, 'article', { id: ids.bare, createdAt: at(7), draft: { title: '' } })
  addContent(space, 'author', {
    id: ids.author,
    createdAt: at(1),
    draft: { name: '著者', face: pictures[3] ?? null },
  })
  addContent(space, 'author', {
    id: ids.draftAuthor,
    createdAt: at(2),
    draft: { name: '下書きの著者' },
    published: undefined,
  })
  addContent(space, 'category', { id: ids.category, createdAt: at(1), draft: { name: 'お知らせ' } })
  addContent(space, 'staff-member', { id: ids.person, createdAt: at(1), draft: { name: '編集者' } })
  space.models.set('empty', new Map())
  return space
}

function asset(id: string, fileName: string, text: string, src: string) {
  return { id, fileName, fileType: 'text/plain', bytes: Buffer.from(text), src, width: null, height: null }
}
