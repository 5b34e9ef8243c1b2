import { useState } from 'react'
import { readStoredJson, writeStored } from '#admin/base/storage.ts'
import type { ListColumn } from '#admin/fields/field-props.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ModelPlace } from '../documents.queries.ts'

/** A column beside the title: a field's uid or a name below `_sys`. */
export interface Column extends ListColumn {
  id: string
  /** Undefined for what every document has. */
  field?: Field
}

export const systemColumns = [
  '_sys.status',
  '_sys.updatedAt',
  '_sys.updatedBy',
  '_sys.createdAt',
  '_sys.createdBy',
  '_sys.publishedAt',
] as const
export type SystemColumn = (typeof systemColumns)[number]

/** A system column's key among the texts, which know no dots. */
export function systemKey<C extends SystemColumn>(column: C) {
  return column.slice('_sys.'.length) as C extends `_sys.${infer Name}` ? Name : never
}

const usual: readonly string[] = ['_sys.status', '_sys.updatedAt', '_sys.updatedBy']

/** All columns that a list of the model can have, in their order. */
export function allColumns(model: Pick<Model, 'fields' | 'titleField'>): Column[] {
  const fields = model.fields
    .filter((field) => field._id !== model.titleField)
    .map((field): Column => ({ id: field.uid, field, ...widthOf(field) }))
  const system = systemColumns.map((id): Column => ({ id, width: systemWidth(id), grows: false }))
  return [...system.slice(0, 1), ...fields, ...system.slice(1)]
}

/** Wide enough for the longest status and for a date with its time, in every language. */
function systemWidth(id: SystemColumn): number {
  if (id === '_sys.status') return 210
  return id.endsWith('At') ? 200 : 160
}

function widthOf(field: Field): ListColumn {
  return adminFieldType(field).column?.(field) ?? { width: 160, grows: true }
}

/** The columns this browser shows for the model; what the model has lost is forgotten. */
export function useColumns(place: ModelPlace, model: Pick<Model, 'fields' | 'titleField'>) {
  const key = `imori-columns/${place.p}/${place.a}/${place.m}`
  const [chosen, setChosen] = useState<readonly string[]>(() => readColumns(key))
  const all = allColumns(model)
  return {
    all,
    shown: all.filter((column) => chosen.includes(column.id)),
    toggle: (id: string) => {
      const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]
      setChosen(next)
      writeStored(key, JSON.stringify(next))
    },
  }
}

function readColumns(key: string): readonly string[] {
  const value = readStoredJson(key)
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : usual
}
