import type { Model } from '#shared/contract/models.ts'
import {
  type CustomType,
  definitionsIn,
  namesCustomTypes,
  resolveField,
} from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'

/** A snapshot of a form's fields and of the custom types that they use, as plain data. */
export interface FormFields {
  fields: Field[]
  types: CustomType[]
}

/** Returns the fields of a model with their custom types. null: a custom type in use is unknown. */
export function formFields(
  { fields }: Pick<Model, 'fields'>,
  types: readonly CustomType[],
): FormFields | null {
  if (!namesCustomTypes(fields)) return { fields, types: [] }
  const resolved = fields.flatMap((field) => resolveField(field, types) ?? [])
  return resolved.length < fields.length ? null : { fields, types: definitionsIn(resolved) }
}

/** Returns the fields with these uids, and the custom types that they use. */
export function fieldsOf(form: FormFields, uids: readonly string[]): FormFields {
  const fields = form.fields.filter(({ uid }) => uids.includes(uid))
  return formFields({ fields }, form.types) ?? { fields, types: form.types }
}

/** Returns the fields with their custom types resolved. Fields with unknown custom types are omitted. */
export const resolvedFields = ({ fields, types }: FormFields): Field[] =>
  fields.flatMap((field) => resolveField(field, types) ?? [])

/** Returns whether both forms are identical. */
export const isSameForm = (left: FormFields, right: FormFields): boolean =>
  JSON.stringify(left) === JSON.stringify(right)
