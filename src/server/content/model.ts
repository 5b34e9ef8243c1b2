import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { ModelConversion } from '#shared/fields/convert.ts'
import type { Comparison } from '#shared/fields/field-type.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'

/** A space in the form for content readers: apps and models are keyed by `uid`. */
export interface ContentSpace {
  id: number
  uid: string
  apps: Map<string, ContentApp>
}

export interface ContentApp {
  id: number
  uid: string
  name: string
  icon: AppIcon | null
  cover: AppImage | null
  space: ContentSpace
  models: Map<string, ContentModel>
}

/**
 * A model with its fields keyed by `uid`. Generated SQL takes model keys and field `_id`s from such objects, never from
 * requests.
 */
export interface ContentModel {
  /** The integer key used in tables; `publicId` is the `_id` in the API. */
  id: number
  publicId: string
  uid: string
  titleField: string | null
  fields: Field[]
  fieldsByUid: Map<string, Field>
  /** Pending conversions: changes of fields that are not applied to all documents yet (conversion.ts). */
  conversions: ModelConversion[]
  app: ContentApp
}

/** Returns how the values of a field are compared. */
export function comparisonOf(field: Field): Comparison {
  return typeOf(field).comparison(field)
}

/** Returns the existing models that a reference field refers to; undefined for other types of field. */
export function targetsOf(model: ContentModel, field: Field): ContentModel[] | undefined {
  return targetUidsOf(field)?.flatMap((uid) => model.app.models.get(uid) ?? [])
}
