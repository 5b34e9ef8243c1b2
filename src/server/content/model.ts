import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import type { ModelConversion } from '#shared/fields/convert.ts'
import type { Comparison } from '#shared/fields/field-type.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'

/** A space as readers of content know it: what may be asked for, by the names clients use. */
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

/** A model with its fields found by uid. Everything that reaches SQL as a literal comes out of one of these. */
export interface ContentModel {
  /** The integer key of the tables; `publicId` is the `_id` on the wire. */
  id: number
  publicId: string
  uid: string
  titleField: string | null
  fields: Field[]
  fieldsByUid: Map<string, Field>
  /** Changes that not all documents have followed yet (conversion.ts). */
  conversions: ModelConversion[]
  app: ContentApp
}

/** How a field's values are compared. */
export function comparisonOf(field: Field): Comparison {
  return typeOf(field).comparison(field)
}

/** The models a reference field points to, but for those that are gone; undefined for a field that is no reference. */
export function targetsOf(model: ContentModel, field: Field): ContentModel[] | undefined {
  return targetUidsOf(field)?.flatMap((uid) => model.app.models.get(uid) ?? [])
}
