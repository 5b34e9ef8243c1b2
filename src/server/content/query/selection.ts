import type { Field } from '#shared/fields/index.ts'
import { refersToSeveral } from '#shared/fields/references.ts'
import { innerNamed } from '#shared/fields/walk.ts'
import { type ContentModel, targetsOf } from '../model.ts'
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

/**
 * Adds a dotted path (`title`, `_sys.createdAt`, `author.name`) to a selection. `_id` is always selected. Below a
 * reference that allows several models, `_sys.model` can be selected too, and at least one of the models must have the
 * selected field.
 */
export function addSelection(
  selection: Selection,
  path: string,
  model: ContentModel,
  parameter: string,
  levels: number,
  isOneOfSeveral = false,
): void {
  if (path === '_id') return
  if (path === '_sys' || path.startsWith('_sys.')) {
    const name = path.slice(5)
    const isKnown = sysNames.has(name) || (isOneOfSeveral && name === 'model')
    if (!isKnown || path === '_sys.') throw badQuery(parameter, 'there is no such system field')
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

/** Adds a selection below fields of one name: their inner values, or their referenced documents. */
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
  const targets = [...new Set(fields.flatMap((field) => targetsOf(model, field) ?? []))]
  if (inner.length > 0 && dot < 0) nested.fields.set(name, true)
  else if (inner.length > 0)
    addInside(nested, { uid: name, fields: inner }, path.slice(dot + 1), model, parameter, levels)
  else if (targets.length > 0 && levels > 0) {
    const isOneOfSeveral = fields.some((field) => refersToSeveral(field))
    addToAny(targets, (target) => addSelection(nested, path, target, parameter, levels - 1, isOneOfSeveral))
  } else throw badQuery(parameter, `“${uid}” is no reference to follow, and has no inner field of that name`)
  if (known !== true) selection.fields.set(uid, nested)
}

/** Applies `add` to each model. If all calls throw, rethrows the first error. */
function addToAny(targets: ContentModel[], add: (target: ContentModel) => void): void {
  let refusal: unknown
  let isAdded = false
  for (const target of targets)
    try {
      add(target)
      isAdded = true
    } catch (error) {
      refusal ??= error
    }
  if (!isAdded) throw refusal
}
