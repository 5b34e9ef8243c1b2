import type { Issue } from '../errors.ts'
import { normalizeUnicode } from '../unicode.ts'
import type { CustomTypeDefinition } from './field-type.ts'
import { type Field, fieldTypeNames, typeOf } from './index.ts'
import { customTypesIn, mapTypes } from './references.ts'
import { allFields } from './walk.ts'

export interface CustomType {
  _id: string
  uid: string
  fields: Field[]
}

const maximumDepth = 10
/** Maximum number of fields of a model or custom type, including the fields of nested custom types. */
const maximumFields = 2_000

/**
 * Names of field types, which are reserved. In a field of several types, a custom type with such a uid could not be
 * distinguished from the field type.
 */
const otherTypes = ['EMOJI', 'MAP', 'EMBED']

/** Returns why `uid` cannot be the uid of a custom type. `null` if it can. */
export function customTypeUidProblem(uid: string): 'InvalidFormat' | 'ReservedWord' | null {
  if ([...fieldTypeNames, ...otherTypes].includes(uid)) return 'ReservedWord'
  const isPrintable = /^[^/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,64}$/u.test(uid)
  return isPrintable && uid === normalizeUnicode(uid.trim(), 'NFC') ? null : 'InvalidFormat'
}

/** Returns whether the fields need {@link resolveFields} before their values can be read. */
export const namesCustomTypes = (fields: Field[]): boolean =>
  fields.some((field) => typeOf(field).nesting) && customTypesIn(fields).length > 0

/** Resolves the custom types that the fields refer to. Throws a `TypeError` if one of them is not in `types`. */
export function resolveFields(fields: Field[], types: readonly CustomType[]): Field[] {
  return createResolver(types)(fields)
}

/**
 * Resolves one field like {@link resolveFields}. Returns `null` if the field, or one of `types`, refers to a custom
 * type that is not in `types`.
 */
export function resolveField(field: Field, types: readonly CustomType[]): Field | null {
  const known = new Set(types.map(({ uid }) => uid))
  const isKnown = (inside: Field[]): boolean => customTypesIn(inside).every(({ uid }) => known.has(uid))
  if (!isKnown([field]) || types.some(({ fields }) => !isKnown(fields))) return null
  return resolveFields([field], types)[0] ?? null
}

/**
 * Creates a function like {@link resolveFields} for the fields of several models. Its calls share the resolved types.
 */
export function createResolver(types: readonly CustomType[]): (fields: Field[]) => Field[] {
  const byUid = new Map(types.map((type) => [type.uid, type]))
  const definitions = new Map<string, CustomTypeDefinition>()
  const define = (uid: string): CustomTypeDefinition => {
    const known = definitions.get(uid)
    if (known) return known
    const type = byUid.get(uid)
    if (!type) throw new TypeError(`there is no custom type “${uid}”`)
    const definition: CustomTypeDefinition = { _id: type._id, uid, fields: [] }
    definitions.set(uid, definition)
    definition.fields = resolve(type.fields)
    return definition
  }
  const resolve = (fields: Field[]): Field[] =>
    namesCustomTypes(fields)
      ? fields.map((field) =>
          mapTypes(field, (type) => {
            const { customType } = typeOf(type)
            return customType ? (customType.resolve(type, define(customType.uid(type))) as typeof type) : type
          }),
        )
      : fields
  return resolve
}

/** Returns the custom types that resolved fields use at any depth, as they were when the fields were resolved. */
export function definitionsIn(fields: Field[]): CustomType[] {
  const found = new Map<string, CustomType>()
  for (const field of allFields(fields)) {
    const definition = typeOf(field).customType?.definition(field)
    if (definition) found.set(definition.uid, definition as CustomType)
  }
  return [...found.values()]
}

type Named = Pick<CustomType, 'uid' | 'fields'>

/** Returns whether the fields use the custom type with this uid, directly or through other custom types. */
export function uses(fields: Field[], uid: string, types: readonly Named[]): boolean {
  const byUid = new Map(types.map((type) => [type.uid, type.fields]))
  const seen = new Set<string>()
  const look = (inside: Field[]): boolean =>
    customTypesIn(inside).some(({ uid: named }) => {
      if (named === uid) return true
      if (seen.has(named)) return false
      seen.add(named)
      return look(byUid.get(named) ?? [])
    })
  return look(fields)
}

/**
 * Returns the issues of nested custom types: cycles, too many levels, too many fields. `fields` belong to the custom
 * type `owner`, or to a model. Paths are relative to the list of fields; `''` is the list.
 */
export function nestingIssues(fields: Field[], types: readonly Named[], owner?: string): Issue[] {
  const byUid = new Map(types.map((type) => [type.uid, type.fields]))
  if (owner !== undefined) byUid.set(owner, fields)
  const sizes = new Map<string, { depth: number; fields: number }>()
  const issues: Issue[] = []

  /** Returns the depth and the total number of fields. A cycle is added to `issues` and counts as empty. */
  const measure = (inside: Field[], way: string[], path?: string): { depth: number; fields: number } => {
    const size = { depth: 0, fields: inside.length }
    for (const { uid, path: at } of customTypesIn(inside)) {
      const found = measureType(uid, way, path ?? at)
      size.depth = Math.max(size.depth, found.depth + 1)
      size.fields += found.fields
    }
    return size
  }
  const measureType = (uid: string, way: string[], path: string) => {
    const known = sizes.get(uid)
    if (known) return known
    if (way.includes(uid)) {
      const circle = [...way.slice(way.indexOf(uid)), uid].join(' → ')
      issues.push({ path, code: 'CircularType', params: { circle } })
      return { depth: 0, fields: 0 }
    }
    const size = measure(byUid.get(uid) ?? [], [...way, uid], path)
    sizes.set(uid, size)
    return size
  }

  const whole = measure(fields, owner === undefined ? [] : [owner])
  if (issues.length > 0) return issues
  const depth = whole.depth + (owner === undefined ? 0 : 1)
  if (depth > maximumDepth) return [{ path: '', code: 'NestedTooDeeply', params: { maximum: maximumDepth } }]
  if (whole.fields > maximumFields)
    return [{ path: '', code: 'TooManyItems', params: { maximum: maximumFields } }]
  return []
}
