import type { ViewCondition, ViewGroup, ViewSettings } from '#shared/contract/views.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { systemColumns } from '#shared/views.ts'

/** Translates a path. Returns undefined if it is invalid. `at`: position of the path in the settings. */
type Rename = (path: string, at: string) => string | undefined

/** Returns the settings with every field path translated. Invalid paths are removed. */
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

/** Fields of a model with their custom types, and fields of the models that they reference. */
export interface PathFields {
  fields: Field[]
  ofModel(uid: string): Field[] | undefined
}

/** Translates a dotted path of uids (`seo.title`, `author.name`) to `_id`s. Returns undefined for an invalid path. */
export const toIds = (model: PathFields, path: string) => translate(model, path, 'uid', '_id')
/** Translates a path of `_id`s to the current uids. */
export const toUids = (model: PathFields, path: string) => translate(model, path, '_id', 'uid')

type Naming = 'uid' | '_id'

/**
 * Maximum number of fields visited for one path, because references can be circular, also through fields with several
 * types.
 */
const maximumVisited = 1000

function translate(model: PathFields, path: string, from: Naming, to: Naming): string | undefined {
  if ((systemColumns as readonly string[]).includes(path)) return path
  let visited = 0

  /** Several fields may match the first name, because a field may have several types. */
  function follow(fields: Field[], [name, ...rest]: string[]): string[] | undefined {
    for (const field of fields) {
      if (field[from] !== name || ++visited > maximumVisited) continue
      if (rest.length === 0) return [field[to]]
      const inner = (typeOf(field).nesting?.fields(field) ?? []) as Field[]
      const referred = targetUidsOf(field)?.flatMap((uid) => model.ofModel(uid) ?? [])
      const found = follow(referred ?? inner, rest)
      if (found) return [field[to], ...found]
    }
    return undefined
  }

  return follow(model.fields, path.split('.'))?.join('.')
}
