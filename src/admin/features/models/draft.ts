import type { Model } from '#shared/contract/models.ts'
import { type Field, type FieldTypeName, fieldSchema, typeOf } from '#shared/fields/index.ts'
import { repoint } from '#shared/fields/references.ts'
import { defaultSettings } from '#shared/fields/settings.ts'

type WithoutId<F> = F extends Field ? Omit<F, '_id'> : never

/** A field during editing. `key` identifies it in the editor; `_id` exists once it is saved. */
export type FieldDraft = WithoutId<Field> & { key: string; _id?: string }

/** The saved state to edit: a model, or a custom type, which has no title field. */
export type Edited = Pick<
  Model,
  '_id' | 'uid' | 'name' | 'description' | 'fields' | 'version' | 'updatedAt'
> &
  Partial<Pick<Model, 'titleField'>>

/**
 * A model or custom type during editing. `titleField`: the `key` of a field. null: no title field. Omitted for a custom
 * type.
 */
export interface ModelDraft {
  name: string
  uid: string
  description: string
  titleField?: string | null
  fields: FieldDraft[]
}

/** Changes of a field's settings. Settings that only one field type has are not typed here. */
export type FieldPatch = Partial<Omit<FieldDraft, 'key' | '_id' | 'type'>> & Record<string, unknown>

/** A placeholder for the `_id` of a new field, for functions that need a complete field. */
const noId = '0'.repeat(24)

let lastKey = 0

/** Returns a key for a field that is not saved yet. */
export function newKey(): string {
  lastKey++
  return `new-${lastKey}`
}

/** Returns a new field with the default settings of its type. */
export function newField(
  type: FieldTypeName,
  parts: { uid: string; name: string; key?: string; modelUid?: string; customType?: string },
): FieldDraft {
  const { key = newKey(), uid, name } = parts
  const { _id, ...field } = fieldSchema.parse({ _id: noId, uid, name, type, ...defaultSettings(type, parts) })
  return { ...field, key }
}

/** Returns the field as the shared rules expect it. A new field gets a placeholder `_id`. */
export function wholeField({ key: _, ...field }: FieldDraft): Field {
  return { ...field, _id: field._id ?? noId } as Field
}

/**
 * Converts the field to another type. Keeps the common settings, but `multiple` and `unique` only if the new type
 * supports them. Other settings get the defaults of the new type.
 */
export function withType(field: FieldDraft, type: FieldTypeName): FieldDraft {
  const { uid, name, key } = field
  const fresh = newField(type, { uid, name, key })
  const { canBeMultiple, canBeUnique } = typeOf(fresh)
  return {
    ...fresh,
    ...(field._id ? { _id: field._id } : {}),
    description: field.description,
    condition: field.condition,
    width: field.width,
    tab: field.tab,
    required: field.required,
    multiple: field.multiple && canBeMultiple,
    unique: field.unique && canBeUnique,
  }
}

/** Returns whether this field can be the title of its model. */
export function canBeTitle(field: FieldDraft): boolean {
  return typeOf(field).canBeTitle
}

/** Returns the draft of a saved model. `keys`: the keys that the editor already uses, by `_id`. */
export function draftOf(model: Edited, keys: ReadonlyMap<string, string> = new Map()): ModelDraft {
  const keyOf = (id: string) => keys.get(id) ?? id
  return {
    name: model.name,
    uid: model.uid,
    description: model.description,
    ...(model.titleField === undefined
      ? {}
      : { titleField: model.titleField === null ? null : keyOf(model.titleField) }),
    fields: model.fields.map((field) => ({
      ...asking(field, (uid) => keyOf(idOf(model, uid))),
      key: keyOf(field._id),
    })),
  }
}

const idOf = ({ fields }: Edited, uid: string) => fields.find((field) => field.uid === uid)?._id ?? uid

/**
 * Returns the field with the reference in its condition converted by `nameOf`. Drafts refer to fields by `key`, so that
 * conditions stay valid when uids change.
 */
function asking<F extends Pick<Field, 'condition'>>(field: F, nameOf: (subject: string) => string): F {
  const { condition } = field
  return condition ? { ...field, condition: { ...condition, field: nameOf(condition.field) } } : field
}

/**
 * Returns a field as sent in requests. Omits unset settings, and the limits of items unless the field is multiple, so
 * that equal fields serialise equally.
 */
function fieldInput({ key: _, ...field }: FieldDraft) {
  const whole = { ...field, name: field.name.trim(), description: field.description.trim() }
  const kept = Object.entries(whole)
    .filter(([, value]) => value !== null && value !== undefined)
    .filter(([name, value]) => !(name === 'pattern' && value === ''))
    .filter(([name]) => !(name === 'minItems' || name === 'maxItems') || field.multiple)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(kept) as { uid: string; name: string; type: string }
}

/**
 * Returns the `data` of a save request, without the version. References to the model itself follow a change of its uid
 * from `uidBefore`.
 */
export function inputOf(draft: ModelDraft, uidBefore: string = draft.uid) {
  const title = draft.fields.find((field) => field.key === draft.titleField)
  const uidOf = (key: string) => draft.fields.find((field) => field.key === key)?.uid ?? key
  return {
    name: draft.name.trim(),
    uid: draft.uid,
    description: draft.description.trim(),
    ...(draft.titleField === undefined ? {} : { titleField: title ? title.uid : null }),
    fields: draft.fields.map((field) => fieldInput(asking(repoint(field, uidBefore, draft.uid), uidOf))),
  }
}

/** Returns whether both drafts result in equal request bodies. */
export function sameModel(a: ModelDraft, b: ModelDraft): boolean {
  return JSON.stringify(inputOf(a)) === JSON.stringify(inputOf(b))
}
