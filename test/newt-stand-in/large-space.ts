import { addAsset, addContent, assetsSrc, emptySpace, idOf, type StoredSpace } from './space.ts'

/**
 * Returns a space with `contents` articles of about 1 KB, as in blogs, and one author. Each article has one of `assets`
 * small pictures; every tenth refers to the author, and every third is a draft. Groups of 40 articles share one
 * creation time, as after an import.
 */
export function largeSpace(contents: number, assets: number): StoredSpace {
  const space = emptySpace()
  const pictures = Array.from({ length: assets }, (_, index) => {
    const id = idOf(0x1000000 + index)
    const fileName = `写真 ${index}.png`
    return addAsset(space, {
      id,
      fileName,
      fileType: 'image/png',
      bytes: Buffer.alloc(2_000 + (index % 3_000), `picture ${index};`),
      src: assetsSrc(space.uid, id, fileName),
      width: 640,
      height: 480,
    })
  })
  const start = Date.parse('2022-01-01T00:00:00Z')
  addContent(space, 'author', {
    id: idOf(1),
    createdAt: new Date(start).toISOString(),
    draft: { name: '著者' },
  })
  const text =
    'これは大きなスペースの本文です。編集者が書いた普通の長さの文章を思わせるために、少し長くしてあります。'
  for (let index = 0; index < contents; index++) {
    addContent(space, 'article', {
      id: idOf(0x5000000 + index),
      createdAt: new Date(start + Math.floor(index / 40) * 60_000).toISOString(),
      draft: {
        title: `記事 ${index}`,
        slug: `article-${index}`,
        body: `<p>${text}</p><p>${index} ${text}</p>`,
        image: pictures.length > 0 ? (pictures[index % pictures.length] ?? null) : null,
        views: index,
        ...(index % 10 === 0 ? { author: { $ref: idOf(1) } } : {}),
      },
      // Every third content is a draft.
      ...(index % 3 === 0 ? { published: undefined } : {}),
    })
  }
  return space
}
