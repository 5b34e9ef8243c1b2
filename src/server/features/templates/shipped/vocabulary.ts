import type { ViewSettings } from '#shared/contract/views.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import type { ViewType } from '#shared/views.ts'

/*
 * The format of built-in templates. Documents have no `_id`s. templates.shipped.ts converts templates to portable apps.
 * Names are in the language of the user who creates the app; the contents are Japanese.
 */

/** A text in Japanese and in English. */
export type Words = readonly [ja: string, en: string]

export interface ShippedField {
  /** Only present if a setting of another field refers to this field. */
  _id?: string
  uid: string
  name: Words
  type: FieldTypeName
  description?: Words
  tab?: Words
  options?: readonly { value: string | number; label: Words }[]
  [setting: string]: unknown
}

interface Named {
  uid: string
  name: Words
  description?: Words
}

export interface ShippedCustomType extends Named {
  fields: ShippedField[]
}

export interface ShippedView {
  name: Words
  type: ViewType
  settings?: ViewSettings
}

export interface ShippedDocument {
  /** Identifies the document in references, together with its model. */
  key: string
  values: Record<string, unknown>
  /** Age in days when the app is created. It determines when the document was written and published. */
  daysAgo: number
  /** `draft`: never published. */
  state?: 'draft'
  /** Values changed after publishing. */
  edit?: Record<string, unknown>
}

export interface ShippedModel extends Named {
  fields: ShippedField[]
  titleField?: string
  views?: ShippedView[]
  documents: ShippedDocument[]
}

export interface ShippedTemplate {
  /** Id of the template, and default uid of the apps created from it (with a number if the uid is taken). */
  id: string
  name: Words
  description: Words
  /** An emoji. */
  icon: string
  /** Name of the cover picture. */
  cover: string
  customTypes: ShippedCustomType[]
  models: ShippedModel[]
  /** Alternative texts of the pictures by name. Their files are `pictures/{id}/{name}.webp`. */
  pictures: Record<string, string>
}

/** Returns a placeholder for the `_id` of a document: `author/hayase`. */
export const to = (document: string) => ({ $document: document })
/** Returns placeholders for the `_id`s of several documents. */
export const toAll = (model: string, ...keys: string[]) => keys.map((key) => to(`${model}/${key}`))
/** Returns a placeholder for the `_id` of a picture. */
export const picture = (name: string) => ({ $picture: name })
/** Returns a placeholder for a day in Japan, relative to the day on which the app is created. */
export const day = (fromNow: number) => ({ $day: fromNow })
/** Returns a placeholder for a time on a day, as in {@link day}, in Japan's time zone. */
export const moment = (fromNow: number, clock: string) => ({ $day: fromNow, clock })
/** Returns a value of a field with several types. */
export const piece = (type: string, data: unknown) => ({ type, data })

/** `_id` by which a slug field refers to the title field from which it is generated. */
const titleId = '000000000000000000000001'

/** Returns a title field, and the slug field generated from it. */
export const titleAndSlug = (uid: string, name: Words, maxLength = 60): ShippedField[] => [
  { _id: titleId, uid, name, type: 'TEXT', required: true, maxLength },
  {
    uid: 'slug',
    name: ['スラッグ', 'Slug'],
    description: [
      'URLに使う文字列。半角の英小文字、数字、ハイフンだけを使います。',
      'Part of the address: lower-case letters, digits and hyphens.',
    ],
    type: 'TEXT',
    required: true,
    unique: true,
    pattern: '^[a-z0-9-]+$',
    slugOf: titleId,
  },
]

/** Returns documents from entries of key, age in days and values. */
export const documents = (
  ...entries: [key: string, daysAgo: number, values: Record<string, unknown>][]
): ShippedDocument[] => entries.map(([key, daysAgo, values]) => ({ key, daysAgo, values }))

/** Returns documents like {@link documents}, with their key as slug. */
export const withSlugs = (
  ...entries: [slug: string, daysAgo: number, values: Record<string, unknown>][]
): ShippedDocument[] =>
  entries.map(([key, daysAgo, values]) => ({ key, daysAgo, values: { slug: key, ...values } }))
