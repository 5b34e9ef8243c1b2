import type { Model } from '#shared/contract/models.ts'
import {
  type CustomType,
  definitionsIn,
  namesCustomTypes,
  resolveField,
} from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'

/** A snapshot of a form's fields and the custom types that they name. Plain data. */
export interface FormFields {
  fields: Field[]
  types: CustomType[]
}

/** The fields of a model with their custom types; null while a named custom type is unknown. */
export function formFields(
  { fields }: Pick<Model, 'fields'>,
  types: readonly CustomType[],
): FormFields | null {
  if (!namesCustomTypes(fields)) return { fields, types: [] }
  const resolved = fields.flatMap((field) => resolveField(field, types) ?? [])
  return resolved.length < fields.length ? null : { fields, types: definitionsIn(resolved) }
}

/** The part of the form that these values need. */
export function fieldsOf(form: FormFields, uids: readonly string[]): FormFields {
  const fields = form.fields.filter(({ uid }) => uids.includes(uid))
  return formFields({ fields }, form.types) ?? { fields, types: form.types }
}

/** The fields with their custom types resolved. */
export const resolvedFields = ({ fields, types }: FormFields): Field[] =>
  fields.flatMap((field) => resolveField(field, types) ?? [])

/** Whether both forms are identical. */
export const isSameForm = (left: FormFields, right: FormFields): boolean =>
  JSON.stringify(left) === JSON.stringify(right)
