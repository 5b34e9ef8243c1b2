import type { FieldHint } from '../hints.ts'
import { nothingRead } from './broken-source.ts'
import type { Collector } from './collected.ts'
import { DatePaths, dateIn } from './date-paths.ts'
import { momentIn, plainValue } from './json.ts'
import { type JsonFile, jsonFiles, objectsIn, totalOf, wholeJson } from './json-files.ts'
import type { Publication, Sign } from './publication/publication-of.ts'
import { signOfKey, signsIn } from './publication/signs.ts'
import { stateOfWord } from './publication/words.ts'
import { defineSource } from './source.ts'
import { type SourceFile, type SourceFiles, stemOf } from './source-files.ts'
import { isRecord, objectOf, textOf } from './values.ts'
import { InvalidYaml, readYaml } from './yaml.ts'

interface Found {
  snapshot: JsonFile | SourceFile
  items: JsonFile[]
}

/** A Directus schema snapshot (JSON or YAML), with the items of its collections in files named after them. */
export const directus = defineSource<Found>({
  kind: 'directus',
  async recognise(files) {
    const json = await jsonFiles(files)
    const isSnapshot = ({ shape }: JsonFile) =>
      shape.type === 'object' &&
      shape.keys.has('directus') &&
      shape.keys.has('collections') &&
      shape.keys.has('fields')
    const snapshot = json.find(isSnapshot) ?? (await findYaml(files))
    return snapshot && { snapshot, items: json.filter((file) => file !== snapshot) }
  },
  async convert(files, into, { snapshot, items }) {
    const whole =
      'file' in snapshot ? await wholeJson(files, snapshot.file) : await snapshotIn(files, snapshot)
    const schema = readSchema(whole)
    for (const [collection, fields] of schema.fields) await declare(into, schema, collection, fields)
    const assets = await readFiles(files, into, items)
    for (const list of items) {
      const collection = stemOf(list.file.path)
      if (collection.startsWith('directus_')) {
        if (collection !== 'directus_files') await leaveOutTable(files, into, list)
        continue
      }
      const key = list.shape.type === 'object' ? 'data' : null
      // First pass: finds the keys that contain only dates although the schema does not declare them as dates.
      const dates = new DatePaths(into.zone)
      for (const field of schema.fields.get(collection) ?? [])
        if (isText(field)) dates.keepTexts(textOf(field.field))
      for await (const item of objectsIn(files, list, { lost: () => {} }, key))
        for (const [name, value] of Object.entries(item)) dates.add(value, name)
      for await (const item of objectsIn(files, list, into, key))
        await addItem({ into, schema, assets, collection, dates }, item)
      into.expect(collection, collection, totalOf(list.shape))
    }
  },
})

/** Reports the rows of one of Directus's own tables as not imported. */
async function leaveOutTable(files: SourceFiles, into: Collector, table: JsonFile): Promise<void> {
  const name = stemOf(table.file.path)
  const kind = /user/.test(name) ? 'account' : /setting/.test(name) ? 'setting' : 'system'
  const key = table.shape.type === 'object' ? 'data' : null
  for await (const _ of objectsIn(files, table, { lost: () => {} }, key)) into.leaveOut(kind, name)
}

async function snapshotIn(files: SourceFiles, file: SourceFile): Promise<unknown> {
  const text = await files.whole(file, 16_000_000)
  try {
    return readYaml(text)
  } catch (error) {
    if (!(error instanceof InvalidYaml)) throw error
    throw nothingRead([{ file: file.path, why: error.why }])
  }
}

async function findYaml(files: SourceFiles): Promise<SourceFile | undefined> {
  for (const file of files.files) {
    const beginning = await files.beginning(file)
    if (beginning && /^version:\s*\d+\r?\n/.test(beginning) && /^directus:/m.test(beginning)) return file
  }
  return undefined
}

interface Schema {
  fields: Map<string, Record<string, unknown>[]>
  /** Target collection of each relation field. Key: `<collection> <field>`. */
  relations: Map<string, string>
  /** By collection: the field that archives an item, with its values for archived and restored items. */
  archives: Map<string, { field: string; archived: string; restored: string }>
}

const list = (value: unknown) => (Array.isArray(value) ? value : []).filter(isRecord)

function readSchema(whole: unknown): Schema {
  const schema: Schema = { fields: new Map(), relations: new Map(), archives: new Map() }
  if (!isRecord(whole)) return schema
  // Collections that only group other collections have no table.
  for (const { collection, schema: table, meta } of list(whole.collections)) {
    if (!isRecord(table) || textOf(collection).startsWith('directus_')) continue
    schema.fields.set(textOf(collection), [])
    const {
      archive_field: field,
      archive_value: archived,
      unarchive_value: restored,
    } = isRecord(meta) ? meta : {}
    if (textOf(field) !== '')
      schema.archives.set(textOf(collection), {
        field: textOf(field),
        archived: plainOf(archived),
        restored: plainOf(restored),
      })
  }
  for (const field of list(whole.fields)) schema.fields.get(textOf(field.collection))?.push(field)
  for (const { collection, field, related_collection } of list(whole.relations))
    if (textOf(related_collection))
      schema.relations.set(`${textOf(collection)} ${textOf(field)}`, textOf(related_collection))
  return schema
}

const types: Record<string, string[]> = {
  string: ['text', 'choice'],
  text: ['text'],
  integer: ['number'],
  bigInteger: ['number'],
  float: ['number'],
  decimal: ['number'],
  boolean: ['boolean'],
  date: ['moment'],
  dateTime: ['moment'],
  timestamp: ['moment'],
}
const interfaces: Record<string, string[]> = {
  'input-rich-text-html': ['html'],
  'input-rich-text-md': ['markdown'],
  'select-dropdown': ['choice'],
  'select-radio': ['choice'],
  'select-multiple-checkbox': ['choice'],
  'select-multiple-dropdown': ['choice'],
  'select-color': ['color'],
  'file-image': ['image'],
  file: ['file'],
}

const metaOf = (field: Record<string, unknown>) => (isRecord(field.meta) ? field.meta : {})
const interfaceOf = (field: Record<string, unknown>) => textOf(metaOf(field).interface)

function declare(
  into: Collector,
  schema: Schema,
  collection: string,
  fields: readonly Record<string, unknown>[],
): Promise<void> {
  return into.model({
    uid: collection,
    fields: fields.flatMap((field): FieldHint[] => {
      const key = textOf(field.field)
      const isReference = schema.relations.has(`${collection} ${key}`)
      if (isOwn(field) || isSecret(field)) return []
      const names = list(metaOf(field).translations)
      const name = textOf(
        (names.find(({ language }) => textOf(language).startsWith('ja')) ?? names[0])?.translation,
      )
      const table = isRecord(field.schema) ? field.schema : {}
      return [
        {
          key,
          ...(name ? { name } : {}),
          kinds:
            interfaces[interfaceOf(field)] ??
            (isReference ? ['reference'] : (types[textOf(field.type)] ?? [])),
          required: metaOf(field).required === true,
          unique: table.is_unique === true,
        },
      ]
    }),
  })
}

/** Returns whether Directus maintains the field itself. */
function isOwn(field: Record<string, unknown>): boolean {
  const table = isRecord(field.schema) ? field.schema : {}
  const isWritten = specialsOf(field).some((special) => /^(?:user|date)-(?:created|updated)$/.test(special))
  return table.is_primary_key === true || isWritten || textOf(field.type) === 'alias'
}

/** Returns whether Directus hashes the values, or masks them in its API. */
const isSecret = (field: Record<string, unknown>) =>
  textOf(field.type) === 'hash' ||
  specialsOf(field).some((special) => special === 'hash' || special === 'conceal')

function specialsOf(field: Record<string, unknown>): string[] {
  const { special } = metaOf(field)
  return Array.isArray(special) ? special.map(textOf) : []
}

/**
 * Returns the field values of files by id. `directus_files` describes the files; their bytes are in the upload only if
 * the user added them.
 */
async function readFiles(files: SourceFiles, into: Collector, items: readonly JsonFile[]) {
  const assets = new Map<string, Record<string, unknown>>()
  const about = items.find(({ file }) => stemOf(file.path) === 'directus_files')
  if (!about) return assets
  const key = about.shape.type === 'object' ? 'data' : null
  for await (const row of objectsIn(files, about, into, key)) {
    const disk = textOf(row.filename_disk)
    const local = files.named(disk)[0]
    const said = {
      fileName: textOf(row.filename_download),
      fileType: textOf(row.type),
      title: textOf(row.title),
      description: textOf(row.description),
      width: row.width,
      height: row.height,
    }
    const path = `uploads/${disk || textOf(row.id)}`
    assets.set(textOf(row.id), local ? into.file(local, said) : into.missingFile(path, said))
  }
  return assets
}

interface Reading {
  into: Collector
  schema: Schema
  assets: ReadonlyMap<string, Record<string, unknown>>
  collection: string
  dates: DatePaths
}

async function addItem(reading: Reading, item: Record<string, unknown>): Promise<void> {
  const { into, schema, collection } = reading
  // Notices need the model, but the schema may lack it.
  await into.model({ uid: collection, fields: [] })
  const fields = schema.fields.get(collection) ?? []
  const byKey = new Map(fields.map((field) => [textOf(field.field), field]))
  const primary = fields.find(({ schema: table }) => isRecord(table) && table.is_primary_key === true)
  const id = textOf(item[textOf(primary?.field) || 'id'])
  const label = id || collection
  const markdown: Record<string, string> = {}
  const values = Object.entries(item).flatMap(([key, value]): [string, unknown][] => {
    const field = byKey.get(key)
    if (field && isDate(field)) {
      const date = dateIn(into, value, collection, `${label} (${key})`)
      return isOwn(field) ? [] : [[key, date]]
    }
    if (field && isOwn(field)) return []
    if (field && isSecret(field)) {
      into.leaveOut('secret', `${collection}.${key}`, value === null ? 0 : 1)
      return []
    }
    if (field && interfaceOf(field) === 'input-rich-text-md' && typeof value === 'string')
      markdown[key] = value
    return [[key, fieldValue(reading, value, { key, label, field })]]
  })
  const changed = fields.flatMap((field) =>
    specialsOf(field).includes('date-updated') ? [textOf(field.field)] : [],
  )
  await into.add(collection, {
    id,
    createdAt: momentIn(item, ['date_created', 'created_at', 'created_on'], into.zone),
    changedAt: momentIn(item, changed, into.zone),
    updatedAt: momentIn(item, ['date_updated', 'updated_at', 'modified_on'], into.zone),
    publication: into.publicationOf(...signsIn(item), ...archiveSigns(schema, collection, item)),
    values: objectOf([...values, ...(id ? [['sourceId', id] as const] : [])]),
    markdown,
  })
}

/** Settings contain booleans as text, such as `archive_value: "true"`. */
const plainOf = (value: unknown) => (typeof value === 'boolean' ? String(value) : textOf(value))

/**
 * Returns the statements of the field that archives items of the collection. Its values are defined by the users of
 * Directus, so they need not be known words.
 */
function archiveSigns(
  { archives }: Schema,
  collection: string,
  item: Record<string, unknown>,
): (Sign | Publication)[] {
  const archive = archives.get(collection)
  if (!archive) return []
  const { field: key, archived, restored } = archive
  const value = item[key]
  const text = plainOf(value)
  if (text === '') return []
  if (text === archived) return [{ state: 'archived', statement: `${key}: ${text}`.slice(0, 100) }]
  if (typeof value === 'boolean' || typeof value === 'number' || signOfKey(key)) return []
  const isRestored = text === restored && stateOfWord(text) === 'unknown'
  return isRestored
    ? [{ state: 'draft', statement: `${key}: ${text}`.slice(0, 100) }]
    : [{ kind: 'status', key, value }]
}

const isText = (field: Record<string, unknown>) => /^(?:string|text)$/.test(textOf(field.type))

const isDate = (field: Record<string, unknown>) => /^(?:date|dateTime|timestamp)$/.test(textOf(field.type))

function fieldValue(
  { into, schema, assets, collection, dates }: Reading,
  value: unknown,
  { key, label, field }: { key: string; label: string; field: Record<string, unknown> | undefined },
): unknown {
  const related = schema.relations.get(`${collection} ${key}`)
  if (related && value !== null && value !== undefined && !Array.isArray(value)) {
    const other = schema.fields
      .get(related)
      ?.find(({ schema: table }) => isRecord(table) && table.is_primary_key === true)
    const id = textOf(isRecord(value) ? value[textOf(other?.field) || 'id'] : value)
    return related === 'directus_files' ? (assets.get(id) ?? null) : into.idOf(related, id)
  }
  if (textOf(field?.type) === 'json' && isRecord(value)) return JSON.stringify(value)
  return plainValue(into, value, { model: collection, label, dates }, key)
}
