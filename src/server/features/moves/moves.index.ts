import { createHash } from 'node:crypto'
import { titleOf } from '#archive/content.ts'
import { IdMap } from '#archive/id-map.ts'
import { isAsset, isContent, isId, isRecord } from '#archive/shapes.ts'
import { LongNumber, type Origin } from '#server/content/fields/received.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { ArchivedContent } from './moves.contents.ts'

/** What is in an archive, by `_id`: what its values name. Some 30 bytes for each content and asset. */
export class ArchiveIndex implements Origin {
  readonly #models: string[] = []
  /** The number of its model. */
  readonly #documents = new IdMap()
  /** Whether it is a picture: 1. */
  readonly #assets = new IdMap()
  /** Contents that are there only as copies in others, by the keys under which those have them. */
  readonly #copies = new Map<string, string>()
  readonly #joined = new Map<string, string>()
  /** Ids that the archive says are nowhere. */
  readonly missing = new Set<string>()

  /** Takes down a content of a model; false when one of that `_id` was there already. */
  addDocument(model: string, id: string): boolean {
    if (this.#documents.has(id)) return false
    let number = this.#models.indexOf(model)
    if (number < 0) number = this.#models.push(model) - 1
    this.#documents.set(id, number)
    return true
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

  /** Takes down the assets in the values of a content, and the contents in them. */
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

  /** Once all contents were taken down: copies of contents that are nowhere else belong to models of their own. */
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
    return { id, model, label: titleOf(fields) || id }
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

/** Visits all objects in values, each with the key under which it lies, those inside included. */
export function eachObject(
  values: Record<string, unknown>,
  visit: (key: string, value: Record<string, unknown>) => void,
): void {
  const look = (key: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(key, item)
    else if (isRecord(value) && !(value instanceof LongNumber)) {
      visit(key, value)
      for (const [inner, innerValue] of Object.entries(value)) {
        // The value of one of several types is known by the field, not by `data`.
        if (inner !== '_sys' && typeof innerValue === 'object' && innerValue !== null)
          look(inner === 'data' ? key : inner, innerValue)
      }
    }
  }
  for (const [key, value] of Object.entries(values)) look(key, value)
}

/** What a content says of itself, what it refers to by `_id` only, in 48 bits: equal for two that differ in nothing of their own. */
export function digestOf({ values }: Pick<ArchivedContent, 'values'>): number {
  return createHash('sha1').update(ownJson(values)).digest().readUIntBE(0, 6)
}

/** The values as JSON, with the `_id`s of what they refer to. */
export function ownJson(values: Record<string, unknown>): string {
  return JSON.stringify(values, (_key, value) => {
    if (value instanceof LongNumber) return value.text
    return isAsset(value) || isContent(value) ? value._id : value
  })
}
