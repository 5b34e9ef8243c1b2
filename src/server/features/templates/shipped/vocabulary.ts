import type { ViewSettings } from '#shared/contract/views.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import type { ViewType } from '#shared/views.ts'

/*
 * What shipped templates are written in: close to what people read, without `_id`s. portable.ts makes of it what the
 * engine carries. What has a name is named in the language of who makes an app of it; the contents are Japanese.
 */

/** In Japanese and in English. */
export type Words = readonly [ja: string, en: string]

export interface ShippedField {
  /** Only where a setting of another field names it. */
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
  /** What references call it, beside its model. */
  key: string
  values: Record<string, unknown>
  /** When it was written and published, counted from the day on which the app is made. */
  daysAgo: number
  /** `draft`: never published. */
  state?: 'draft'
  /** Values that somebody changed since it was published. */
  edit?: Record<string, unknown>
}

export interface ShippedModel extends Named {
  fields: ShippedField[]
  titleField?: string
  views?: ShippedView[]
  documents: ShippedDocument[]
}

export interface ShippedTemplate {
  /** By which it is asked for; the uid of its apps, with a number where that is taken. */
  id: string
  name: Words
  description: Words
  /** An emoji. */
  icon: string
  /** Name of the picture that is the app's cover. */
  cover: string
  customTypes: ShippedCustomType[]
  models: ShippedModel[]
  /** Alternative texts of the pictures in use, which lie in `pictures/{id}/{name}.webp`. */
  pictures: Record<string, string>
}

/** Stands for the `_id` of a document: `author/hayase`. */
export const to = (document: string) => ({ $document: document })
/** Stands for the `_id`s of several. */
export const toAll = (model: string, ...keys: string[]) => keys.map((key) => to(`${model}/${key}`))
/** Stands for the `_id` of a picture. */
export const picture = (name: string) => ({ $picture: name })
/** Stands for a day in Japan, so many days from now. */
export const day = (fromNow: number) => ({ $day: fromNow })
/** Stands for a moment on such a day, by the clock in Japan. */
export const moment = (fromNow: number, clock: string) => ({ $day: fromNow, clock })
/** A piece of several types. */
export const piece = (type: string, data: unknown) => ({ type, data })

/** By which a slug names the title that it is made of. */
const titleId = '000000000000000000000001'

/** A title, and the slug that follows it. */
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

/** Documents in a short form, the newest first: key, days ago, values. */
export const documents = (
  ...entries: [key: string, daysAgo: number, values: Record<string, unknown>][]
): ShippedDocument[] => entries.map(([key, daysAgo, values]) => ({ key, daysAgo, values }))

/** The same for documents whose slug is their key. */
export const withSlugs = (
  ...entries: [slug: string, daysAgo: number, values: Record<string, unknown>][]
): ShippedDocument[] =>
  entries.map(([key, daysAgo, values]) => ({ key, daysAgo, values: { slug: key, ...values } }))
