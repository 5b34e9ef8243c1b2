import type { CustomType } from './custom-types.ts'
import { type Field, typeOf } from './index.ts'
import { customTypesIn, mapSomeTypes } from './references.ts'
import { isSameValue } from './same-value.ts'

/** A field; with its `_id` only where settings of another one name it by that. */
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

/** A model as it is carried to another app, or kept as a file: with the custom types that it is made of. */
export interface PortableModel {
  uid: string
  name: string
  description: string
  /** uid of the title field; null: none. */
  titleField: string | null
  fields: PortableField[]
  /** Each behind those that it is made of. */
  customFieldTypes: PortableCustomType[]
}

interface Whole {
  uid: string
  name: string
  description: string
  fields: Field[]
}

/** The model to be carried. `customTypes` are all of its app. */
export function portableModel(
  model: Whole & { titleField: string | null },
  customTypes: readonly (CustomType & Whole)[],
): PortableModel {
  const portable = ({ uid, name, description, fields }: Whole) => ({
    uid,
    name,
    description,
    fields: portableFields(fields),
  })
  const { fields, ...named } = portable(model)
  const titleField = model.fields.find(({ _id }) => _id === model.titleField)?.uid ?? null
  return {
    ...named,
    titleField,
    fields,
    customFieldTypes: neededTypes(model.fields, customTypes).map(portable),
  }
}

/**
 * All models of an app, to be carried with its custom types. `idOf` makes the `_id`s by which settings name other fields of
 * what it is given, so that an app and one that was made of it are the same to the last byte.
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

/** All of them, each behind those that it is made of. */
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

/** Settings that are not set are left out, so that equal fields are equal. */
function portableField(field: Field): PortableField {
  const { _id, uid, name, type, ...settings } = field
  const set = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined)
  return { uid, name, type, ...Object.fromEntries(set) }
}

/** Are two lists of fields the same to everybody, `_id`s aside? */
export function sameFields(fields: Field[], others: Field[]): boolean {
  return isSameValue(comparableFields(fields), comparableFields(others))
}

/** Fields that name each other by uid in place of `_id`, so that those of two apps can be compared. */
export const comparableFields = (fields: Field[]): PortableField[] =>
  renamed(fields.map(portableField), new Map(fields.map(({ _id, uid }) => [_id, uid])))

/** A copy of JSON with other names for some: `_id`s, wherever settings name fields by them. */
export function renamed<T>(json: T, names: ReadonlyMap<string, string>): T {
  if (names.size === 0) return json
  return JSON.parse(JSON.stringify(json), (_key, value) =>
    typeof value === 'string' ? (names.get(value) ?? value) : value,
  )
}

/** The custom types that values of these fields are made of, each behind those that it is made of itself. */
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

/** A field, a part of one or one model that it refers to, which cannot come along because the app has no such model. */
export interface LeftOut {
  /** `author`, `sections.REFERENCE`, `author.condition`. */
  path: string
  /** uid of the model that is not there. */
  model: string
}

/**
 * Fields with their references pointing to the models that `target` names for those that they point to now. What points
 * to none of these is left out, and so are conditions that ask for a field which is.
 */
export function carryReferences(
  fields: Field[],
  target: (modelUid: string) => string | undefined,
): { fields: Field[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = []
  const gone = new Map<string, string>()
  const kept = fields.flatMap((field): Field[] => {
    const carried = mapSomeTypes(field, (type, path) => {
      const { reference } = typeOf(type)
      if (!reference) return type
      const models = reference.targets(type)
      const to = models.flatMap((model) => target(model) ?? [])
      for (const model of models)
        if (target(model) === undefined)
          leftOut.push({ path: path === '' ? field.uid : `${field.uid}.${type.type}`, model })
      if (to.length > 0) return { ...type, ...reference.pointTo([...new Set(to)]) }
      if (path === '') gone.set(field.uid, models[0] ?? '')
      return null
    })
    return carried ? [carried] : []
  })
  for (const [index, { condition, ...field }] of kept.entries()) {
    const model = condition ? gone.get(condition.field) : undefined
    if (model === undefined) continue
    kept[index] = field as Field
    leftOut.push({ path: `${field.uid}.condition`, model })
  }
  return { fields: kept, leftOut }
}
