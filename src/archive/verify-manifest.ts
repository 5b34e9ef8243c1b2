import type { View } from './content.ts'
import { type AssetLine, type Gap, type Manifest, mayStillCome } from './format.ts'
import { assetPath, contentsPath } from './names.ts'
import type { Report } from './problems.ts'

const views: readonly View[] = ['api', 'cdn']

/**
 * Checks that the manifest is consistent with itself, the gaps and the assets. After manual edits, repairs and merges
 * of copies, all hashes may be valid although the manifest is inconsistent.
 */
export function verifyManifest(
  manifest: Manifest,
  gaps: readonly Gap[],
  assets: readonly AssetLine[],
  report: Report,
): void {
  const { models, files, counts, asked, status } = manifest
  const expectEqual = (what: string, is: number, should: number) => {
    if (is !== should) report('count', `${what}: ${is} ≠ ${should}`)
  }
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) report('manifest', `files: ${path} (2)`)
    paths.add(path)
  }
  for (const path of ['app.json', 'assets.ndjson', 'gaps.ndjson', 'report.md']) {
    if (!paths.has(path)) report('manifest', `files: ${path}`)
  }

  const uids = new Set<string>()
  const parts = new Set<string>()
  for (const model of models) {
    if (uids.has(model.uid)) report('manifest', `models: ${model.uid} (2)`)
    uids.add(model.uid)
    for (const view of views) {
      const part = model[view]
      if (!part) continue
      parts.add(part.path)
      if (!paths.has(part.path)) report('manifest', `files: ${part.path}`)
      // The file must be named after the model's uid. A file with another name belongs to another model.
      if (part.path !== contentsPath(view, model.uid))
        report('manifest', `models: ${model.uid} → ${part.path}`)
    }
  }
  for (const uid of asked.models) if (!uids.has(uid)) report('manifest', `asked.models: ${uid}`)
  for (const view of views) {
    const read = models.map((model) => model[view]).filter((part) => part !== null)
    if (asked.views.includes(view) !== read.length > 0) report('manifest', `asked.views: ${view}`)
    const sum = read.reduce((total, { count }) => total + count, 0)
    expectEqual(`counts.contents.${view}`, counts.contents[view], sum)
  }

  const used = new Map<string, number>()
  const urls = new Set<string>()
  for (const { url, path, sha256, bytes } of assets) {
    if (urls.has(url)) report('repeated', `assets.ndjson: ${url}`)
    urls.add(url)
    used.set(path, bytes)
    if (path !== assetPath(sha256)) report('name', `${path} (${url})`)
  }
  for (const { path, sha256 } of files) {
    const isAsset = path.startsWith('assets/')
    if (isAsset && path !== assetPath(sha256)) report('name', path)
    const isContents = /^contents\/(?:api|cdn)\//.test(path)
    if ((isAsset && !used.has(path)) || (isContents && !parts.has(path))) report('extra', path)
  }
  const bytes = [...used.values()].reduce((total, size) => total + size, 0)
  expectEqual('counts.assets.urls', counts.assets.urls, assets.length)
  expectEqual('counts.assets.files', counts.assets.files, used.size)
  expectEqual('counts.assets.bytes', counts.assets.bytes, bytes)

  const count = (...kinds: Gap['kind'][]) => gaps.filter(({ kind }) => kinds.includes(kind)).length
  expectEqual('counts.gaps.assets', counts.gaps.assets, count('asset'))
  expectEqual('counts.gaps.references', counts.gaps.references, count('reference'))
  expectEqual('counts.gaps.contents', counts.gaps.contents, count('content', 'count', 'unread'))
  // A partial run may have no gaps, if only earlier versions of the contents used the files that could not be fetched.
  const isRight = {
    complete: gaps.length === 0,
    gaps: gaps.length > 0 && !gaps.some(mayStillCome),
    partial: true,
  }
  if (!isRight[status]) report('manifest', `status: ${status} (gaps.ndjson: ${gaps.length})`)
}
