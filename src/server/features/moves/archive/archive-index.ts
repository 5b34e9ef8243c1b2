import { createHash } from 'node:crypto'
import { uidInAddress } from '#archive/asset-urls.ts'
import { titleOf } from '#archive/content.ts'
import type { AssetLine } from '#archive/format.ts'
import { IdMap } from '#archive/id-map.ts'
import { isAsset, isContent, isId, isRecord } from '#archive/shapes.ts'
import { LongNumber, type Origin } from '#server/content/fields/received.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { ArchivedContent } from './archive-lines.ts'

/** Maximum number of content titles in memory. They label references in samples of values. */
const mostTitles = 20_000

/** Contents and assets of an archive by `_id`, to resolve references in values. */
export class ArchiveIndex implements Origin {
  readonly #models: string[] = []
  /** Index of the content's model in `#models`, by `_id`. */
  readonly #documents = new IdMap()
  /** 1 for a picture, else 0, by `_id`. */
  readonly #assets = new IdMap()
  /** Contents embedded in other contents, by `_id`, with the key of the value that contains the content. */
  readonly #copies = new Map<string, string>()
  readonly #titles = new Map<string, string>()
  readonly #joined = new Map<string, string>()
  /** `_id`s that the archive lists as missing. */
  readonly missing = new Set<string>()

  /** Adds a content of a model; returns false if its `_id` is already known. */
  addDocument(model: string, id: string): boolean {
    if (this.#documents.has(id)) return false
    let number = this.#models.indexOf(model)
    if (number < 0) number = this.#models.push(model) - 1
    this.#documents.set(id, number)
    return true
  }

  addTitle(id: string, title: string): void {
    if (title !== '' && this.#titles.size < mostTitles) this.#titles.set(id, title)
  }

  has(id: string): boolean {
    return this.#documents.has(id)
  }

  get documentIds(): Iterable<string> {
    return this.#documents.ids()
  }
  get assetIds(): Iterable<string> {
    return this.#assets.ids()
  }
  get documentCount(): number {
    return this.#documents.size
  }

  /** Adds the assets and contents inside the values of a content. */
  addValues(values: Record<string, unknown>): void {
    eachObject(values, (key, value) => {
      if (isAsset(value) && !(value instanceof LongNumber)) {
        this.#assets.set(value._id, isPicture(value) ? 1 : 0)
        return
      }
      if (isContent(value)) {
        const known = this.#copies.get(value._id)
        if (known === undefined) this.#copies.set(value._id, key)
        else this.#join(known, key)
      }
    })
  }

  /**
   * Adds a file of the archive whose URL contains an `_id`. Contents saved at depth 0 refer to pictures by bare ids,
   * and the archive may have no asset object for these.
   */
  addListedAsset({ url, contentType }: Pick<AssetLine, 'url' | 'contentType'>): void {
    const id = uidInAddress(url)
    if (id !== null && isId(id) && !this.#documents.has(id) && !this.#assets.has(id))
      this.#assets.set(id, contentType.startsWith('image/') ? 1 : 0)
  }

  /**
   * Assigns models to contents that exist only as copies, and returns the uids of these models. Must be called after
   * all contents are added.
   */
  settleCopies(isTaken: (uid: string) => boolean): string[] {
    const models = new Map<string, string>()
    for (const [id, key] of this.#copies) {
      if (this.#documents.has(id)) continue
      const root = this.#rootOf(key)
      let uid = models.get(root)
      for (let number = 1; uid === undefined || (isTaken(uid) && !models.has(root)); number++)
        uid = number === 1 ? root : `${root}-${number}`
      models.set(root, uid)
      this.addDocument(uid, id)
    }
    this.#copies.clear()
    return [...models.values()]
  }

  asset(value: unknown) {
    if (typeof value === 'string') {
      const isImage = isId(value) ? this.#assets.get(value) : undefined
      return isImage === undefined
        ? undefined
        : { id: value, address: value, isImage: isImage === 1, label: value }
    }
    if (!isAsset(value) || !idPattern.test(value._id)) return undefined
    const { _id: id, src: address, fileName } = value
    return {
      id,
      address,
      isImage: isPicture(value),
      label: typeof fileName === 'string' ? fileName : address,
    }
  }

  document(value: unknown) {
    const id = isId(value) ? value : isContent(value) ? value._id : undefined
    if (id === undefined || !idPattern.test(id)) return undefined
    const number = this.#documents.get(id)
    const model = number === undefined ? (this.missing.has(id) ? '' : undefined) : this.#models[number]
    if (model === undefined) return undefined
    const { _id, _sys, ...fields } = isRecord(value) ? value : {}
    return { id, model, label: titleOf(fields) || this.#titles.get(id) || id }
  }

  #rootOf(key: string): string {
    let root = key
    for (let next = this.#joined.get(root); next !== undefined; next = this.#joined.get(root)) root = next
    return root
  }

  #join(a: string, b: string): void {
    const [first, second] = [this.#rootOf(a), this.#rootOf(b)]
    if (first !== second) this.#joined.set(second, first)
  }
}

function isPicture({ fileType, width }: Record<string, unknown>): boolean {
  return typeof fileType === 'string' && fileType !== ''
    ? fileType.startsWith('image/')
    : typeof width === 'number'
}

/** Visits the objects in values at any depth, except `_sys`, with the key of the value that contains each object. */
export function eachObject(
  values: Record<string, unknown>,
  visit: (key: string, value: Record<string, unknown>) => void,
): void {
  const look = (key: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(key, item)
    else if (isRecord(value) && !(value instanceof LongNumber)) {
      visit(key, value)
      for (const [inner, innerValue] of Object.entries(value)) {
        // A value of a field with several types is identified by the field's key, not by `data`.
        if (inner !== '_sys' && typeof innerValue === 'object' && innerValue !== null)
          look(inner === 'data' ? key : inner, innerValue)
      }
    }
  }
  for (const [key, value] of Object.entries(values)) look(key, value)
}

/** Returns a 48-bit hash of the values of a content. References and files are hashed by their `_id`s only. */
export function digestOf({ values }: Pick<ArchivedContent, 'values'>): number {
  return createHash('sha1').update(ownJson(values)).digest().readUIntBE(0, 6)
}

/** Returns the values as JSON, with references and files replaced by their `_id`s. */
export function ownJson(values: Record<string, unknown>): string {
  return JSON.stringify(values, (_key, value) => {
    if (value instanceof LongNumber) return value.text
    return isAsset(value) || isContent(value) ? value._id : value
  })
}
