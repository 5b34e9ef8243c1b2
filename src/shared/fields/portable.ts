import type { CustomType } from './custom-types.ts'
import { type Field, typeOf } from './index.ts'
import { customTypesIn, mapSomeTypes } from './references.ts'
import { isSameValue } from './same-value.ts'

/** A field without its `_id`, unless settings of another field contain that `_id`. */
export type PortableField = { _id?: string; uid: string; name: string; type: string } & Record<
  string,
  unknown
>

export interface PortableCustomType {
  uid: string
  name: string
  description: string
  fields: PortableField[]
}

/** A model in the form for copies to other apps and for files, with the custom types it uses. */
export interface PortableModel {
  uid: string
  name: string
  description: string
  /** uid of the title field. `null`: the model has none. */
  titleField: string | null
  fields: PortableField[]
  /** In dependency order: each type after the types it uses. */
  customFieldTypes: PortableCustomType[]
}

interface Whole {
  uid: string
  name: string
  description: string
  fields: Field[]
}

/** Returns the portable form of a model. `customTypes` must contain all custom types of its app. */
export function portableModel(
  model: Whole & { titleField: string | null },
  customTypes: readonly (CustomType & Whole)[],
): PortableModel {
  const titleField = model.fields.find(({ _id }) => _id === model.titleField)?.uid ?? null
  const { uid, name, description, fields } = portableType(model)
  return {
    uid,
    name,
    description,
    titleField,
    fields,
    customFieldTypes: neededTypes(model.fields, customTypes).map(portableType),
  }
}

/** Returns the portable form of a custom type. */
export const portableType = ({ uid, name, description, fields }: Whole): PortableCustomType => ({
  uid,
  name,
  description,
  fields: portableFields(fields),
})

/**
 * Returns the portable forms of all models of an app and of its custom types. `idOf` creates deterministic `_id`s for
 * fields that settings refer to, so that the forms of an app and of its copy are identical byte by byte.
 */
export function portableModels(
  models: readonly (Whole & { titleField: string | null })[],
  customTypes: readonly (CustomType & Whole)[],
  idOf: (owner: string, field: string) => string,
): { models: Omit<PortableModel, 'customFieldTypes'>[]; customFieldTypes: PortableCustomType[] } {
  const portable = ({ uid, name, description, fields }: Whole, kind: string) => ({
    uid,
    name,
    description,
    fields: renamed(
      portableFields(fields),
      new Map(fields.map((field) => [field._id, idOf(`${kind} ${uid}`, field.uid)])),
    ),
  })
  const types = [...customTypes].sort((a, b) => (a.uid < b.uid ? -1 : 1))
  return {
    customFieldTypes: behindTheirParts(types).map((type) => portable(type, 'customFieldType')),
    models: models.map((model) => ({
      ...portable(model, 'model'),
      titleField: model.fields.find(({ _id }) => _id === model.titleField)?.uid ?? null,
    })),
  }
}

/** Returns the types in dependency order: each after the types it uses. */
function behindTheirParts<T extends CustomType>(types: readonly T[]): T[] {
  const ordered = new Set<T>()
  for (const type of types) {
    for (const part of neededTypes(type.fields, types)) ordered.add(part)
    ordered.add(type)
  }
  return [...ordered]
}

function portableFields(fields: Field[]): PortableField[] {
  const whole = fields.map(portableField)
  const text = JSON.stringify(whole)
  return whole.map((field, index) => {
    const { _id = '' } = fields[index] ?? {}
    return text.includes(JSON.stringify(_id)) ? { _id, ...field } : field
  })
}

/** Omits unset settings, so that equal fields are equal in portable form. */
function portableField(field: Field): PortableField {
  const { _id, uid, name, type, ...settings } = field
  const set = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined)
  return { uid, name, type, ...Object.fromEntries(set) }
}

/** Returns whether two lists of fields are equal except for their `_id`s. */
export function sameFields(fields: Field[], others: Field[]): boolean {
  return isSameValue(comparableFields(fields), comparableFields(others))
}

/** Returns fields that refer to each other by uid instead of `_id`, so that fields of two apps can be compared. */
export const comparableFields = (fields: Field[]): PortableField[] =>
  renamed(fields.map(portableField), new Map(fields.map(({ _id, uid }) => [_id, uid])))

/** Returns a copy of the JSON with strings replaced: the `_id`s by which settings refer to fields. */
export function renamed<T>(json: T, names: ReadonlyMap<string, string>): T {
  if (names.size === 0) return json
  return JSON.parse(JSON.stringify(json), (_key, value) =>
    typeof value === 'string' ? (names.get(value) ?? value) : value,
  )
}

/** Returns the custom types that these fields use at any depth, in dependency order. */
export function neededTypes<T extends Pick<CustomType, 'uid' | 'fields'>>(
  fields: Field[],
  types: readonly T[],
): T[] {
  const found = new Set<T>()
  const onTheWay = new Set<T>()
  const add = (inside: Field[]): void => {
    for (const { uid } of customTypesIn(inside)) {
      const type = types.find((candidate) => candidate.uid === uid)
      if (!type || found.has(type) || onTheWay.has(type)) continue
      onTheWay.add(type)
      add(type.fields)
      found.add(type)
    }
  }
  add(fields)
  return [...found]
}

/** A reference that cannot be kept, because the app has no such model. */
export interface Uncarried {
  /** Path of the reference, such as `author` or `sections.REFERENCE`. */
  path: string
  model: string
}

/**
 * Returns the field with its references mapped to other models by `target`. References without a target are left out: a
 * single model, a declared type, or the whole field (`null`).
 */
export function carryReference(
  field: Field,
  target: (modelUid: string) => string | undefined,
): { field: Field | null; leftOut: Uncarried[] } {
  const leftOut: Uncarried[] = []
  const carried = mapSomeTypes(field, (type, path) => {
    const { reference } = typeOf(type)
    if (!reference) return type
    const models = reference.targets(type)
    const to = models.flatMap((model) => target(model) ?? [])
    for (const model of models)
      if (target(model) === undefined)
        leftOut.push({ path: path === '' ? field.uid : `${field.uid}.${type.type}`, model })
    return to.length > 0 ? { ...type, ...reference.pointTo([...new Set(to)]) } : null
  })
  return { field: carried, leftOut }
}
