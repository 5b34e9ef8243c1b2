import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesIn } from '#archive/several.ts'
import { writeArchivesZip } from '#archive/zip.ts'
import { rescue } from '#rescue/run/rescue.ts'
import { optionsFor, recorder } from '#rescue/testing/helpers.ts'
import { fillStarter } from '../newt-starters/fill.ts'
import { type Starter, starters } from '../newt-starters/starters.ts'
import { quadrants } from '../pictures.ts'
import { startStandIn } from './server.ts'
import { assetsSrc, idOf, type StoredSpace } from './space.ts'

/** Uids of the apps, in the order of their folders. */
export const threeApps = ['blog', 'news', 'shop'] as const

const starterOf = (uid: string): Starter => {
  const found = starters.find(({ app }) => app === uid)
  if (!found) throw new Error(uid)
  return found
}

/**
 * Copies an author of the app `to` into an article of the app `from`. In Newt, a reference cannot point to another app.
 */
function nameOther(from: StoredSpace, to: StoredSpace): void {
  const author = [...(to.models.get('author')?.values() ?? [])][0]
  const article = [...(from.models.get('article')?.values() ?? [])][0]
  if (!author || !article) throw new Error('nothing to name')
  const { id, createdAt, updatedAt, publishedAt, firstPublishedAt } = author
  article.draft.guest = {
    _id: id,
    _sys: { createdAt, updatedAt, raw: { createdAt, updatedAt, firstPublishedAt, publishedAt } },
    fullName: author.draft.fullName ?? '',
  }
}

/**
 * Creates a space with three apps. Two of them use the same picture. With `named`, `news` contains an author of `blog`.
 */
async function spaces({ named }: { named: boolean }): Promise<StoredSpace[]> {
  const found = threeApps.map((uid, index) => fillStarter(starterOf(uid), 0x100000 * (index + 1)))
  const [blog, news, shop] = found
  if (!blog || !news || !shop) throw new Error('three apps')
  blog.app.name = 'ブログ'
  news.app.name = 'お知らせ'
  shop.app.name = 'ショップ'
  const picture = await quadrants(64, 48)
  const shared = idOf(0x900001)
  blog.assets.set(shared, {
    id: shared,
    fileName: 'shared.png',
    fileType: 'image/png',
    bytes: picture,
    src: assetsSrc(blog.uid, shared, 'shared.png'),
    width: 64,
    height: 48,
  })
  for (const [space, model, key] of [
    [blog, 'article', 'coverImage'],
    [news, 'article', 'thumbnail'],
  ] as const)
    for (const content of [...(space.models.get(model)?.values() ?? [])].slice(0, 2))
      content.draft[key] = { $asset: shared }
  if (named) nameOther(news, blog)
  // The media of a space belong to all of its apps.
  for (const space of [news, shop]) {
    for (const asset of space.assets.values()) blog.assets.set(asset.id, asset)
    space.assets = blog.assets
  }
  for (const asset of blog.assets.values()) {
    const isPicture = asset.fileType.startsWith('image/')
    asset.bytes = isPicture ? picture : Buffer.from('%PDF-1.4\n%%EOF\n')
    if (isPicture) Object.assign(asset, { fileType: 'image/png', width: 64, height: 48 })
  }
  return found
}

/** Simulates edits in Newt: the first article of each app gets this title. */
function edit(apps: readonly StoredSpace[], title: string): void {
  for (const app of apps)
    for (const article of [...(app.models.get('article')?.values() ?? [])].slice(0, 1))
      Object.assign(article, { draft: { ...article.draft, title }, updatedAt: '2026-11-20T10:00:00.000Z' })
}

/** Saves each app into its own folder, as `npm run rescue` does with several `--app`. Stops the stand-in at the end. */
export async function rescueThreeApps(folder: string, { named = false, edited = '' } = {}): Promise<void> {
  const [first, ...otherApps] = await spaces({ named })
  if (!first) return
  if (edited) edit([first, ...otherApps], edited)
  const standIn = await startStandIn(first, { otherApps })
  try {
    for (const app of threeApps) {
      const { reporter, text } = recorder()
      const out = join(folder, `newt-demo-${app}`)
      const models = Object.keys(starterOf(app).models)
      await rescue({ ...optionsFor(standIn, out), app, models }, reporter, text)
    }
  } finally {
    await standIn.close()
  }
}

/** Returns the archives in a folder as one zip. `parts`: names of the archives, by default all. */
export async function zipOfApps(folder: string, parts?: readonly string[]): Promise<Buffer> {
  const target = join(folder, 'apps.zip')
  const archives = []
  for (const part of parts ?? (await archivesIn(folder)))
    archives.push({ part, manifest: JSON.parse(await readFile(join(folder, part, 'manifest.json'), 'utf8')) })
  await writeArchivesZip(folder, archives, target)
  return readFile(target)
}
