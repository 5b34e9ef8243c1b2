import type { ViewCondition, ViewGroup, ViewSettings } from '#shared/contract/views.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { systemColumns } from '#shared/views.ts'

/** Says one path in other names; undefined: it leads nowhere. `at` is where it stands in the settings. */
type Rename = (path: string, at: string) => string | undefined

/** Settings with every path of a field renamed. What leads nowhere is left out. */
export function renameFields(settings: ViewSettings, rename: Rename): ViewSettings {
  const { columns, filters, sort, cover, date, ...others } = settings
  const renamed: ViewSettings = others
  const condition = (one: ViewCondition, at: string): ViewCondition[] => {
    const field = rename(one.field, `${at}.field`)
    return field === undefined ? [] : [{ ...one, field }]
  }
  if (columns)
    renamed.columns = columns.flatMap((column, index) => {
      const id = rename(column.id, `columns.${index}.id`)
      return id === undefined ? [] : [{ ...column, id }]
    })
  if (filters)
    renamed.filters = filters.flatMap((filter, index): (ViewCondition | ViewGroup)[] => {
      if (!('group' in filter)) return condition(filter, `filters.${index}`)
      const group = filter.group.flatMap((one, inner) => condition(one, `filters.${index}.group.${inner}`))
      return group.length > 0 ? [{ group }] : []
    })
  const sorted = sort && rename(sort.replace(/^-/, ''), 'sort')
  if (sorted) renamed.sort = sort.startsWith('-') ? `-${sorted}` : sorted
  for (const [name, path] of Object.entries({ cover, date })) {
    const field = path && rename(path, name)
    if (field) renamed[name as 'cover' | 'date'] = field
  }
  return renamed
}

/** The `_id`s that a path of uids names (`seo.title`), dotted as it is. A model's fields, with their custom types. */
export const toIds = (fields: Field[], path: string) => translate(fields, path, 'uid', '_id')
/** The uids that a path of `_id`s names today. */
export const toUids = (fields: Field[], path: string) => translate(fields, path, '_id', 'uid')

type Naming = 'uid' | '_id'

function translate(fields: Field[], path: string, from: Naming, to: Naming): string | undefined {
  if ((systemColumns as readonly string[]).includes(path)) return path
  return follow(fields, path.split('.'), from, to)?.join('.')
}

/** Several fields may have the first name: values of several types may stand there. */
function follow(fields: Field[], [name, ...rest]: string[], from: Naming, to: Naming): string[] | undefined {
  for (const field of fields) {
    if (field[from] !== name) continue
    if (rest.length === 0) return [field[to]]
    const inner = (typeOf(field).nesting?.fields(field) ?? []) as Field[]
    const found = follow(inner, rest, from, to)
    if (found) return [field[to], ...found]
  }
  return undefined
}
