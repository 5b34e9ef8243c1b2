import { readingOf } from '#admin/lib/use-reading.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { type FieldDraft, type FieldPatch, type ModelDraft, newField, newKey } from './draft.ts'
import { suggestFieldUid } from './suggest-uid.ts'

/** No model has more fields than this (contract). */
const maximumFields = 200

export function isFull({ fields }: ModelDraft): boolean {
  return fields.length >= maximumFields
}

/** The uids of the fields, without the one that is asked about. */
function takenUids({ fields }: ModelDraft, except?: FieldDraft): Set<string> {
  return new Set(fields.filter(({ key }) => key !== except?.key).map(({ uid }) => uid))
}

/** What is chosen to be added: a type, or one of the custom types. */
export interface Chosen {
  type: FieldTypeName
  customType?: { uid: string; name: string } | undefined
}

/** A new field for this model. What it may refer to is chosen when there is one choice. */
export function fieldToAdd(
  draft: ModelDraft,
  { type, customType }: Chosen,
  otherModels: readonly { uid: string }[],
) {
  const [only, ...more] = otherModels
  const reference = only && more.length === 0 ? { modelUid: only.uid } : {}
  const name = customType?.name ?? ''
  return newField(type, {
    name,
    uid: suggestFieldUid(name, type, takenUids(draft)),
    ...reference,
    ...(customType ? { customType: customType.uid } : {}),
  })
}

/** A copy of a field and its place, right behind it; null when there is no room, or no such field. */
export function copyToAdd(
  draft: ModelDraft,
  key: string,
  nameOfCopy: (name: string) => string,
): { field: FieldDraft; at: number } | null {
  const index = draft.fields.findIndex((field) => field.key === key)
  const original = draft.fields[index]
  if (!original || isFull(draft)) return null
  const { _id: _, ...copy } = original
  const uid = suggestFieldUid(original.uid, original.type, takenUids(draft))
  const name = nameOfCopy(original.name).slice(0, 100)
  return { field: { ...copy, key: newKey(), uid, name } as FieldDraft, at: index + 1 }
}

/** The uid for a field whose own was emptied: what it has on the server, or one by its name. */
export function uidFor(draft: ModelDraft, field: FieldDraft, saved: FieldDraft | null): string {
  return saved?.uid ?? suggested(field, field.name, takenUids(draft, field))
}

/** Another name for a field. The uid of a new one follows it until somebody chooses one. */
export function renamed(draft: ModelDraft, field: FieldDraft, name: string): FieldPatch {
  const taken = takenUids(draft, field)
  // While a word is converted its reading is not known yet: what was suggested without it still follows.
  const suggestions = [suggested(field, field.name, taken), suggestFieldUid(field.name, field.type, taken)]
  const follows = !field._id && suggestions.includes(field.uid)
  return { name, ...(follows ? { uid: suggested(field, name, taken) } : {}) }
}

const suggested = ({ type }: FieldDraft, name: string, taken: ReadonlySet<string>) =>
  suggestFieldUid(name, type, taken, readingOf(name))
