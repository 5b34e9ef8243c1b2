import { type Field, type FieldTypeName, typeOf } from './index.ts'

type Typed = { type: FieldTypeName }

/** uids of the models whose documents a field refers to; undefined for a field of values of its own. */
export function targetUidsOf(field: Typed): string[] | undefined {
  return typeOf(field).reference?.targets(field)
}

/** May its values be documents of more than one model? */
export const refersToSeveral = (field: Typed): boolean => (targetUidsOf(field)?.length ?? 0) > 1

/** The field, pointing to the model `to` wherever it pointed to `from`. */
export function repoint<F extends Typed>(field: F, from: string, to: string): F {
  return mapTypes(field, (type) => {
    const { reference } = typeOf(type)
    const targets = reference?.targets(type)
    return reference && targets?.includes(from)
      ? { ...type, ...reference.pointTo(targets.map((uid) => (uid === from ? to : uid))) }
      : type
  })
}

/** The field, naming the custom type `to` wherever it named `from`. */
export function repointCustomType<F extends Typed>(field: F, from: string, to: string): F {
  return mapTypes(field, (type) => {
    const { customType } = typeOf(type)
    return customType?.uid(type) === from ? { ...type, ...customType.pointTo(to) } : type
  })
}

/** Does one of these fields, or a type that one of them declares, refer to documents of the model of that uid? */
export function refersTo({ fields }: { fields: Field[] }, uid: string): boolean {
  return typesIn(fields).some(({ type }) => targetUidsOf(type)?.includes(uid))
}

/** The uids of all models that these fields refer to, custom types aside. */
export function targetUids(fields: Field[]): string[] {
  return [...new Set(typesIn(fields).flatMap(({ type }) => targetUidsOf(type) ?? []))]
}

/** The custom types that these fields name, with the path of each name (`2.customType`). */
export function customTypesIn(fields: Field[]): { uid: string; path: string }[] {
  return typesIn(fields).flatMap(({ type, path }) => {
    const uid = typeOf(type).customType?.uid(type)
    return uid === undefined ? [] : [{ uid, path: `${path}.customType` }]
  })
}

/** The field with another type in place of its own, and of those that its settings declare. */
export function mapTypes<F extends Typed>(
  field: F,
  map: <T extends Typed>(type: T, path: string) => T,
  path = '',
): F {
  return mapSomeTypes(field, map, path) as F
}

/** {@link mapTypes} without the types that `map` makes null of; null when that is the field's own. */
export function mapSomeTypes<F extends Typed>(
  field: F,
  map: <T extends Typed>(type: T, path: string) => T | null,
  path = '',
): F | null {
  const mapped = map(field, path)
  const mapDeclared = mapped && typeOf(mapped).nesting?.mapDeclared
  return mapDeclared
    ? (mapDeclared(mapped, (type, at) => map(type as typeof type & Typed, path ? `${path}.${at}` : at)) as F)
    : mapped
}

/** The types of these fields and those that they declare, with paths from the list of fields on. */
export function typesIn(fields: Field[]): { type: Typed; path: string }[] {
  const found: { type: Typed; path: string }[] = []
  for (const [index, field] of fields.entries())
    mapTypes(
      field,
      (type, path) => {
        found.push({ type, path })
        return type
      },
      String(index),
    )
  return found
}
