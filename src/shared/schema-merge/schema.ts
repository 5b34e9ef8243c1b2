import type { Issue } from '../errors.ts'
import type { CustomType } from '../fields/custom-types.ts'
import type { Field } from '../fields/index.ts'
import type { FieldBody } from '../fields/read-fields.ts'

/*
 * The vocabulary of a merge (docs/decisions/0109): the parts of an app's schema are custom types, models, fields of both, and views.
 */

export type PartKind = 'customType' | 'model'
export type ItemKind = PartKind | 'customTypeField' | 'field' | 'view'

/**
 * The key by which an item is chosen: `model:article`, `field:article.title`, `view:article.All`. `owner`: uid of the
 * part that contains it.
 */
export const itemKey = (kind: ItemKind, name: string, owner?: string): string =>
  `${kind}:${owner === undefined ? '' : `${owner}.`}${name}`

export const fieldKind = (kind: PartKind) => (kind === 'model' ? 'field' : 'customTypeField')

/**
 * Handling of an incoming part when the app has one with the same uid. `merge`: chosen changes are applied; `grow`:
 * only chosen new fields are added, and the part must exist; `same`: the app's part is used if both are equal,
 * otherwise refused; `refuse`: always refused.
 */
export type WhenHere = 'merge' | 'grow' | 'same' | 'refuse'

/**
 * An incoming model or custom type from a body or an archive. Fields have `_id`s only where settings refer to fields by
 * `_id`.
 */
export interface IncomingPart {
  uid: string
  name: string
  description?: string | undefined
  fields: readonly FieldBody[]
  /** For models: uid of the title field, null for none; default: the first field that can be one. */
  titleField?: string | null | undefined
  /** Default: `merge`. */
  whenHere?: WhenHere
}

export interface IncomingView {
  modelUid: string
  name: string
  type: string
  settings: Record<string, unknown>
}

/** The incoming schema. */
export interface IncomingSchema {
  customTypes: readonly IncomingPart[]
  models: readonly IncomingPart[]
  views?: readonly IncomingView[]
}

export interface TypeValues extends CustomType {
  name: string
  description: string
}

export interface ModelValues {
  uid: string
  name: string
  description: string
  fields: Field[]
  /** `_id` of the title field. */
  titleField: string | null
}

/** The app's current schema. */
export interface OwnSchema<Model extends ModelValues = ModelValues, Type extends TypeValues = TypeValues> {
  models: readonly Model[]
  customTypes: readonly Type[]
}

/**
 * Why an incoming item is not applied. `taken`: the app has another one with that uid or name; `gone`: the part that
 * was to grow does not exist; `lacks`: it refers to missing models or custom types; `tooMany`: the field limit is
 * reached; `condition`: the field is created without its invalid condition; `used`: the part is still referred to;
 * `invalid`: anything else, see `issues`.
 */
export type RefusalReason = 'taken' | 'gone' | 'lacks' | 'tooMany' | 'condition' | 'used' | 'invalid'

export interface Refusal {
  reason: RefusalReason
  kind: PartKind | 'view'
  /** uid of the part; name of the view. */
  uid: string
  /** Its index among the incoming ones of its kind; -1 for a part that does not come in. */
  index: number
  /** uid of the refused field; null: the whole part. */
  field: string | null
  /** Index of the incoming field that `issues` refer to; null: they refer to the part. */
  at: number | null
  /** Paths are relative to that. Empty when the cause is reported with another refusal. */
  issues: Issue[]
  /** uids of the missing models and custom types. */
  lacking?: string[]
}

/** Something that was left out because the model it refers to is missing. */
export interface LeftOut {
  kind: PartKind
  /** uid of the part. */
  uid: string
  /** `author`, `sections.REFERENCE`, `author.condition`. */
  path: string
  /** uid of the missing model. */
  model: string
}

export const uidsOf = (parts: readonly { uid: string }[]): Set<string> => new Set(parts.map(({ uid }) => uid))

const plurals = { customType: 'customFieldTypes', model: 'models', view: 'views' } as const

/** Path of a refusal in a body that contains the parts in lists: `models.0.fields.2`. `name` replaces the index. */
export const placeOf = ({ kind, index, at }: Refusal, name: string | number = index): string =>
  `${plurals[kind]}.${name}${at === null ? '' : `.fields.${at}`}`

/** All issues of these refusals with full paths. The only place that maps paths of a merge to paths of a body. */
export const issuesOf = (
  refusals: readonly Refusal[],
  place: (refusal: Refusal) => string = placeOf,
): Issue[] =>
  refusals.flatMap((refusal) =>
    refusal.issues.map((issue) => ({ ...issue, path: `${place(refusal)}.${issue.path}` })),
  )
