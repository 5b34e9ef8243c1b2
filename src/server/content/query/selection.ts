import type { Field } from '#shared/fields/index.ts'
import { innerNamed } from '#shared/fields/walk.ts'
import { type ContentModel, targetOf } from '../model.ts'
import { badQuery } from './bad-query.ts'
import type { Selection } from './tree.ts'

const sysNames = new Set([
  '',
  'createdAt',
  'updatedAt',
  'customOrder',
  'raw',
  'raw.createdAt',
  'raw.updatedAt',
  'raw.firstPublishedAt',
  'raw.publishedAt',
])

export const emptySelection = (): Selection => ({ fields: new Map(), sys: new Set() })

/** Adds a dotted path (`title`, `_sys.createdAt`, `author.name`) to a selection. `_id` is always selected. */
export function addSelection(
  selection: Selection,
  path: string,
  model: ContentModel,
  parameter: string,
  levels: number,
): void {
  if (path === '_id') return
  if (path === '_sys' || path.startsWith('_sys.')) {
    const name = path.slice(5)
    if (!sysNames.has(name) || path === '_sys.') throw badQuery(parameter, 'there is no such system field')
    selection.sys.add(name)
    return
  }
  const dot = path.indexOf('.')
  const uid = dot < 0 ? path : path.slice(0, dot)
  const field = model.fieldsByUid.get(uid)
  if (!field) throw badQuery(parameter, `the model “${model.uid}” has no such field`)
  if (dot < 0) {
    selection.fields.set(uid, true)
    return
  }
  addInside(selection, { uid, fields: [field] }, path.slice(dot + 1), model, parameter, levels)
}

/** Adds what is selected behind the fields that stand in one place: inner values, or documents referred to. */
function addInside(
  selection: Selection,
  { uid, fields }: { uid: string; fields: Field[] },
  path: string,
  model: ContentModel,
  parameter: string,
  levels: number,
): void {
  const known = selection.fields.get(uid)
  const nested = known && known !== true ? known : emptySelection()
  const dot = path.indexOf('.')
  const name = dot < 0 ? path : path.slice(0, dot)
  const inner = fields.flatMap((field) => innerNamed(field, name))
  const [target] = fields.flatMap((field) => targetOf(model, field) ?? [])
  if (inner.length > 0 && dot < 0) nested.fields.set(name, true)
  else if (inner.length > 0)
    addInside(nested, { uid: name, fields: inner }, path.slice(dot + 1), model, parameter, levels)
  else if (target && levels > 0) addSelection(nested, path, target, parameter, levels - 1)
  else throw badQuery(parameter, `“${uid}” is no reference to follow, and has no inner field of that name`)
  if (known !== true) selection.fields.set(uid, nested)
}
