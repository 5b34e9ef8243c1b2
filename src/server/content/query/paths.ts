import { AppError } from '#shared/errors.ts'
import type { Comparison } from '#shared/fields/field-type.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import { targetUid } from '#shared/fields/references.ts'
import { innerNamed } from '#shared/fields/walk.ts'
import { isFieldConverting } from '../conversion.ts'
import type { Format } from '../fields/field-type.ts'
import { serverTypeOf } from '../fields/index.ts'
import { type ContentModel, comparisonOf, targetOf } from '../model.ts'
import { hasTexts } from '../text.ts'
import { badQuery } from './bad-query.ts'
import { type Leaf, type Step, type SystemName, systemNames } from './tree.ts'

/** Names under `_sys` that only the management API's lists know. */
const managedNames = new Set<SystemName>(['_sys.status', '_sys.createdBy', '_sys.updatedBy'])

export interface Path {
  via: Step[]
  leaf: Leaf
}

/**
 * Finds what a dotted path names, from a model on and through its reference fields. A name the model does not know is
 * a 400 that names the parameter. `managed` names belong to the queried model only, never to what it refers to.
 * With `inside` it may lead into values, to an inner field that fits.
 */
export function resolvePath(
  path: string,
  model: ContentModel,
  options: { parameter: string; maximumSteps: number; managed?: boolean; inside?: (leaf: Leaf) => boolean },
): Path {
  const { parameter, maximumSteps, managed, inside } = options
  const via: Step[] = []
  let current = model
  let rest = path
  for (;;) {
    if (rest === '_id' || rest.startsWith('_sys')) {
      const name = systemNames.find((candidate) => candidate === rest)
      const allowed = name && (!managedNames.has(name) || (managed === true && via.length === 0))
      if (!allowed) throw badQuery(parameter, 'there is no such system field')
      return { via, leaf: { kind: 'system', name } }
    }
    const dot = rest.indexOf('.')
    const uid = dot < 0 ? rest : rest.slice(0, dot)
    const field = current.fieldsByUid.get(uid)
    if (!field) throw badQuery(parameter, `the model “${current.uid}” has no such field`)
    if (dot < 0) return { via, leaf: { kind: 'field', field } }
    const inner = inside && innerLeaf(field, rest.slice(dot + 1), inside)
    if (inner) return { via, leaf: inner }
    if (targetUid(field) === undefined) throw badQuery(parameter, `“${uid}” is no reference`)
    const target = targetOf(current, field)
    if (!target) throw badQuery(parameter, `the model that “${uid}” refers to does not exist`)
    if (via.length >= maximumSteps)
      throw badQuery(parameter, `goes through more than ${maximumSteps} references`)
    via.push({ field, target })
    current = target
    rest = rest.slice(dot + 1)
  }
}

/**
 * Refuses what would compare values that are being converted: some are stored as they were, some as they are to be.
 * Throws 409 `FieldIsBeingConverted`.
 */
export function requireComparable({ via, leaf }: Path, model: ContentModel, parameter: string): void {
  let owner = model
  const fields = [...via.map(({ field }) => field), ...(leaf.kind === 'field' ? [leaf.field] : [])]
  for (const [index, field] of fields.entries()) {
    if (isFieldConverting(owner, field))
      throw new AppError('FieldIsBeingConverted', {
        message: `“${parameter}”: values of the field “${field.uid}” are being converted`,
        headers: { 'retry-after': '5' },
        details: { parameter, field: field.uid },
      })
    owner = via[index]?.target ?? owner
  }
}

/** The inner field at a path inside of a field's values that fits. */
function innerLeaf(field: Field, path: string, fits: (leaf: Leaf) => boolean): Leaf | undefined {
  const [name = '', ...rest] = path.split('.')
  for (const inner of innerNamed(field, name)) {
    const leaf: Leaf | undefined =
      rest.length > 0 ? innerLeaf(inner, rest.join('.'), fits) : { kind: 'field', field: inner }
    if (leaf && fits(leaf)) return leaf
  }
  return undefined
}

/** What the values of a leaf are compared by. */
export function leafComparison(leaf: Leaf): Comparison {
  if (leaf.kind === 'field') return comparisonOf(leaf.field)
  switch (leaf.name) {
    case '_id':
    case '_sys.createdBy':
    case '_sys.updatedBy':
      return 'id'
    case '_sys.customOrder':
      return 'number'
    case '_sys.status':
      return 'text'
    default:
      return 'date'
  }
}

/** Is there one value with a place in an order: for `gt`, `gte`, `lt`, `lte`? */
export function isOrdered(leaf: Leaf): boolean {
  if (leaf.kind === 'system') return leaf.name === '_id' || ['date', 'number'].includes(leafComparison(leaf))
  const { field } = leaf
  if (isMultiple(field) || serverTypeOf(field).isUnordered) return false
  return !['id', 'boolean', 'none'].includes(comparisonOf(field))
}

/** May a list be sorted by it? */
export function isSortable(leaf: Leaf): boolean {
  if (leaf.kind === 'system') return leaf.name !== '_sys.createdBy' && leaf.name !== '_sys.updatedBy'
  return isOrdered(leaf) || (comparisonOf(leaf.field) === 'boolean' && !isMultiple(leaf.field))
}

/** Can a path lead to several values? */
export function hasSeveral({ via, leaf }: Path): boolean {
  return via.some(({ field }) => isMultiple(field)) || (leaf.kind === 'field' && isMultiple(leaf.field))
}

export const isSearchable = (leaf: Leaf) => leaf.kind === 'field' && hasTexts(leaf.field)
/** The other forms that sites may ask for. */
export const formatsOf = (leaf: Leaf): readonly Format[] =>
  (leaf.kind === 'field' && serverTypeOf(leaf.field).formats) || []
