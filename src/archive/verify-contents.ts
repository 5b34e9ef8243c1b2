import { createAssetFinder } from './asset-urls.ts'
import { inspect, inspectApp, readContent, type View } from './content.ts'
import { linesIn } from './files.ts'
import type { Gap, Manifest } from './format.ts'
import { IdMap } from './id-map.ts'
import { checkShape } from './json.ts'
import type { Files } from './problems.ts'

interface Part {
  view: View
  model: string
  place: string
  count: number
  path: string
}

/**
 * Verifies every content: counts, unreadable lines, duplicate ids, and contents in the file of another model. Every
 * reference and asset must be in the archive or in the gaps. Returns the number of contents.
 */
export async function verifyContents(
  files: Files,
  manifest: Manifest,
  gaps: readonly Gap[],
  saved: ReadonlySet<string>,
): Promise<number> {
  const { source, bytesOf, report } = files
  const finder = createAssetFinder({
    assetHosts: manifest.asked.assetHosts,
    learnt: manifest.learntHosts,
    origin: manifest.source.origin ?? undefined,
  })
  const parts: Part[] = manifest.models.flatMap(({ uid, api, cdn }) => [
    { view: 'api' as const, model: uid, place: `api/${uid}`, ...api },
    ...(cdn ? [{ view: 'cdn' as const, model: uid, place: `cdn/${uid}`, ...cdn }] : []),
  ])
  const ids = { api: new Map<string, IdMap>(), cdn: new Map<string, IdMap>() }
  const assetIds = new IdMap()
  const targets = new IdMap()
  const byField = new FieldTargets(manifest)
  const missingIds = new Set(gaps.flatMap((gap) => (gap.kind === 'reference' ? [gap.id] : [])))
  const missingUrls = new Set(gaps.flatMap((gap) => (gap.kind === 'asset' ? [gap.url] : [])))
  const isAssetKnown = (url: string) => saved.has(url) || missingUrls.has(url)
  let areAssetsKnown = true
  let contents = 0
  for (const { view, model, place, count, path } of parts) {
    const here = new IdMap()
    ids[view].set(model, here)
    await eachContent(files, path, (id, fields) => {
      const found = inspect(fields, finder)
      for (const assetId of found.assetIds) assetIds.set(assetId, 0)
      for (const url of found.assets) areAssetsKnown &&= isAssetKnown(url)
      for (const { id: target, field } of found.references) {
        targets.set(target, 0)
        byField.add(`${model}.${field}`, target)
      }
      if (here.has(id)) report('repeated', `${place}/${id}`)
      here.set(id, 0)
    })
    if (here.size !== count) report('count', `${path}: ${here.size} ≠ ${count}`)
    contents += here.size
  }
  for (const { api, cdn } of manifest.models.flatMap(({ texts }) => texts ?? [])) {
    for (const part of [api, cdn]) {
      const here = new IdMap()
      if (part) await eachContent(files, part.path, (id) => here.set(id, 0))
      if (part && here.size !== part.count) report('count', `${part.path}: ${here.size} ≠ ${part.count}`)
    }
  }
  const modelsWith = (id: string) => [...ids.api].filter(([, set]) => set.has(id)).map(([model]) => model)

  // A content has one model. An id that is published in one model and a draft in another is in the wrong file.
  for (const [model, published] of ids.cdn) {
    for (const id of published.ids()) {
      if (ids.api.get(model)?.has(id)) continue
      const others = modelsWith(id)
      if (others.length > 0) report('model', `${id} (cdn/${model}, api/${others.join(', api/')})`)
    }
  }

  const all = [assetIds, ...ids.api.values(), ...ids.cdn.values()]
  const isTargetKnown = (id: string) => all.some((set) => set.has(id)) || missingIds.has(id)
  const checkAsset = (url: string, user: string) => {
    if (!isAssetKnown(url)) report('asset', `${url} (${user})`)
  }
  // A second pass finds the uses, but only if something is missing.
  if (!areAssetsKnown || !every(targets.ids(), isTargetKnown))
    for (const { place, path } of parts) {
      await eachContent({ ...files, report: () => {} }, path, (id, fields) => {
        const { references, assets } = inspect(fields, finder)
        for (const { id: target, field } of references)
          if (!isTargetKnown(target)) report('reference', `${target} (${place}/${id} ${field})`)
        for (const url of assets) checkAsset(url, `${place}/${id}`)
      })
    }
  for (const what of byField.contradictions(modelsWith)) report('model', what)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of source.read('app.json', bytesOf('app.json'))) chunks.push(chunk)
    for (const url of inspectApp(Buffer.concat(chunks).toString('utf8'), finder)) checkAsset(url, 'app.json')
  } catch {
    report('line', 'app.json')
  }
  return contents
}

function every(ids: Iterable<string>, isTrue: (id: string) => boolean): boolean {
  for (const id of ids) if (!isTrue(id)) return false
  return true
}

/**
 * Collects the targets of the reference fields by which models were discovered. If the targets of a field exist only in
 * other models, files were swapped.
 */
class FieldTargets {
  readonly #found = new Map<string, { models: Set<string>; targets: IdMap }>()

  constructor({ models }: Manifest) {
    for (const { uid, foundBy } of models) {
      if (foundBy === null) continue
      const known = this.#found.get(foundBy) ?? { models: new Set(), targets: new IdMap() }
      known.models.add(uid)
      this.#found.set(foundBy, known)
    }
  }

  add(field: string, target: string): void {
    this.#found.get(field)?.targets.set(target, 0)
  }

  *contradictions(modelsWith: (id: string) => string[]): Iterable<string> {
    for (const [field, { models, targets }] of this.#found) {
      const others = new Set<string>()
      const isRight = (id: string) => {
        const found = modelsWith(id)
        for (const model of found) others.add(model)
        return found.some((model) => models.has(model))
      }
      if (every(targets.ids(), (id) => !isRight(id)) && others.size > 0)
        yield `${field} → ${[...others].join(', ')} ≠ ${[...models].join(', ')}`
    }
  }
}

async function eachContent(
  { source, bytesOf, report }: Files,
  path: string,
  visit: (id: string, fields: Record<string, unknown>) => void,
): Promise<void> {
  try {
    for await (const { text, offset } of linesIn(source.read(path, bytesOf(path)))) {
      try {
        checkShape(text)
        const content = readContent(text)
        if (content) visit(content.id, content.fields)
        else report('line', `${path} @${offset}`)
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('line', path)
  }
}
