import { type Field, type FieldTypeName, typeOf } from './index.ts'

type Typed = { type: FieldTypeName }

/** Returns the uids of the models that a field refers to. `undefined` for other field types. */
export function targetUidsOf(field: Typed): string[] | undefined {
  return typeOf(field).reference?.targets(field)
}

/** Returns whether the field may refer to documents of more than one model. */
export const refersToSeveral = (field: Typed): boolean => (targetUidsOf(field)?.length ?? 0) > 1

/** Returns the field with every reference to the model `from` changed to `to`. */
export function repoint<F extends Typed>(field: F, from: string, to: string): F {
  return mapTypes(field, (type) => {
    const { reference } = typeOf(type)
    const targets = reference?.targets(type)
    return reference && targets?.includes(from)
      ? { ...type, ...reference.pointTo(targets.map((uid) => (uid === from ? to : uid))) }
      : type
  })
}

/** Returns the field with every use of the custom type `from` changed to `to`. */
export function repointCustomType<F extends Typed>(field: F, from: string, to: string): F {
  return mapTypes(field, (type) => {
    const { customType } = typeOf(type)
    return customType?.uid(type) === from ? { ...type, ...customType.pointTo(to) } : type
  })
}

/** Returns whether one of the fields, or a type that it declares, refers to the model with this uid. */
export function refersTo({ fields }: { fields: Field[] }, uid: string): boolean {
  return typesIn(fields).some(({ type }) => targetUidsOf(type)?.includes(uid))
}

/** Returns the uids of the models that these fields refer to, without references inside custom types. */
export function targetUids(fields: Field[]): string[] {
  return [...new Set(typesIn(fields).flatMap(({ type }) => targetUidsOf(type) ?? []))]
}

/** Returns the custom types that these fields refer to, with the path of each setting (`2.customType`). */
export function customTypesIn(fields: Field[]): { uid: string; path: string }[] {
  return typesIn(fields).flatMap(({ type, path }) => {
    const uid = typeOf(type).customType?.uid(type)
    return uid === undefined ? [] : [{ uid, path: `${path}.customType` }]
  })
}

/** Returns the field with its own type and the types that its settings declare replaced by `map`. */
export function mapTypes<F extends Typed>(
  field: F,
  map: <T extends Typed>(type: T, path: string) => T,
  path = '',
): F {
  return mapSomeTypes(field, map, path) as F
}

/**
 * Works like {@link mapTypes}, but removes types for which `map` returns `null`. Returns `null` if the field's own type
 * is removed.
 */
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

/** Returns the types of these fields and the types they declare, with paths relative to the list of fields. */
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
