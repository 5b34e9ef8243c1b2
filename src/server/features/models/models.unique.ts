import { type Converting, follow, type KeptValues } from '#server/content/conversion.ts'
import { itemsOf, type UniqueValue, uniqueValuesOf } from '#server/content/derived.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import { Pace } from '#server/lib/pace.ts'
import type { FieldChange, ModelConversion, RepeatedValue, UniqueChange } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { allFields, walk } from '#shared/fields/walk.ts'
import type { DocumentValues } from './models.values.ts'

/* What a change of fields means for values that must not repeat, and who repeats some. */

const uniqueIn = (fields: Field[]) =>
  allFields(fields)
    .filter(isUnique)
    .map(({ _id }) => _id)

/**
 * What documents have to reserve otherwise after a change: values of fields that became unique or are no more, and of
 * unique ones whose values are converted. Undefined: nothing.
 */
export function uniqueChange(from: Field[], to: Field[], changes: FieldChange[]): UniqueChange | undefined {
  const [before, after] = [new Set(uniqueIn(from)), new Set(uniqueIn(to))]
  const converted = new Set(changes.map((change) => change.from._id))
  const touched = uniqueIn([...from, ...to].filter(({ _id }) => converted.has(_id)))
  const fieldIds = new Set([
    ...[...before].filter((id) => !after.has(id)),
    ...[...after].filter((id) => !before.has(id)),
    ...touched,
  ])
  if (fieldIds.size === 0) return undefined
  const holders = [...from, ...to].filter((field) => allFields([field]).some(({ _id }) => fieldIds.has(_id)))
  return { fieldIds: [...fieldIds], holderIds: [...new Set(holders.map(({ _id }) => _id))] }
}

/** So many values that repeat are named. */
const maximumNamed = 20
/** Characters of such a value that are shown. */
const maximumShown = 100

/** Looks for values that would repeat, though they must not after a change, in documents that are shown to it. */
export class UniqueCheck {
  /** `_id`s of the fields whose values are to be shown to it; none: nothing can repeat. */
  readonly fieldIds: string[]
  private readonly after: Converting
  private readonly fields: Field[]
  /** The first part of the hash, enough to tell so many values apart. */
  private readonly seen = new Set<string>()
  private readonly found = new Map<string, RepeatedValue & { fieldId: string }>()

  /** `model`: as it is; `to`: the fields that it is to have by this change. */
  constructor(model: Converting, to: Field[], change: Omit<ModelConversion, 'version'>) {
    const ids = new Set(change.unique?.fieldIds)
    this.fields = to.filter((field) => uniqueIn([field]).some((id) => ids.has(id)))
    this.fieldIds = this.fields.map(({ _id }) => _id)
    // As a conversion that none of the documents has followed yet.
    this.after = { conversions: [...model.conversions, { ...change, version: Number.POSITIVE_INFINITY }] }
  }

  /** `kept`: what the documents held before a change that is taken back. */
  async add(documents: DocumentValues[], kept: Map<string, KeptValues[]>): Promise<void> {
    if (this.fieldIds.length === 0) return
    const pace = new Pace()
    for (const stored of documents) {
      await pace.giveWay()
      if (stored.trashed || !stored.pub) continue
      const { document } = await follow(this.after, stored, kept.get(stored.id))
      if (document.pub) this.addDocument(stored.id, document.pub)
    }
  }

  private addDocument(id: string, pub: StoredValues): void {
    for (const value of uniqueValuesOf(this.fields, null, pub)) {
      const key = `${value.fieldId}${value.hash.toString('latin1', 0, 12)}`
      if (!this.seen.has(key)) this.seen.add(key)
      else this.tell(key, id, value, pub)
    }
  }

  private tell(key: string, id: string, value: UniqueValue, pub: StoredValues): void {
    const known = this.found.get(key)
    if (known) {
      if (known.documents.length < maximumNamed) known.documents.push(id)
    } else if (this.found.size < maximumNamed)
      this.found.set(key, {
        fieldId: value.fieldId,
        ...repeatedValue(this.fields, pub, value),
        documents: [id],
      })
  }

  /** Values that repeat, some of them if they are many, with the `_id` of the field. */
  repeated(): (RepeatedValue & { fieldId: string })[] {
    return [...this.found.values()]
  }
}

/** Where this value stands in a document's values, and how it reads. */
export function repeatedValue(
  fields: Field[],
  values: StoredValues,
  { fieldId, hash }: Pick<UniqueValue, 'fieldId' | 'hash'>,
): Pick<RepeatedValue, 'field' | 'value'> {
  let found = { field: '', value: '' }
  walk({ fields }, values, ({ path, field, value }) => {
    if (field._id !== fieldId) return
    const item = itemsOf(value).find((candidate) => hashUniqueValue(candidate).equals(hash))
    if (item !== undefined) found = { field: path, value: String(item).slice(0, maximumShown) }
  })
  return found
}
