import type { FieldHint } from '../hints.ts'
import type { Collector } from './collected.ts'
import { dateIn } from './date-paths.ts'
import { type JsonFile, jsonFiles, objectsIn } from './json-files.ts'
import type { Publication } from './publication/publication-of.ts'
import { contentfulHtml } from './rich-text-html.ts'
import { defineSource } from './source.ts'
import type { SourceFiles } from './source-files.ts'
import { isRecord, momentOf, objectOf, textOf } from './values.ts'

/** The export of a Contentful space, with or without its downloaded files. */
export const contentful = defineSource<JsonFile[]>({
  kind: 'contentful',
  async recognise(files) {
    const found = (await jsonFiles(files)).filter(
      ({ shape }) => shape.type === 'object' && shape.keys.has('contentTypes') && shape.keys.has('entries'),
    )
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    for (const json of found) await addSpace(files, into, json)
  },
})

interface ContentType {
  id: string
  titleKey: string
  /** Fields that Contentful's delivery API omits. */
  omitted: ReadonlySet<string>
  fields: { id: string; type: string }[]
}

interface Space {
  locale: string
  locales: Set<string>
  types: Map<string, ContentType>
  /** Long text fields with a plain-text editor, as `<type> <field>`. All others are Markdown. */
  plain: Set<string>
  assets: Map<string, Asset>
  /** Entries by id. `title` is empty unless visitors can see it. */
  entries: Map<string, { type: string; title: string }>
  /** Number of references in rich text to entries that the export lacks, by field. */
  lostEntries: Map<string, number>
  /** Number of references from published entries to unpublished assets, by field. */
  lostAssets: Map<string, number>
  /**
   * Number of values in other locales than the default one, by locale. Such a value is imported only if the field has
   * no value in the default locale.
   */
  others: Map<string, number>
}

interface Asset {
  isPublished: boolean
  isImage: boolean
  title: string
  /** Returns the field value, and includes the file in the archive. */
  value(): Record<string, unknown>
}

async function addSpace(files: SourceFiles, into: Collector, json: JsonFile): Promise<void> {
  const space: Space = {
    locale: 'en-US',
    locales: new Set(),
    types: new Map(),
    plain: new Set(),
    assets: new Map(),
    entries: new Map(),
    lostEntries: new Map(),
    lostAssets: new Map(),
    others: new Map(),
  }
  for await (const locale of objectsIn(files, json, into, 'locales')) {
    space.locales.add(textOf(locale.code))
    if (locale.default === true) space.locale = textOf(locale.code)
  }
  for await (const editor of objectsIn(files, json, into, 'editorInterfaces')) noteEditor(space, editor)
  for await (const type of objectsIn(files, json, into, 'contentTypes')) await addType(into, space, type)
  for await (const asset of objectsIn(files, json, into, 'assets')) addAsset(files, into, space, asset)
  for await (const entry of objectsIn(files, json, { lost: () => {} }, 'entries')) noteEntry(space, entry)
  for await (const entry of objectsIn(files, json, into, 'entries')) await addEntry(into, space, entry)
  for (const asset of space.assets.values()) if (asset.isPublished) asset.value()
  for (const [locale, count] of space.others) into.lost(locale, `${count} × ${locale}`, 'locale')
  for (const [field, count] of space.lostEntries) into.lost(field, `${count} × ${field}`, 'entry')
  for (const [field, count] of space.lostAssets) into.lost(field, `${count} × ${field}`, 'file')
  for (const key of ['webhooks', 'roles'])
    for await (const _ of objectsIn(files, json, { lost: () => {} }, key)) into.leaveOut('setting', key)
}

function noteEntry(space: Space, entry: Record<string, unknown>): void {
  const { sys, id, type } = sysOf(entry)
  const fields = isRecord(entry.fields) ? entry.fields : {}
  const contentType = space.types.get(type)
  const values = fields[contentType?.titleKey ?? '']
  // Links show the titles of their targets to visitors.
  const isShown =
    publicationOfEntry(space, sys).state === 'published' && !contentType?.omitted.has(contentType.titleKey)
  const title = isShown && isRecord(values) ? textOf(valueIn(space, values, sys)) : ''
  space.entries.set(id, { type, title: title.slice(0, 200) })
}

function sysOf(item: Record<string, unknown>) {
  const sys = isRecord(item.sys) ? item.sys : {}
  const contentType = isRecord(sys.contentType) && isRecord(sys.contentType.sys) ? sys.contentType.sys : {}
  return { sys, id: textOf(sys.id), type: textOf(contentType.id) }
}

/** Records fields with a plain-text editor, because the type of a field does not determine its editor. */
function noteEditor(space: Space, editor: Record<string, unknown>): void {
  const { type } = sysOf(editor)
  for (const control of Array.isArray(editor.controls) ? editor.controls.filter(isRecord) : [])
    if (control.widgetId === 'multipleLine') space.plain.add(`${type} ${textOf(control.fieldId)}`)
}

const hintOf: Record<string, Pick<FieldHint, 'kinds'>> = {
  Symbol: { kinds: ['line', 'choice'] },
  Text: { kinds: ['markdown', 'text'] },
  RichText: { kinds: ['html'] },
  Integer: { kinds: ['number'] },
  Number: { kinds: ['number'] },
  Date: { kinds: ['moment'] },
  Boolean: { kinds: ['boolean'] },
  Location: { kinds: ['place'] },
  Object: { kinds: ['text'] },
  Entry: { kinds: ['reference'] },
  Asset: { kinds: ['image', 'file'] },
}

async function addType(into: Collector, space: Space, type: Record<string, unknown>): Promise<void> {
  const { id } = sysOf(type)
  const all = (Array.isArray(type.fields) ? type.fields : []).filter(isRecord)
  const fields = all.filter((field) => field.omitted !== true)
  const omitted = all.flatMap((field) => (field.omitted === true ? [textOf(field.id)] : []))
  for (const key of omitted) into.leaveOut('private', `${id}.${key}`, 0)
  space.types.set(id, {
    id,
    titleKey: textOf(type.displayField),
    omitted: new Set(omitted),
    fields: fields.map((field) => ({ id: textOf(field.id), type: textOf(field.type) })),
  })
  const hints = fields.map((field): FieldHint => {
    const item = field.type === 'Array' && isRecord(field.items) ? field.items : field
    const kind = textOf(item.linkType) || textOf(item.type)
    const validations = [field.validations, item.validations].flatMap((list) =>
      Array.isArray(list) ? list : [],
    )
    const isChosen = validations.some((rule) => isRecord(rule) && Array.isArray(rule.in))
    const isPlain = space.plain.has(`${id} ${textOf(field.id)}`)
    const hint = isPlain ? { kinds: ['lines'] } : (hintOf[kind] ?? {})
    return {
      key: textOf(field.id),
      name: textOf(field.name),
      ...(isChosen ? { kinds: ['choice'] } : hint),
      required: field.required === true,
      unique: validations.some((rule) => isRecord(rule) && rule.unique === true),
    }
  })
  await into.model({
    uid: id,
    ...(textOf(type.name) ? { name: textOf(type.name) } : {}),
    ...(textOf(type.displayField) ? { titleKey: textOf(type.displayField) } : {}),
    fields: hints,
  })
}

/**
 * Returns the value in the default locale, otherwise in the first published locale. Counts the values in other locales.
 */
function inLocale(space: Space, values: unknown, sys: Record<string, unknown>): unknown {
  if (!isRecord(values)) return undefined
  for (const locale of Object.keys(values))
    if (locale !== space.locale) space.others.set(locale, (space.others.get(locale) ?? 0) + 1)
  return valueIn(space, values, sys)
}

function valueIn(space: Space, values: Record<string, unknown>, sys: Record<string, unknown>): unknown {
  if (Object.hasOwn(values, space.locale)) return values[space.locale]
  const statuses = statusesOf(sys)
  return Object.entries(values).find(([locale]) => (statuses[locale] ?? 'published') === 'published')?.[1]
}

/** Returns the status of each locale that is published separately. */
function statusesOf({ fieldStatus }: Record<string, unknown>): Record<string, unknown> {
  const statuses = isRecord(fieldStatus) ? fieldStatus['*'] : undefined
  return isRecord(statuses) ? statuses : {}
}

function addAsset(files: SourceFiles, into: Collector, space: Space, asset: Record<string, unknown>): void {
  const { sys, id } = sysOf(asset)
  const fields = isRecord(asset.fields) ? asset.fields : {}
  const file = inLocale(space, fields.file, sys)
  if (!isRecord(file)) return
  const title = textOf(inLocale(space, fields.title, sys))
  const address = textOf(file.url) || textOf(file.upload)
  const url = address.startsWith('//') ? `https:${address}` : address
  if (!URL.canParse(url)) return
  const details = isRecord(file.details) && isRecord(file.details.image) ? file.details.image : {}
  const said = {
    fileName: textOf(file.fileName),
    fileType: textOf(file.contentType),
    title,
    description: textOf(inLocale(space, fields.description, sys)),
    width: details.width,
    height: details.height,
  }
  // An export with `--download-assets` stores the file in a folder named after its host.
  const path = decodedPath(new URL(url))
  const local = files
    .named(path.split('/').at(-1) ?? '')
    .find((one) => one.path === path || one.path.endsWith(`/${path}`))
  // An asset that was edited after it was published is still public.
  const isPublished = typeof sys.publishedVersion === 'number' && !sys.archivedVersion && !sys.archivedAt
  space.assets.set(id, {
    isPublished,
    isImage: said.fileType.startsWith('image/'),
    title,
    value: () => (local ? into.file(local, said) : into.remote(url, said)),
  })
}

/** Returns the asset. undefined: the export lacks it, or a published entry would make an unpublished asset public. */
function assetFor(space: Space, id: string, { place, isPublished }: FieldContext): Asset | undefined {
  const asset = space.assets.get(id)
  if (!asset || asset.isPublished || !isPublished) return asset
  space.lostAssets.set(place, (space.lostAssets.get(place) ?? 0) + 1)
  return undefined
}

function decodedPath({ host, pathname }: URL): string {
  try {
    return `${host}${decodeURIComponent(pathname)}`
  } catch {
    return `${host}${pathname}`
  }
}

async function addEntry(into: Collector, space: Space, entry: Record<string, unknown>): Promise<void> {
  const { sys, id, type } = sysOf(entry)
  const fields = isRecord(entry.fields) ? entry.fields : {}
  const kinds = new Map(space.types.get(type)?.fields.map((field) => [field.id, field.type]))
  const markdown: Record<string, string> = {}
  const omitted = space.types.get(type)?.omitted
  for (const key of omitted ?? []) if (Object.hasOwn(fields, key)) into.leaveOut('private', `${type}.${key}`)
  const keys = [...new Set([...kinds.keys(), ...Object.keys(fields)])].filter((key) => !omitted?.has(key))
  const publication = publicationOfEntry(space, sys)
  const isPublished = publication.state === 'published'
  const values = keys.map((key): [string, unknown] => {
    const own = Object.hasOwn(fields, key) ? inLocale(space, fields[key], sys) : null
    const value =
      kinds.get(key) === 'Date'
        ? dateIn(into, own, type, `${id} (${key})`)
        : fieldValue(into, space, own, { place: `${type}.${key}`, isPublished })
    const isMarkdown = kinds.get(key) === 'Text' && !space.plain.has(`${type} ${key}`)
    if (isMarkdown && typeof value === 'string') markdown[key] = value
    return [key, value ?? null]
  })
  const first = momentOf(sys.firstPublishedAt) ?? momentOf(sys.publishedAt)
  await into.add(type, {
    id,
    createdAt: momentOf(sys.createdAt),
    changedAt: momentOf(sys.updatedAt),
    firstPublishedAt: first,
    publication,
    values: objectOf([...values, ['sourceId', id]]),
    markdown,
  })
}

/**
 * Returns the visibility of an entry. The export does not contain the published state of an entry that was edited after
 * publishing, so such an entry is a draft.
 */
function publicationOfEntry(space: Space, sys: Record<string, unknown>): Publication {
  const { version, publishedVersion, archivedVersion, archivedAt } = sys
  if (archivedVersion || archivedAt) return { state: 'archived', statement: 'archivedVersion' }
  if (typeof publishedVersion !== 'number') return { state: 'draft', statement: 'publishedVersion: –' }
  if (typeof version !== 'number') return { state: 'unknown', statement: 'version: –' }
  const status = statusesOf(sys)[space.locale]
  if (status !== undefined && status !== 'published')
    return { state: 'draft', statement: `fieldStatus: ${textOf(status)}`.slice(0, 60) }
  return version <= publishedVersion + 1
    ? { state: 'published', statement: 'publishedVersion' }
    : { state: 'draft', statement: 'version > publishedVersion' }
}

interface FieldContext {
  /** Path of the value, such as `article.body`. */
  place: string
  isPublished: boolean
}

function fieldValue(into: Collector, space: Space, value: unknown, at: FieldContext): unknown {
  const { place } = at
  if (Array.isArray(value)) return value.map((item) => fieldValue(into, space, item, at))
  if (!isRecord(value)) return value
  if (value.nodeType === 'document')
    return contentfulHtml(value, {
      asset(id) {
        const asset = assetFor(space, id, at)
        return asset && { url: textOf(asset.value().src), isImage: asset.isImage, title: asset.title }
      },
      entry(id) {
        const known = space.entries.get(id)
        if (!known) space.lostEntries.set(place, (space.lostEntries.get(place) ?? 0) + 1)
        return known && { id: into.idOf(known.type, id), model: known.type, title: known.title }
      },
    })
  const sys = isRecord(value.sys) ? value.sys : {}
  const id = textOf(sys.id)
  if (sys.type === 'Link' && sys.linkType === 'Asset') return assetFor(space, id, at)?.value() ?? null
  if (sys.type === 'Link' && sys.linkType === 'Entry')
    return into.idOf(space.entries.get(id)?.type ?? 'entry', id)
  if (typeof value.lat === 'number' && typeof value.lon === 'number')
    return { lat: value.lat, lng: value.lon }
  return value
}
