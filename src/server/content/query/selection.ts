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
  const target = targetOf(model, field)
  if (!target || levels <= 0) throw badQuery(parameter, `“${uid}” is no reference to follow`)
  const known = selection.fields.get(uid)
  const nested = known && known !== true ? known : emptySelection()
  addSelection(nested, path.slice(dot + 1), target, parameter, levels - 1)
  if (known !== true) selection.fields.set(uid, nested)
}
