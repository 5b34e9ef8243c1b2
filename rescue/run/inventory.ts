import type { AssetFinder } from '#archive/asset-urls.ts'
import { type Content, inspect, inspectApp, readContent, type View } from '#archive/content.ts'
import { readLines } from '#archive/files.ts'
import type { Expected } from './judge-asset.ts'
import type { StreamState } from './run-state.ts'

/** Maximum number of storage hosts and buckets learnt from asset objects. */
const mostPlaces = 50

/** Index of the contents read so far: their ids, versions and references. */
export class Inventory {
  #finder: AssetFinder
  readonly #versions = new Map<string, Map<string, string>>()
  /** Model → names of the fields that its contents have. */
  readonly #names = new Map<string, Set<string>>()
  /** Model → paths of the fields that contain HTML. */
  readonly #htmlFields = new Map<string, Set<string>>()
  readonly #fields: { model: string; field: string }[] = []
  readonly #fieldIndex = new Map<string, number>()
  /** Referenced id → index of the first field with this reference. */
  readonly #references = new Map<string, number>()
  /**
   * Bare id inside an expanded content or asset → `_id` of the first such content or asset, and index of the field that
   * contains it.
   */
  readonly #inner = new Map<string, { owner: string; field: number }>()
  /** Ids of all asset objects. They may resolve ids found elsewhere. */
  readonly #assetIds = new Set<string>()
  /** Normalised URLs of all used assets. */
  readonly assets = new Set<string>()
  /** URL → statements of asset objects about its file. */
  readonly expected = new Map<string, Expected>()
  /** Hosts and buckets of asset objects other than Newt's own. */
  readonly places = new Set<string>()

  constructor(finder: AssetFinder) {
    this.#finder = finder
  }

  /** Returns the `_sys.updatedAt` of a model's contents in one view, by id. */
  versions(view: View, model: string): Map<string, string> {
    const key = `${view}/${model}`
    let versions = this.#versions.get(key)
    if (!versions) {
      versions = new Map()
      this.#versions.set(key, versions)
    }
    return versions
  }

  fieldsOf(model: string): ReadonlySet<string> {
    return this.#names.get(model) ?? new Set()
  }

  /** Returns the paths of the fields with HTML in a model's contents: rich text or rendered Markdown. */
  htmlFieldsOf(model: string): ReadonlySet<string> {
    return this.#htmlFields.get(model) ?? new Set()
  }

  /** Returns whether this version of the content has already been read. */
  has(view: View, model: string, content: Content): boolean {
    return this.versions(view, model).get(content.id) === content.updatedAt
  }

  add(view: View, model: string, content: Content): void {
    this.versions(view, model).set(content.id, content.updatedAt)
    const names = this.#names.get(model) ?? new Set()
    this.#names.set(model, names)
    for (const name of Object.keys(content.fields)) names.add(name)
    const { references, inner, assetIds, assets, files, htmlFields } = inspect(content.fields, this.#finder)
    for (const id of assetIds) this.#assetIds.add(id)
    for (const { id, field } of references) {
      if (!this.#references.has(id)) this.#references.set(id, this.#indexOf(model, field))
    }
    if (htmlFields.length > 0) {
      const known = this.#htmlFields.get(model) ?? new Set()
      this.#htmlFields.set(model, known)
      for (const field of htmlFields) known.add(field)
    }
    for (const { id, owner, field } of inner) {
      if (!this.#inner.has(id)) this.#inner.set(id, { owner, field: this.#indexOf(model, field) })
    }
    for (const url of assets) this.assets.add(url)
    for (const { url, size, type } of files) {
      const place = this.#finder.placeOf(url)
      if (place && this.places.size < mostPlaces) this.places.add(place)
      const said = this.expected.get(url)
      if (!said) this.expected.set(url, { sizes: size === undefined ? [] : [size], type })
      else if (size !== undefined && !said.sizes.includes(size)) said.sizes.push(size)
    }
  }

  addApp(body: string): void {
    for (const url of inspectApp(body, this.#finder)) this.assets.add(url)
  }

  /** Replaces the finder. The caller must then restore the contents that were read before. */
  use(finder: AssetFinder): void {
    this.#finder = finder
  }

  /** Reads the data file of an interrupted run again. */
  async restore(stream: StreamState, path: string): Promise<void> {
    for await (const { text } of readLines(path, 0, stream.bytes)) {
      const content = readContent(text)
      if (content) this.add(stream.view, stream.model, content)
    }
  }

  forget(view: View, model: string): void {
    this.#versions.delete(`${view}/${model}`)
  }

  count(view: View): number {
    let sum = 0
    for (const [key, versions] of this.#versions) if (key.startsWith(`${view}/`)) sum += versions.size
    return sum
  }

  /**
   * Returns the referenced ids that are neither assets nor contents read so far. Each id is listed only under the first
   * field that references it.
   */
  unresolved(): { model: string; field: string; ids: string[] }[] {
    const groups = this.#fields.map(({ model, field }) => ({ model, field, ids: [] as string[] }))
    for (const [id, index] of this.#references) if (!this.#isKnown(id)) groups[index]?.ids.push(id)
    return groups.filter(({ ids }) => ids.length > 0)
  }

  /**
   * Returns unresolved ids that were first found inside a content of which only an expanded copy exists. They are most
   * likely pictures with unknown URLs. The ids are grouped by the model whose content contains that copy.
   */
  obscure(): Map<string, Set<string>> {
    const byModel = new Map<string, Set<string>>()
    for (const [id, { owner, field }] of this.#inner) {
      const model = this.#fields[field]?.model
      if (model === undefined || this.#isKnown(id) || this.#isKnown(owner)) continue
      byModel.set(model, (byModel.get(model) ?? new Set()).add(id))
    }
    return byModel
  }

  /** Returns all ids of `unresolved` and `obscure`. */
  missingIds(): string[] {
    const obscure = [...this.obscure().values()].flatMap((ids) => [...ids])
    return [...this.unresolved().flatMap(({ ids }) => ids), ...obscure]
  }

  #isKnown(id: string): boolean {
    if (this.#assetIds.has(id)) return true
    for (const [key, versions] of this.#versions) if (key.startsWith('api/') && versions.has(id)) return true
    return false
  }

  #indexOf(model: string, field: string): number {
    const key = `${model}\n${field}`
    let index = this.#fieldIndex.get(key)
    if (index === undefined) {
      index = this.#fields.push({ model, field }) - 1
      this.#fieldIndex.set(key, index)
    }
    return index
  }
}
