import type { Issue } from '../errors.ts'
import type { CustomType } from '../fields/custom-types.ts'
import type { Field } from '../fields/index.ts'
import type { FieldBody } from '../fields/read-fields.ts'

/*
 * The types of a merge (docs/decisions/0109). The parts of an app's schema are custom types, models, fields of both,
 * and views.
 */

export type PartKind = 'customType' | 'model'
export type ItemKind = PartKind | 'customTypeField' | 'field' | 'view'

/**
 * Returns the key by which an item is chosen: `model:article`, `field:article.title`, `view:article.All`. `owner` is
 * the uid of the part that contains the item.
 */
export const itemKey = (kind: ItemKind, name: string, owner?: string): string =>
  `${kind}:${owner === undefined ? '' : `${owner}.`}${name}`

export const fieldKind = (kind: PartKind) => (kind === 'model' ? 'field' : 'customTypeField')

/**
 * Handling of an incoming part if the app has a part with the same uid.
 *
 * - `merge`: chosen changes are applied.
 * - `grow`: only chosen new fields are added. The part must exist in the app.
 * - `same`: the app's part is used if both are equal, otherwise the incoming part is refused.
 * - `refuse`: the incoming part is refused.
 */
export type WhenHere = 'merge' | 'grow' | 'same' | 'refuse'

/**
 * An incoming model or custom type from a request body or an archive. A field has an `_id` only if settings refer to
 * that `_id`.
 */
export interface IncomingPart {
  uid: string
  name: string
  description?: string | undefined
  fields: readonly FieldBody[]
  /** For models: uid of the title field, `null` for none. Default: the first field that can be the title. */
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
  /** `_id` of the title field. `null`: no title. */
  titleField: string | null
}

export interface OwnSchema<Model extends ModelValues = ModelValues, Type extends TypeValues = TypeValues> {
  models: readonly Model[]
  customTypes: readonly Type[]
}

/**
 * Why an incoming item is not applied.
 *
 * - `taken`: the app has another part with this uid or name, or the part already has the field.
 * - `gone`: the part to which fields should be added does not exist.
 * - `lacks`: the item refers to missing models or custom types.
 * - `tooMany`: the limit on fields is reached.
 * - `condition`: the field is applied without its invalid condition.
 * - `used`: a remaining part still refers to the part.
 * - `invalid`: any other reason, see `issues`.
 */
export type RefusalReason = 'taken' | 'gone' | 'lacks' | 'tooMany' | 'condition' | 'used' | 'invalid'

export interface Refusal {
  reason: RefusalReason
  kind: PartKind | 'view'
  /** uid of the part, or name of the view. */
  uid: string
  /** Index among the incoming items of its kind. -1 for a part that is not incoming. */
  index: number
  /** uid of the refused field. `null`: the whole part. */
  field: string | null
  /** Index of the incoming field that `issues` refer to. `null`: `issues` refer to the part. */
  at: number | null
  /** Paths are relative to the field or part. Empty if another refusal reports the cause. */
  issues: Issue[]
  lacking?: string[]
}

/**
 * A reference that was left out because its model is missing, or a condition on a field that was left out for this
 * reason.
 */
export interface LeftOut {
  kind: PartKind
  uid: string
  /** Path of the reference or condition, such as `author`, `sections.REFERENCE` or `author.condition`. */
  path: string
  model: string
}

export const uidsOf = (parts: readonly { uid: string }[]): Set<string> => new Set(parts.map(({ uid }) => uid))

const plurals = { customType: 'customFieldTypes', model: 'models', view: 'views' } as const

/**
 * Returns the path of a refusal in a body that contains the parts in lists: `models.0.fields.2`. `name` replaces the
 * index.
 */
export const placeOf = ({ kind, index, at }: Refusal, name: string | number = index): string =>
  `${plurals[kind]}.${name}${at === null ? '' : `.fields.${at}`}`

/** Returns the issues of these refusals with full paths. */
export const issuesOf = (
  refusals: readonly Refusal[],
  place: (refusal: Refusal) => string = placeOf,
): Issue[] =>
  refusals.flatMap((refusal) =>
    refusal.issues.map((issue) => ({ ...issue, path: `${place(refusal)}.${issue.path}` })),
  )
