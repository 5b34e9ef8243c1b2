import { type Field, type FieldTypeName, typeOf } from './index.ts'

type Typed = { type: FieldTypeName }

/** uid of the model whose documents a field refers to; undefined for a field of values of its own. */
export function targetUid(field: Typed): string | undefined {
  return typeOf(field).reference?.target(field)
}

/** The field, pointing to the model `to` if it pointed to `from`. */
export function repoint<F extends Typed>(field: F, from: string, to: string): F {
  const { reference } = typeOf(field)
  return reference?.target(field) === from ? { ...field, ...reference.pointTo(to) } : field
}

/** Does a field of this model refer to documents of the model of that uid? */
export function refersTo(model: { fields: Field[] }, uid: string): boolean {
  return model.fields.some((field) => targetUid(field) === uid)
}
