import type { DayOfValue } from '#admin/fields/field-props.ts'
import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import { isSystemTime, type SystemTime, systemTimes } from '../list/list-query.ts'

/** A field or timestamp that assigns a document to a day. */
export type DaySource =
  | { name: SystemTime; field?: undefined }
  | { name: string; field: Field; day: DayOfValue }

/** Returns all fields and timestamps that can assign documents to days, fields first. */
export function daySources(model: Pick<Model, 'fields'>): DaySource[] {
  const fields = model.fields.flatMap((field): DaySource[] => {
    const day = isMultipleField(field) ? null : adminFieldType(field).day?.(field)
    return day ? [{ name: field.uid, field, day }] : []
  })
  return [...fields, ...systemTimes.map((name) => ({ name }))]
}

/** Returns the field or timestamp that assigns documents to days: as in the settings, or the first available one. */
export function calendarDay(model: Pick<Model, 'fields'>, { date }: Pick<ViewSettings, 'date'>): DaySource {
  const sources = daySources(model)
  return sources.find(({ name }) => name === date) ?? (sources[0] as DaySource)
}

/** Returns the value that determines a document's day. */
export function valueIn(source: DaySource, document: Document): unknown {
  if (source.field) return document[source.field.uid]
  const name = source.name.slice('_sys.'.length) as 'updatedAt' | 'createdAt' | 'publishedAt'
  return isSystemTime(source.name) ? document._sys[name] : null
}

/** Returns the fields whose values can be a card's picture. */
export const coverFields = (model: Pick<Model, 'fields'>): Field[] =>
  model.fields.filter((field) => adminFieldType(field).cover)
