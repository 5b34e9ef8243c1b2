import type { AssetFinder } from './asset-urls.ts'
import { type Content, inspect, inspectApp, readContent, type View } from './content.ts'
import { readLines } from './files.ts'
import type { Expected } from './judge-asset.ts'
import type { StreamState } from './workspace.ts'

/** What is known of the contents read so far: ids, their versions, what they point to. A few bytes each. */
export class Inventory {
  readonly #finder: AssetFinder
  readonly #versions = new Map<string, Map<string, string>>()
  readonly #fields: { model: string; field: string }[] = []
  readonly #fieldIndex = new Map<string, number>()
  /** Referenced id → index of the first field that pointed to it. */
  readonly #references = new Map<string, number>()
  /** Ids of all asset objects: an id that came bare somewhere may be one of these. */
  readonly #assetIds = new Set<string>()
  /** Normalised addresses of every asset in use. */
  readonly assets = new Set<string>()
  /** Address → what asset objects say of its file. */
  readonly expected = new Map<string, Expected>()

  constructor(finder: AssetFinder) {
    this.#finder = finder
  }

  /** Id → `_sys.updatedAt` of a model's contents in one view. */
  versions(view: View, model: string): Map<string, string> {
    const key = `${view}/${model}`
    let versions = this.#versions.get(key)
    if (!versions) {
      versions = new Map()
      this.#versions.set(key, versions)
    }
    return versions
  }

  /** True when this very version is in the archive already. */
  has(view: View, model: string, content: Content): boolean {
    return this.versions(view, model).get(content.id) === content.updatedAt
  }

  add(view: View, model: string, content: Content): void {
    this.versions(view, model).set(content.id, content.updatedAt)
    const { references, assetIds, assets, files } = inspect(content.fields, this.#finder)
    for (const id of assetIds) this.#assetIds.add(id)
    for (const { id, field } of references) {
      if (!this.#references.has(id)) this.#references.set(id, this.#indexOf(model, field))
    }
    for (const url of assets) this.assets.add(url)
    for (const { url, size, type } of files) {
      const said = this.expected.get(url)
      if (!said) this.expected.set(url, { sizes: size === undefined ? [] : [size], type })
      else if (size !== undefined && !said.sizes.includes(size)) said.sizes.push(size)
    }
  }

  addApp(body: string): void {
    for (const url of inspectApp(body, this.#finder)) this.assets.add(url)
  }

  /** Reads a data file of an interrupted run back in. */
  async restore(stream: StreamState, path: string): Promise<void> {
    for await (const { text } of readLines(path, 0, stream.bytes)) {
      const content = readContent(text)
      if (content) this.add(stream.view, stream.model, content)
    }
  }

  /** Forgets which contents of a model were read. */
  forget(view: View, model: string): void {
    this.#versions.delete(`${view}/${model}`)
  }

  /** Number of different contents in a view. */
  count(view: View): number {
    let sum = 0
    for (const [key, versions] of this.#versions) if (key.startsWith(`${view}/`)) sum += versions.size
    return sum
  }

  /** References whose target is in no model read so far, by the field that holds them. */
  unresolved(): { model: string; field: string; ids: string[] }[] {
    const known = [...this.#versions]
      .filter(([key]) => key.startsWith('api/'))
      .map(([, versions]) => versions)
    const groups = this.#fields.map(({ model, field }) => ({ model, field, ids: [] as string[] }))
    for (const [id, index] of this.#references) {
      if (!this.#assetIds.has(id) && !known.some((versions) => versions.has(id))) groups[index]?.ids.push(id)
    }
    return groups.filter(({ ids }) => ids.length > 0)
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
