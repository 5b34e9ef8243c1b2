import type { FieldHint } from '../hints.ts'
import type { Collector } from './collected.ts'
import { type JsonFile, jsonFiles, wholeJson } from './json-files.ts'
import type { Publication, Sign } from './publication/publication-of.ts'
import { signsIn } from './publication/signs.ts'
import { defineSource } from './source.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'
import { isRecord, momentOf, objectOf, textOf, typeOfName } from './values.ts'

interface Found {
  apps: JsonFile[]
  media: SourceFile[]
}

/**
 * Newt's own export of an app, and the download of its media. The format of the export was never published, so it is
 * detected by a model with fields. Contents name their model or are nested in it.
 */
export const newt = defineSource<Found>({
  kind: 'newt-export',
  async recognise(files) {
    const apps = (await jsonFiles(files)).filter(isAppExport)
    const media = files.files.filter(({ path }) => typeOfName(path) !== '')
    if (apps.length > 0) return { apps, media }
    const isMedia = media.length > 1 && media.length === files.files.length
    return isMedia && !(await areTables(files)) ? { apps, media } : undefined
  },
  async convert(files, into, { apps, media }) {
    for (const json of apps) await addApp(into, await wholeJson(files, json.file), media)
    if (apps.length === 0) for (const file of media) await addMedia(into, file)
  },
})

const isTable = ({ path }: SourceFile) => /\.(?:csv|tsv|txt)$/i.test(path)

/**
 * Returns whether the upload consists of tables, alone or with files that they name. A media library may also contain
 * tables.
 */
async function areTables(files: SourceFiles): Promise<boolean> {
  const tables = files.files.filter(isTable)
  const names = files.files.flatMap((file) => (isTable(file) ? [] : [file.path.split('/').at(-1) ?? '']))
  if (names.length === 0) return true
  for (const table of tables) {
    const text = await files.beginning(table)
    if (text !== undefined && names.some((name) => text.includes(name))) return true
  }
  return false
}

function isAppExport({ shape }: JsonFile): boolean {
  if (shape.type !== 'object') return shape.type === 'list' && isModel(shape.first)
  const lists = ['models', 'appModels', 'app_models'].map((key) => shape.keys.get(key)?.first)
  const inside = ['app', 'data'].map((key) => shape.keys.get(key)?.first)
  return [...lists, ...inside.flatMap((value) => (isRecord(value) ? [firstOf(value.models)] : []))].some(
    isModel,
  )
}

const firstOf = (list: unknown): unknown =>
  Array.isArray(list) ? list[0] : isRecord(list) ? Object.values(list)[0] : undefined
const listOf = (value: unknown): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []).filter(isRecord)
const isModel = (value: unknown): boolean =>
  isRecord(value) && (textOf(value.uid) !== '' || textOf(value.name) !== '') && fieldsOf(value).length > 0

function fieldsOf(model: Record<string, unknown>): Record<string, unknown>[] {
  const schema = isRecord(model.schema) ? model.schema : {}
  return listOf(model.fields ?? schema.fields).filter(
    (field) => keyOf(field) !== '' && textOf(field.type) !== '',
  )
}
const keyOf = (field: Record<string, unknown>) =>
  textOf(field.uid) || textOf(field.fieldId) || textOf(field.name)

async function addApp(into: Collector, whole: unknown, media: readonly SourceFile[]): Promise<void> {
  const outer = isRecord(whole) ? whole : { models: whole }
  const [data = {}] = [outer.app, outer.data].filter(isRecord).filter((part) => part.models !== undefined)
  const all = { ...data, ...outer }
  into.appName = textOf((isRecord(all.app) ? all.app : all).name)
  const models = listOf(all.models ?? all.appModels ?? all.app_models)
  const byId = new Map<string, string>()
  for (const model of models) {
    const uid = textOf(model.uid) || textOf(model.name)
    for (const id of [uid, textOf(model._id), textOf(model.id)]) if (id) byId.set(id, uid)
    await into.model({
      uid,
      ...(textOf(model.name) ? { name: textOf(model.name) } : {}),
      fields: fieldsOf(model).map(
        (field): FieldHint => ({
          key: keyOf(field),
          ...(textOf(field.name) ? { name: textOf(field.name) } : {}),
          kinds: typesOf(textOf(field.type)),
          required: field.required === true,
          unique: field.unique === true,
        }),
      ),
    })
  }
  const assets = assetsOf(into, all, media)
  for (const model of models)
    for (const content of listOf(model.contents ?? model.documents ?? model.entries))
      await addContent(into, byId.get(textOf(model.uid) || textOf(model.name)) ?? '', content, assets)
  const contents = all.contents ?? all.documents ?? all.entries
  const groups = isRecord(contents) ? Object.entries(contents) : [['', contents] as const]
  for (const [group, list] of groups)
    for (const content of listOf(list)) {
      const uid = byId.get(group) ?? modelOf(content, byId)
      if (uid === undefined)
        into.lost(group || 'contents', textOf(content._id) || textOf(content.id), 'model')
      else await addContent(into, uid, content, assets)
    }
}

/** Newt's field types equal Imori's, but may be in another notation. */
const typesOf = (type: string): string[] => [
  type
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toUpperCase(),
]

function modelOf(content: Record<string, unknown>, byId: ReadonlyMap<string, string>): string | undefined {
  const sys = isRecord(content._sys) ? content._sys : {}
  for (const said of [
    content.modelUid,
    content.model,
    content.modelId,
    content.model_id,
    sys.model,
    sys.modelUid,
  ]) {
    const id = isRecord(said) ? textOf(said.uid) || textOf(said._id) : textOf(said)
    const found = byId.get(id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the field values of assets by id and by URL. */
function assetsOf(into: Collector, all: Record<string, unknown>, media: readonly SourceFile[]) {
  const assets = new Map<string, Record<string, unknown>>()
  const byPart = new Map(
    media.flatMap((file) => file.path.split(/[/.]/).map((part) => [part, file] as const)),
  )
  const byName = new Map(media.map((file) => [file.path.split('/').at(-1), file]))
  for (const asset of listOf(all.assets ?? all.media ?? all.files)) {
    const address = textOf(asset.src) || textOf(asset.url)
    const fileName = textOf(asset.fileName) || textOf(asset.name)
    const said = {
      fileName,
      fileType: textOf(asset.fileType) || textOf(asset.mimeType),
      title: textOf(asset.title),
      description: textOf(asset.description),
      altText: textOf(asset.altText),
      width: asset.width,
      height: asset.height,
    }
    const id = textOf(asset._id) || textOf(asset.id)
    const local = byPart.get(id) ?? byName.get(fileName)
    const isAddress = /^https?:\/\//.test(address) && URL.canParse(address)
    if (!local && !isAddress) continue
    const value = local ? into.file(local, said) : into.remote(address, said)
    const kept = { ...value, ...(/^[0-9a-f]{24}$/.test(id) ? { _id: id } : {}) }
    if (id) assets.set(id, kept)
    if (address) assets.set(address, kept)
  }
  return assets
}

async function addContent(
  into: Collector,
  model: string,
  content: Record<string, unknown>,
  assets: ReadonlyMap<string, Record<string, unknown>>,
): Promise<void> {
  const sys = isRecord(content._sys) ? content._sys : content
  const raw = isRecord(sys.raw) ? sys.raw : sys
  const own = [content.values, content.fields, content.data, content.draft].find(isRecord)
  const { _id, id, _sys, model: _, modelUid, modelId, ...rest } = content
  const value = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(value)
    if (typeof item === 'string') return assets.get(item) ?? item
    if (!isRecord(item)) return item
    const known = assets.get(textOf(item._id)) ?? assets.get(textOf(item.src))
    return known ?? objectOf(Object.entries(item).map(([key, inner]) => [key, value(inner)]))
  }
  const published = momentOf(raw.publishedAt)
  await into.add(model, {
    id: textOf(_id) || textOf(id),
    createdAt: momentOf(raw.createdAt),
    changedAt: momentOf(raw.updatedAt),
    firstPublishedAt: momentOf(raw.firstPublishedAt) ?? published,
    publication: into.publicationOf(...signsOf(into, content, own)),
    values: objectOf(Object.entries(own ?? rest).map(([key, item]) => [key, value(item)])),
  })
}

/**
 * Returns the statements of a content about its visibility. Values outside the metadata belong to the user's fields, so
 * they can only restrict the visibility.
 */
function signsOf(
  into: Collector,
  content: Record<string, unknown>,
  own: Record<string, unknown> | undefined,
): (Sign | Publication)[] {
  const { _sys: sys = {}, status, publishedAt, updatedAt, ...others } = content
  const times = isRecord(sys) && isRecord(sys.raw) ? sys.raw : { publishedAt, updatedAt }
  const [published, updated] = [momentOf(times.publishedAt), momentOf(times.updatedAt)]
  // The two times of one publication may differ by up to a second.
  const isEdited = published && updated && Date.parse(updated) - Date.parse(published) > 1_000
  const { values: _values, fields: _fields, data: _data, draft: _draft, ...rest } = others
  const further = signsIn(own ? rest : others)
    .map((sign) => into.publicationOf(sign))
    .filter(({ state }) => state !== 'unknown' && state !== 'published')
  return [
    ...signsIn({ _sys: sys, status, ...('publishedAt' in content ? { publishedAt } : {}) }),
    ...(isEdited ? [{ state: 'draft' as const, statement: 'updatedAt > publishedAt' }] : []),
    ...(own && own === content.draft ? [{ state: 'draft' as const, statement: 'draft' }] : []),
    ...further,
  ]
}

function addMedia(into: Collector, file: SourceFile): Promise<void> {
  const name = file.path.split('/').at(-1) ?? file.path
  return into.add('media', {
    id: file.path,
    publication: into.publicationOf(),
    values: { name, file: into.file(file, { fileName: name }) },
  })
}
