import type { DayOfValue } from '#admin/fields/field-props.ts'
import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Field } from '#shared/fields/index.ts'
import { isSystemTime, type SystemTime, systemTimes } from '../list/list-query.ts'

/** What puts a document on a day: a field, or a time that every document has. */
export type DaySource =
  | { name: SystemTime; field?: undefined }
  | { name: string; field: Field; day: DayOfValue }

/** All days that documents of the model can stand on, the fields' first. */
export function daySources(model: Pick<Model, 'fields'>): DaySource[] {
  const fields = model.fields.flatMap((field): DaySource[] => {
    const day = isMultipleField(field) ? null : adminFieldType(field).day?.(field)
    return day ? [{ name: field.uid, field, day }] : []
  })
  return [...fields, ...systemTimes.map((name) => ({ name }))]
}

/** The value that stands for a document's day. */
export function valueIn(source: DaySource, document: Document): unknown {
  if (source.field) return document[source.field.uid]
  const name = source.name.slice('_sys.'.length) as 'updatedAt' | 'createdAt' | 'publishedAt'
  return isSystemTime(source.name) ? document._sys[name] : null
}

/** The fields of the model whose values can be pictures of a card. */
export const coverFields = (model: Pick<Model, 'fields'>): Field[] =>
  model.fields.filter((field) => adminFieldType(field).cover)
