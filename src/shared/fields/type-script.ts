import { type CustomType, createResolver } from './custom-types.ts'
import { type TypeScriptNames, typeScriptLiteral } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'

interface Named {
  uid: string
  name: string
  fields: Field[]
}

export interface TypedApp {
  models: readonly Named[]
  customTypes: readonly (CustomType & Named)[]
}

/** Names that must not be used: exports of newt-client-js and globals of TypeScript. */
const taken = [
  'Content',
  'Image',
  'File',
  'Media',
  'Array',
  'Record',
  'String',
  'Number',
  'Boolean',
  'Object',
  'Date',
]

/**
 * Returns a TypeScript module with the type of a model's contents as newt-client-js returns them, including the models
 * it refers to and their custom types. References, images and files are typed as resolved; beyond the `depth` of a
 * request, responses contain `_id`s instead. Throws a `TypeError` if no model has this uid.
 */
export function typeScriptOf(modelUid: string, { models, customTypes }: TypedApp): string {
  const resolve = createResolver(customTypes)
  const imported = new Set<string>(['Content'])
  const given = new Set(taken)
  const names = new Map<string, string>()
  const toWrite: { name: string; named: Named; isModel: boolean }[] = []

  function nameOf(list: readonly Named[], uid: string): string {
    const isModel = list === models
    const key = `${isModel} ${uid}`
    const known = names.get(key)
    if (known) return known
    const named = list.find((candidate) => candidate.uid === uid)
    if (!named) throw new TypeError(`there is no model or custom type “${uid}”`)
    const name = freeName(typeName(uid), given)
    given.add(name)
    names.set(key, name)
    toWrite.push({ name, named, isModel })
    return name
  }

  const naming: TypeScriptNames = {
    model: (uid) => nameOf(models, uid),
    modelOfSeveral: (uid) => `(${nameOf(models, uid)} & { _sys: { model: ${typeScriptLiteral(uid)} } })`,
    customType: (uid) => nameOf(customTypes, uid),
    client(name) {
      imported.add(name)
      return name
    },
    value: (field) => valueType(field as Field, naming),
  }

  nameOf(models, modelUid)
  const written: string[] = []
  for (const { name, named, isModel } of toWrite) {
    const lines = resolve(named.fields).map(
      (field) => `${comment(field.name, '  ')}  ${property(field, naming)}\n`,
    )
    const head = `${comment(named.name, '')}export type ${name} = ${isModel ? 'Content & ' : ''}`
    written.push(`${head}{\n${lines.join('')}}\n`)
  }
  const list = [...imported].sort().join(', ')
  return [`import type { ${list} } from 'newt-client-js'\n`, ...written].join('\n')
}

/** Returns the type of a field's value on the delivery API. Models and custom types are named by their uids. */
export function deliveredType(field: Field): string {
  const naming: TypeScriptNames = {
    model: typeName,
    modelOfSeveral: typeName,
    customType: typeName,
    client: (name) => name,
    value: (inner) => valueType(inner as Field, naming),
  }
  return valueType(field, naming)
}

function property(field: Field, names: TypeScriptNames): string {
  const key = /^[A-Za-z_]\w*$/.test(field.uid) ? field.uid : JSON.stringify(field.uid)
  const mayLack = !isMultiple(field) && typeOf(field).empty === undefined
  return `${key}${mayLack ? '?' : ''}: ${names.value(field)}`
}

/** Returns the type of a field's value on the delivery API. */
function valueType(field: Field, names: TypeScriptNames): string {
  const { typeScript, nesting } = typeOf(field)
  const item = typeScript?.(field, names) ?? 'unknown'
  if (!isMultiple(field)) return withNothing(field, item)
  const known = nesting?.ids === 'ofSeveral' ? `${item} & { _id: string }` : item
  return /[|&]/.test(known) ? `(${known})[]` : `${known}[]`
}

/** Adds the type of the value that is sent for a single field without a value. */
function withNothing(field: Field, item: string): string {
  const { comparison, empty, nesting } = typeOf(field)
  if (nesting?.open({}, field)) return item
  if (empty === null || comparison(field) === 'number') return `${item} | null`
  return empty === '' && item !== 'string' ? `${item} | ''` : item
}

/** Converts a uid to a type name: `blog-posts` → `BlogPosts`, `Q&A` → `QA`. */
function typeName(uid: string): string {
  const words = uid.match(/[\p{L}\p{N}]+/gu) ?? []
  const name = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return /^\p{L}/u.test(name) ? name : `Type${name}`
}

function freeName(name: string, given: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}${number}`
    if (!given.has(candidate)) return candidate
  }
}

function comment(text: string, indent: string): string {
  const line = text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')
  return line ? `${indent}/** ${line} */\n` : ''
}
