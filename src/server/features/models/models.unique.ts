import { type Converting, follow, type KeptValues } from '#server/content/conversion.ts'
import { itemsOf, type UniqueValue, uniqueValuesOf } from '#server/content/derived.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import { Pace } from '#server/lib/pace.ts'
import type { FieldChange, ModelConversion, RepeatedValue, UniqueChange } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { allFields, walk } from '#shared/fields/walk.ts'
import type { DocumentValues } from './values.repository.ts'

/* Effects of field changes on unique values, and detection of duplicates. */

const uniqueIn = (fields: Field[]) =>
  allFields(fields)
    .filter(isUnique)
    .map(({ _id }) => _id)

/**
 * Returns the fields whose reserved values change: fields that became unique or are no longer unique, and unique fields
 * whose values are converted. undefined: no reservation changes.
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

/** Maximum number of duplicate values reported, and of documents listed for each. */
const maximumNamed = 20
/** Maximum characters of a reported value. */
const maximumShown = 100

/** Finds values that would be duplicates in a unique field after a change. */
export class UniqueCheck {
  /** `_id`s of the fields whose values must be read. Empty: there can be no duplicates. */
  readonly fieldIds: string[]
  private readonly after: Converting
  private readonly fields: Field[]
  /** Truncated hashes, long enough to distinguish the values of a large model. */
  private readonly seen = new Set<string>()
  private readonly found = new Map<string, RepeatedValue & { fieldId: string }>()

  /** `model`: the model before the change. `to`: its fields after the change. */
  constructor(model: Converting, to: Field[], change: Omit<ModelConversion, 'version'>) {
    const ids = new Set(change.unique?.fieldIds)
    this.fields = to.filter((field) => uniqueIn([field]).some((id) => ids.has(id)))
    this.fieldIds = this.fields.map(({ _id }) => _id)
    // The change is treated as a conversion that is not yet applied to any document.
    this.after = { conversions: [...model.conversions, { ...change, version: Number.POSITIVE_INFINITY }] }
  }

  /** `kept`: if the change undoes an earlier one, the values of the documents from before that earlier change. */
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

  /** Returns the duplicate values with the `_id` of the field, at most {@link maximumNamed}. */
  repeated(): (RepeatedValue & { fieldId: string })[] {
    return [...this.found.values()]
  }
}

/**
 * Returns the path of this value in a document's values, and its text, truncated to {@link maximumShown} characters.
 */
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
