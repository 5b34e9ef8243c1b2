import { readingOf } from '#admin/lib/use-reading.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { shorten } from '#shared/unicode.ts'
import { type FieldDraft, type FieldPatch, type ModelDraft, newField, newKey } from './draft.ts'
import { suggestFieldUid } from './suggest-uid.ts'

/** Maximum number of fields of a model (contract). */
const maximumFields = 200

export function isFull({ fields }: ModelDraft): boolean {
  return fields.length >= maximumFields
}

function takenUids({ fields }: ModelDraft, except?: FieldDraft): Set<string> {
  return new Set(fields.filter(({ key }) => key !== except?.key).map(({ uid }) => uid))
}

/** The kind of field to add: a type, or a custom type. */
export interface Chosen {
  type: FieldTypeName
  customType?: { uid: string; name: string } | undefined
}

/**
 * Returns a new field for this model. If there is only one other model, it is preselected as the target of a reference.
 */
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

/**
 * Returns a copy of a field, and the index directly after the original. null: the model is full or the field does not
 * exist.
 */
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
  const name = shorten(nameOfCopy(original.name), 100)
  return { field: { ...copy, key: newKey(), uid, name } as FieldDraft, at: index + 1 }
}

/** Returns the uid to fill into an empty uid input: the saved uid, or one suggested from the field's name or type. */
export function uidFor(draft: ModelDraft, field: FieldDraft, saved: FieldDraft | null): string {
  return saved?.uid ?? suggested(field, field.name, takenUids(draft, field))
}

/** Returns the changes that rename a field. The uid of a new field follows its name until the uid is edited. */
export function renamed(draft: ModelDraft, field: FieldDraft, name: string): FieldPatch {
  const taken = takenUids(draft, field)
  // During an IME composition the reading is unknown, so a uid suggested without the reading also counts as unedited.
  const suggestions = [suggested(field, field.name, taken), suggestFieldUid(field.name, field.type, taken)]
  const follows = !field._id && suggestions.includes(field.uid)
  return { name, ...(follows ? { uid: suggested(field, name, taken) } : {}) }
}

const suggested = ({ type }: FieldDraft, name: string, taken: ReadonlySet<string>) =>
  suggestFieldUid(name, type, taken, readingOf(name))
