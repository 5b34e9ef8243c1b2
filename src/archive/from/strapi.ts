import type { FieldHint } from '../hints.ts'
import type { Collector } from './collected.ts'
import { dateIn } from './date-paths.ts'
import { objectsIn } from './json-files.ts'
import type { Publication, Sign } from './publication/publication-of.ts'
import { blocksHtml } from './rich-text-html.ts'
import { defineSource } from './source.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'
import { isRecord, madeId, momentOf, objectOf, textOf } from './values.ts'

/** `strapi export --no-encrypt`: a tar with JSON lines in folders. */
export const strapi = defineSource<SourceFile[]>({
  kind: 'strapi',
  async recognise({ files }) {
    const has = (folder: string) =>
      files.some(({ path }) => new RegExp(`(?:^|/)${folder}/[^/]+\\.jsonl$`).test(path))
    return has('schemas') && has('entities') ? [...files] : undefined
  },
  async convert(files, into) {
    const space = await readSpace(files, into)
    for (const schema of space.schemas.values()) if (isModel(schema)) await declare(into, schema)
    for await (const entity of linesOf(files, 'entities', into)) await addEntity(into, space, entity)
    for (const [ref, value] of space.files)
      if (!space.privateFiles.has(ref) || space.openFiles.has(ref)) value()
      else into.leaveOut('private', 'plugin::upload.file')
  },
})

interface Schema {
  uid: string
  kind: string
  name: string
  /**
   * If drafts are disabled, which is Strapi's default, every saved entity is published. undefined: the schema does not
   * say.
   */
  hasDrafts: boolean | undefined
  attributes: Map<string, Record<string, unknown>>
}

interface Space {
  schemas: Map<string, Schema>
  /** Functions that return the field values of files, by id. A call includes the file in the archive. */
  files: Map<string, () => Record<string, unknown>>
  privateFiles: Set<string>
  openFiles: Set<string>
  /** Targets of an entity's reference field, in order. Key: `<type> <ref> <field>`. */
  links: Map<string, { type: string; ref: string; order: number }[]>
  /** The entity to import for each document: Strapi 5 stores a draft and a published entity. */
  chosen: Map<string, { ref: string; isPublished: boolean }>
  documents: Map<string, string>
  /** The locale to import. Empty: not known yet, or not localised. */
  locale: string
}

async function* linesOf(
  files: SourceFiles,
  folder: string,
  into: Pick<Collector, 'lost'>,
): AsyncGenerator<Record<string, unknown>> {
  const pattern = new RegExp(`(?:^|/)${folder}/[^/]+\\.jsonl$`)
  const found = files.files.filter(({ path }) => pattern.test(path))
  for (const file of found.sort((a, b) => (a.path < b.path ? -1 : 1)))
    yield* objectsIn(files, { file, shape: { type: 'lines', first: undefined } }, into)
}

const flagOf = (value: unknown) => (typeof value === 'boolean' ? value : undefined)
const isModel = ({ uid, kind }: Schema) => uid.startsWith('api::') && kind !== 'component'
/** Returns the model of a uid: `blog-post` for `api::blog-post.blog-post`. */
const modelOf = (uid: string) => uid.split('.').at(-1) ?? uid

async function readSpace(files: SourceFiles, into: Collector): Promise<Space> {
  const space: Space = {
    schemas: new Map(),
    files: new Map(),
    privateFiles: new Set(),
    openFiles: new Set(),
    links: new Map(),
    chosen: new Map(),
    documents: new Map(),
    locale: '',
  }
  for await (const schema of linesOf(files, 'schemas', into)) {
    const uid = textOf(schema.uid)
    const info = isRecord(schema.info) ? schema.info : {}
    const options = isRecord(schema.options) ? schema.options : {}
    const privates: unknown[] = Array.isArray(options.privateAttributes) ? options.privateAttributes : []
    const attributes = Object.entries(isRecord(schema.attributes) ? schema.attributes : {})
    space.schemas.set(uid, {
      uid,
      kind: textOf(schema.modelType) === 'component' ? 'component' : textOf(schema.kind),
      name: textOf(info.displayName),
      hasDrafts: flagOf(options.draftAndPublish),
      attributes: new Map(
        attributes.flatMap(([key, attribute]) =>
          isRecord(attribute)
            ? [[key, privates.includes(key) ? { ...attribute, private: true } : attribute]]
            : [],
        ),
      ),
    })
  }
  for await (const { type, value } of linesOf(files, 'configuration', { lost: () => {} })) {
    into.leaveOut('setting', textOf(type) || 'configuration')
    if (type === 'core-store' && isRecord(value) && value.key === 'plugin_i18n_default_locale')
      space.locale = textOf(value.value)
  }
  for await (const entity of linesOf(files, 'entities', { lost: () => {} }))
    noteEntity(files, into, space, entity)
  for await (const link of linesOf(files, 'links', into)) noteLink(space, link)
  for (const list of space.links.values()) list.sort((a, b) => a.order - b.order)
  return space
}

function noteEntity(
  files: SourceFiles,
  into: Collector,
  space: Space,
  entity: Record<string, unknown>,
): void {
  const [type, ref] = [textOf(entity.type), textOf(entity.id)]
  const data = isRecord(entity.data) ? entity.data : {}
  if (type === 'plugin::upload.file') space.files.set(ref, () => fileOf(files, into, data))
  const document = textOf(data.documentId) || ref
  space.documents.set(`${type} ${ref}`, document)
  if (!type.startsWith('api::') || isOtherLocale(space, data)) return
  const key = `${type} ${document}`
  const known = space.chosen.get(key)
  const isPublished = momentOf(data.publishedAt) !== null
  // A draft may have newer edits than the published entity, but only one of them can be imported: the published one.
  if (!known || (isPublished && !known.isPublished)) space.chosen.set(key, { ref, isPublished })
}

/**
 * Returns whether the entity has another locale than the one to import. The default locale is imported, or the first
 * one found if the export names no default.
 */
function isOtherLocale(space: Space, data: Record<string, unknown>): boolean {
  const locale = textOf(data.locale)
  if (space.locale === '') space.locale = locale
  return locale !== '' && locale !== space.locale
}

function fileOf(files: SourceFiles, into: Collector, data: Record<string, unknown>): Record<string, unknown> {
  const stored = `${textOf(data.hash)}${textOf(data.ext)}`
  const local = files.named(stored).find(({ path }) => /(?:^|\/)assets\/uploads\//.test(path))
  const said = {
    fileName: textOf(data.name),
    fileType: textOf(data.mime),
    altText: textOf(data.alternativeText),
    description: textOf(data.caption),
    width: data.width,
    height: data.height,
  }
  const url = textOf(data.url)
  if (local) return into.file(local, said)
  return /^https?:/.test(url) && URL.canParse(url)
    ? into.remote(url, said)
    : into.missingFile(`assets/uploads/${stored}`, said)
}

function noteLink(space: Space, { left, right }: Record<string, unknown>): void {
  if (!isRecord(left) || !isRecord(right)) return
  const end = (side: Record<string, unknown>) => ({
    type: textOf(side.type),
    ref: textOf(side.ref),
    field: textOf(side.field),
  })
  const [from, to] = [end(left), end(right)]
  const order = Number(left.pos ?? right.pos ?? 0)
  const add = (a: typeof from, b: typeof from) => {
    if (a.field === '') return
    const key = `${a.type} ${a.ref} ${a.field}`
    const link = { type: b.type, ref: b.ref, order }
    const known = space.links.get(key)
    if (known) known.push(link)
    else space.links.set(key, [link])
  }
  // Links of files start at the file, other links at the entity with the field.
  if (from.type === 'plugin::upload.file') {
    add(to, from)
    const attribute = space.schemas.get(to.type)?.attributes.get(to.field)
    if (attribute) (isPrivate(attribute) ? space.privateFiles : space.openFiles).add(from.ref)
  } else {
    add(from, to)
    add(to, from)
  }
}

const types: Record<string, string[]> = {
  string: ['text'],
  text: ['text'],
  email: ['text'],
  uid: ['text'],
  richtext: ['markdown'],
  blocks: ['html'],
  integer: ['number'],
  float: ['number'],
  decimal: ['number'],
  boolean: ['boolean'],
  date: ['moment'],
  datetime: ['moment'],
  enumeration: ['choice'],
  media: ['image', 'file'],
  relation: ['reference'],
}

const ownDates = ['createdAt', 'updatedAt', 'publishedAt']
const own = new Set([...ownDates, 'createdBy', 'updatedBy', 'locale', 'localizations'])

function declare(into: Collector, schema: Schema): Promise<void> {
  const attributes = [...schema.attributes].filter(
    ([key, attribute]) => !own.has(key) && !isPrivate(attribute),
  )
  return into.model({
    uid: modelOf(schema.uid),
    ...(schema.name ? { name: schema.name } : {}),
    fields: attributes.map(
      ([key, { type, required, unique }]): FieldHint => ({
        key,
        kinds: types[textOf(type)] ?? [],
        required: required === true,
        unique: unique === true || type === 'uid',
      }),
    ),
  })
}

/** Reports entities of Strapi itself as not imported: administrators, users, tokens, and rows of plugins. */
function leaveOutEntity(into: Collector, type: string): void {
  if (type === '' || type.startsWith('plugin::upload.') || type.startsWith('api::')) return
  const kind = /^(?:admin|plugin::users-permissions)(?:::|\.)user$/.test(type)
    ? 'account'
    : /token|session/.test(type)
      ? 'secret'
      : 'system'
  into.leaveOut(kind, type)
}

async function addEntity(into: Collector, space: Space, entity: Record<string, unknown>): Promise<void> {
  const [type, ref] = [textOf(entity.type), textOf(entity.id)]
  const schema = space.schemas.get(type)
  const data = isRecord(entity.data) ? entity.data : {}
  if (!schema || !isModel(schema)) {
    leaveOutEntity(into, type)
    return
  }
  const document = space.documents.get(`${type} ${ref}`) ?? ref
  const chosen = space.chosen.get(`${type} ${document}`)
  if (chosen?.ref !== ref) {
    if (isOtherLocale(space, data)) into.lost(modelOf(type), `${document} ${textOf(data.locale)}`, 'locale')
    return
  }
  const markdown: Record<string, string> = {}
  const model = modelOf(type)
  for (const key of ownDates) dateIn(into, data[key], model, `${document} (${key})`)
  const values = valuesOf({ into, space, model, document }, schema, ref, data, markdown)
  const published = momentOf(data.publishedAt)
  await into.add(model, {
    id: document,
    createdAt: momentOf(data.createdAt),
    changedAt: momentOf(data.updatedAt),
    firstPublishedAt: published,
    publication: into.publicationOf(...publicationSigns(schema, data)),
    values: objectOf([...values, ['sourceId', document]]),
    markdown,
  })
}

function publicationSigns({ hasDrafts }: Schema, data: Record<string, unknown>): (Sign | Publication)[] {
  const { publishedAt } = data
  const isMissing = hasDrafts === false ? !publishedAt : hasDrafts === undefined && !('publishedAt' in data)
  if (isMissing) return [{ state: 'published', statement: 'draftAndPublish: false' }]
  return [{ kind: 'publishedAt', key: 'publishedAt', value: publishedAt }]
}

/** Returns whether Strapi's API omits the attribute. */
const isPrivate = ({ private: isHidden, type }: Record<string, unknown>) =>
  isHidden === true || type === 'password'

interface Reading {
  into: Collector
  space: Space
  model: string
  document: string
}

function valuesOf(
  reading: Reading,
  schema: Schema,
  ref: string,
  data: Record<string, unknown>,
  markdown: Record<string, string> = {},
): [string, unknown][] {
  const { into, space, model, document } = reading
  return [...schema.attributes].flatMap(([key, attribute]): [string, unknown][] => {
    if (own.has(key)) return []
    if (isPrivate(attribute)) {
      const kind = attribute.type === 'password' ? 'secret' : 'private'
      into.leaveOut(
        kind,
        `${modelOf(schema.uid)}.${key}`,
        data[key] === undefined || data[key] === null ? 0 : 1,
      )
      return []
    }
    const links = space.links.get(`${schema.uid} ${ref} ${key}`) ?? []
    const value = data[key] ?? null
    switch (attribute.type) {
      case 'relation': {
        const ids = links.flatMap(({ type, ref: other }) =>
          type.startsWith('api::')
            ? [into.idOf(modelOf(type), space.documents.get(`${type} ${other}`) ?? other)]
            : [],
        )
        const isMany = /Many$/.test(textOf(attribute.relation))
        const isOwnSide = !textOf(attribute.mappedBy)
        return isOwnSide ? [[key, isMany ? [...new Set(ids)] : (ids[0] ?? null)]] : []
      }
      case 'media': {
        const files = links.flatMap(({ ref: other }) => space.files.get(other)?.() ?? [])
        return [[key, attribute.multiple === true ? files : (files[0] ?? null)]]
      }
      case 'component':
      case 'dynamiczone':
        return [[key, partOf(reading, value, textOf(attribute.component))]]
      case 'richtext':
        if (typeof value === 'string') markdown[key] = value
        return [[key, value]]
      case 'blocks':
        return [[key, value === null ? null : blocksHtml(value)]]
      case 'date':
      case 'datetime':
        return [[key, dateIn(into, value, model, `${document} (${key})`)]]
      case 'json':
        return [[key, value === null || typeof value === 'string' ? value : JSON.stringify(value)]]
      default:
        return [[key, value]]
    }
  })
}

/** Converts a component, which is nested in the entity. A component in a dynamic zone names its type. */
function partOf(reading: Reading, value: unknown, component: string): unknown {
  if (Array.isArray(value)) return value.map((item) => partOf(reading, item, component))
  if (!isRecord(value)) return null
  const kind = textOf(value.__component) || component
  const schema = reading.space.schemas.get(kind)
  if (!schema) return null
  const data = objectOf(valuesOf(reading, schema, textOf(value.id), value))
  if (component !== '') return data
  return { _id: madeId('part', kind, textOf(value.id)), type: kind.replace(/\./g, '_'), data }
}
