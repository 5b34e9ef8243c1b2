import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { formatVersion, type Manifest } from '#archive/format.ts'
import { assetPath, contentsPath } from '#archive/names.ts'
import { ArchiveWriter, type StoredAsset } from '#archive/write.ts'
import { writeZip } from '#archive/zip.ts'

/*
 * Content of an archive as the rescue command writes it: articles with rich text, a cover, tags, an author and
 * categories. Every tenth article is a draft.
 */

const authors = 200
const categories = 50
const body = '<p>いもりは池や川にすみ、腹が赤い。雨の日には道にも出てくる。</p>'.repeat(12)

const id = (kind: string, at: number) => kind + at.toString(16).padStart(24 - kind.length, '0')
const isDraft = (at: number) => at % 10 === 9
const timeOf = (at: number) => new Date(Date.UTC(2020, 0, 1) + at * 60_000).toISOString()

function sysOf(at: number, isDraft: boolean, view: 'api' | 'cdn') {
  const time = timeOf(at)
  const published = isDraft ? null : time
  return view === 'cdn'
    ? { createdAt: time, updatedAt: time, customOrder: at }
    : {
        raw: { createdAt: time, updatedAt: time, firstPublishedAt: published, publishedAt: published },
        createdAt: time,
        updatedAt: time,
        customOrder: at,
      }
}

interface Picture extends StoredAsset {
  url: string
  value: object
}

async function writePicture(dir: string, at: number): Promise<Picture> {
  const [r, g, b] = [at & 255, (at >> 8) & 255, (at >> 16) & 255]
  const create = { width: 64, height: 48, channels: 3, background: { r, g, b } } as const
  const bytes = await sharp({ create }).png().toBuffer()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const path = join(dir, assetPath(sha256))
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes)
  const fileName = `picture-${at}.png`
  const url = `https://bench.assets.newt.so/v1/${id('e', at)}/${fileName}`
  const value = {
    _id: id('e', at),
    src: url,
    fileName,
    fileType: 'image/png',
    fileSize: bytes.length,
    width: 64,
    height: 48,
    title: '',
    description: '',
    altText: `写真${at}`,
    metadata: {},
  }
  return { sha256, bytes: bytes.length, type: 'image/png', url, value }
}

function articleOf(at: number, view: 'api' | 'cdn', pictures: readonly Picture[]) {
  const picture = pictures[at % pictures.length]
  return {
    _id: id('a', at),
    _sys: sysOf(at, isDraft(at), view),
    title: `記事その${at}`,
    slug: `article-${at}`,
    body: `${body}<p><img src="${picture?.url}" alt=""></p><p>${at}</p>`,
    cover: picture?.value ?? null,
    tags: ['池', '川', '雨'].slice(0, at % 4),
    pinned: at % 100 === 0,
    publishedOn: timeOf(at).slice(0, 10),
    author: authorOf(at % authors, view),
    categories: [categoryOf(at % categories, view), categoryOf((at * 7 + 1) % categories, view)],
  }
}

const authorOf = (at: number, view: 'api' | 'cdn') => ({
  _id: id('b', at),
  _sys: sysOf(at, false, view),
  fullName: `著者${at}`,
  slug: `author-${at}`,
})
const categoryOf = (at: number, view: 'api' | 'cdn') => ({
  _id: id('c', at),
  _sys: sysOf(at, false, view),
  name: `分類${at}`,
  slug: `category-${at}`,
})

/**
 * Writes a zip with this many articles and pictures to `target`, using the empty folder `dir`. Returns its size in
 * bytes and its number of contents.
 */
export async function writeBenchArchive(
  dir: string,
  target: string,
  { articles, assets }: { articles: number; assets: number },
): Promise<{ bytes: number; documents: number }> {
  const pictures: Picture[] = []
  for (let at = 0; at < assets; at += 100)
    pictures.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(100, assets - at) }, (_, more) => writePicture(dir, at + more)),
      )),
    )
  const writer = new ArchiveWriter(dir)
  for (const view of ['api', 'cdn']) await mkdir(join(dir, 'contents', view), { recursive: true })
  await writer.add('app.json', (file) => file.write(JSON.stringify({ uid: 'blog', name: 'ブログ' })))
  await writer.add('report.md', (file) => file.write('# bench\n'))
  const models: Manifest['models'] = []
  const counts = { api: 0, cdn: 0 }
  const add = async (
    uid: string,
    foundBy: string | null,
    count: number,
    of: (at: number, view: 'api' | 'cdn') => object,
  ) => {
    const write = async (view: 'api' | 'cdn') => {
      const path = contentsPath(view, uid)
      let written = 0
      await writer.add(path, async (file) => {
        for (let at = 0; at < count; at++) {
          if (view === 'cdn' && uid === 'article' && isDraft(at)) continue
          await file.write(`${JSON.stringify(of(at, view))}\n`)
          written += 1
        }
      })
      counts[view] += written
      return { count: written, path }
    }
    models.push({ uid, foundBy, api: await write('api'), cdn: await write('cdn'), texts: null })
  }
  await add('article', null, articles, (at, view) => articleOf(at, view, pictures))
  await add('author', 'article.author', authors, authorOf)
  await add('category', 'article.categories', categories, categoryOf)
  const listed = await writer.addAssetList(new Map(pictures.map((picture) => [picture.url, picture])))
  await writer.addGaps([])
  const now = new Date().toISOString()
  const manifest = await writer.finish({
    format: 'imori-archive',
    formatVersion,
    generator: 'bench',
    status: 'complete',
    startedAt: now,
    finishedAt: now,
    source: { kind: 'newt', space: 'bench', app: 'blog', origin: null },
    asked: { models: ['article'], views: ['api', 'cdn'], depth: 1, assetHosts: [] },
    learntHosts: [],
    foreignImages: [],
    models,
    counts: { contents: counts, assets: listed, gaps: { assets: 0, references: 0, contents: 0 } },
  })
  return { bytes: await writeZip(dir, manifest, target), documents: counts.api }
}
