import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  filePath,
  type PortableApp,
  type PortableAsset,
  type PortableDocument,
  type PortablePicture,
} from '#archive/app-format.ts'
import type { PortableSource } from '#server/features/portable-apps/portable-apps.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import { typeOf } from '#shared/fields/index.ts'
import type { Language } from '#shared/languages.ts'
import { leastAppRole } from '#shared/permissions.ts'
import { shippedTemplates } from './shipped/index.ts'
import type { ShippedField, ShippedModel, ShippedTemplate, Words } from './shipped/vocabulary.ts'

/** Folder of the pictures: next to the templates, or next to main.js in the bundle. */
const pictures = new URL(
  import.meta.url.endsWith('.ts') ? './shipped/pictures/' : './template-pictures/',
  import.meta.url,
)

const minute = 60_000
const day = 86_400_000

export const findShipped = (id: string): ShippedTemplate | undefined =>
  shippedTemplates.find((template) => template.id === id)

export const inLanguage = ([ja, en]: Words, language: Language): string => (language === 'ja' ? ja : en)

export const readPicture = ({ id }: ShippedTemplate, name: string): Promise<Buffer> =>
  readFile(new URL(`${id}/${name}.webp`, pictures))

interface ShippedOptions {
  language: Language
  /** Time from which ages in days are counted back. */
  madeAt: Date
}

/** Returns the app of a built-in template, without documents and files. */
export async function shippedParts(template: ShippedTemplate, language: Language): Promise<PortableApp> {
  const word = (words: Words | undefined) => (words ? inLanguage(words, language) : '')
  const fields = (given: readonly ShippedField[]) => given.map((field) => inWords(field, language))
  return {
    app: {
      uid: template.id,
      name: word(template.name),
      description: word(template.description),
      icon: { type: 'emoji', value: template.icon },
      cover: pictureOf(await readPicture(template, template.cover)),
      accessSettings: { visibility: 'open', defaultRole: leastAppRole },
    },
    customFieldTypes: template.customTypes.map((type) => ({
      uid: type.uid,
      name: word(type.name),
      description: word(type.description),
      fields: fields(type.fields),
    })),
    models: template.models.map((model) => ({
      uid: model.uid,
      name: word(model.name),
      description: word(model.description),
      fields: fields(model.fields),
      titleField:
        model.titleField ?? model.fields.find(({ type }) => typeOf({ type }).canBeTitle)?.uid ?? null,
    })),
    views: template.models.flatMap(({ uid, views = [] }) =>
      views.map(({ name, type, settings = {} }) => ({ modelUid: uid, name: word(name), type, settings })),
    ),
    roles: [],
  }
}

/** Returns a built-in template as a portable source. The result is the same for the same `madeAt`. */
export async function shippedApp(
  template: ShippedTemplate,
  { language, madeAt }: ShippedOptions,
): Promise<PortableSource> {
  const files = new Map<string, { asset: PortableAsset; bytes: Buffer }>()
  for (const [name, altText] of Object.entries(template.pictures)) {
    const bytes = await readPicture(template, name)
    files.set(name, { asset: assetOf(template, name, altText, bytes), bytes })
  }
  const names: Names = {
    madeAt,
    document: (path) => idOf(template.id, ...path.split('/')),
    picture: (name) => files.get(name)?.asset._id ?? null,
  }
  const documents = new Map(template.models.map((model) => [model.uid, documentsOf(model, names)]))
  return {
    app: await shippedParts(template, language),
    async *documents(model, after) {
      for (const document of documents.get(model) ?? [])
        if (after === null || document._id > after) yield document
    },
    async *assets() {
      for (const { asset } of files.values()) yield asset
    },
    async *bytes({ _id }) {
      for (const { asset, bytes } of files.values()) if (asset._id === _id) yield bytes
    },
    picture: () => readPicture(template, template.cover),
  }
}

const idOf = (...names: string[]) =>
  sha256(`template ${names.join(' ')}`)
    .toString('hex')
    .slice(0, 24)
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const pictureOf = (bytes: Buffer): PortablePicture => ({
  type: 'image',
  mediaType: 'image/webp',
  bytes: bytes.length,
  sha256: hashOf(bytes),
})

function assetOf({ id }: ShippedTemplate, name: string, altText: string, bytes: Buffer): PortableAsset {
  const hash = hashOf(bytes)
  return {
    // A changed picture becomes another asset, because the previous one may be in use.
    _id: idOf(id, 'picture', name, hash),
    fileName: `${name}.webp`,
    mediaType: 'image/webp',
    bytes: bytes.length,
    sha256: hash,
    path: filePath({ sha256: hash }),
    title: '',
    description: '',
    altText,
    focalPoint: null,
    private: false,
    tags: [],
  }
}

/** Resolves placeholders in values. */
interface Names {
  madeAt: Date
  document(path: string): string
  picture(name: string): string | null
}

/** Returns the documents of a model in the order of their `_id`s. */
function documentsOf(model: ShippedModel, names: Names): PortableDocument[] {
  const { madeAt } = names
  const resolved = (values: Record<string, unknown>) => resolve(values, names)
  // Documents are less than a minute apart if the last one would otherwise fall on the previous day. The dates in its
  // values would then be wrong.
  const apart = Math.min(minute, sinceMidnightInJapan(madeAt) / model.documents.length)
  return model.documents
    .map(({ key, daysAgo, values, state, edit }, index): PortableDocument => {
      // Distinct times: the first document of a day is the newest.
      const written = new Date(madeAt.getTime() - daysAgo * day - index * apart).toISOString()
      const publishedAt = state === 'draft' ? null : written
      const before = resolved(values)
      return {
        _id: names.document(`${model.uid}/${key}`),
        createdAt: written,
        updatedAt: edit ? madeAt.toISOString() : written,
        firstPublishedAt: publishedAt,
        publishedAt,
        publishedUpdatedAt: publishedAt,
        customOrder: null,
        current: edit ? { ...before, ...resolved(edit) } : before,
        published: state === 'draft' ? null : edit ? before : 'same',
      }
    })
    .sort((a, b) => (a._id < b._id ? -1 : 1))
}

/** Replaces placeholders in values by `_id`s and dates. */
function resolve<T>(value: T, { madeAt, document, picture }: Names): T {
  const inside = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(inside)
    if (typeof item !== 'object' || item === null) return item
    const { $document, $picture, $day, clock } = item as Record<string, string | number | undefined>
    if ($document !== undefined) return document(String($document))
    if ($picture !== undefined) return picture(String($picture))
    if ($day !== undefined) {
      const date = dayInJapan(new Date(madeAt.getTime() + Number($day) * day))
      return clock === undefined ? date : `${date}T${clock}:00+09:00`
    }
    return Object.fromEntries(Object.entries(item).map(([key, held]) => [key, inside(held)]))
  }
  return inside(value) as T
}

/** Offset of Japan's time zone in milliseconds. Japan has no daylight saving time. */
const japan = 9 * 60 * minute

/** Returns the date in Japan as `YYYY-MM-DD`. */
const dayInJapan = (time: Date) => new Date(time.getTime() + japan).toISOString().slice(0, 10)

/** Returns the time since midnight in Japan, in milliseconds. */
const sinceMidnightInJapan = (time: Date) => (time.getTime() + japan) % day

/** Returns the field with its texts in one language. */
function inWords(field: ShippedField, language: Language): PortableApp['models'][number]['fields'][number] {
  const { name, description, tab, options, ...settings } = field
  return {
    ...settings,
    name: inLanguage(name, language),
    ...(description ? { description: inLanguage(description, language) } : {}),
    ...(tab ? { tab: inLanguage(tab, language) } : {}),
    ...(options
      ? { options: options.map(({ value, label }) => ({ value, label: inLanguage(label, language) })) }
      : {}),
  }
}
