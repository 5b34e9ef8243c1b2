import { AppError } from '#shared/errors.ts'
import type { Comparison } from '#shared/fields/field-type.ts'
import { isMultiple, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { innerPlaces } from '#shared/fields/walk.ts'
import { isFieldConverting } from '../conversion.ts'
import type { Format } from '../fields/field-type.ts'
import { serverTypeOf } from '../fields/index.ts'
import { type ContentModel, comparisonOf, targetsOf } from '../model.ts'
import { hasTexts } from '../text.ts'
import { badQuery } from './bad-query.ts'
import {
  type FieldPlace,
  isInner,
  isOnly,
  type Leaf,
  type Step,
  type SystemName,
  systemNames,
} from './tree.ts'

/** Names under `_sys` that only lists of the management API accept. */
const managedNames = new Set<SystemName>(['_sys.status', '_sys.createdBy', '_sys.updatedBy'])

/**
 * Maximum number of fields visited while resolving one path: references may form cycles through values of many types.
 */
const maximumVisited = 1000

export interface Path {
  via: Step[]
  leaf: Leaf
}

/**
 * Resolves a dotted path from a model, into values and through references. The result has several targets if a value
 * may be of several types with this field, or if a reference allows several models. All these models must have the
 * field. With `ofAny`, one of them is enough.
 *
 * Throws a 400 with the parameter's name for unknown names and for more than `maximumSteps` references. With `managed`,
 * the names that only members may see exist on the queried model, but not on models to which it refers.
 */
export function resolvePaths(
  path: string,
  model: ContentModel,
  {
    parameter,
    maximumSteps,
    managed,
    ofAny,
  }: { parameter: string; maximumSteps: number; managed?: boolean; ofAny?: boolean },
): Path[] {
  let reason: string | undefined
  let visited = 0
  const nothing = (why: string): Path[] => {
    reason ??= why
    return []
  }

  function fromModel(owner: ContentModel, via: Step[], names: string[]): Path[] {
    const rest = names.join('.')
    if (rest === '_id' || rest.startsWith('_sys')) {
      const name = systemNames.find((candidate) => candidate === rest)
      const allowed = name && (!managedNames.has(name) || (managed === true && via.length === 0))
      return allowed ? [{ via, leaf: { kind: 'system', name } }] : nothing('there is no such system field')
    }
    const [uid = '', ...others] = names
    const field = owner.fieldsByUid.get(uid)
    if (!field) return nothing(`the model “${owner.uid}” has no such field`)
    return fromField({ field }, owner, via, others)
  }

  function fromField(place: FieldPlace, owner: ContentModel, via: Step[], names: string[]): Path[] {
    if (++visited > maximumVisited) throw badQuery(parameter, 'may lead to too many fields')
    const [name, ...others] = names
    if (name === undefined) return [{ via, leaf: { kind: 'field', ...place } }]
    const { field, inside = [] } = place
    const inner = innerPlaces(field, name)
    if (inner.length > 0)
      return inner.flatMap(({ frame, key, field: found }) =>
        fromField({ field: found, inside: [...inside, { field, frame, key }] }, owner, via, others),
      )
    if (!targetUidsOf(field))
      return nothing(
        typeOf(field).nesting
          ? `values of “${field.uid}” have no “${name}”`
          : `“${field.uid}” is no reference`,
      )
    const targets = targetsOf(owner, field) ?? []
    if (targets.length === 0) return nothing(`the model that “${field.uid}” refers to does not exist`)
    if (via.length >= maximumSteps) return nothing(`goes through more than ${maximumSteps} references`)
    const ways = targets.map((target) => fromModel(target, [...via, { ...place, target }], names))
    return ofAny || ways.every((way) => way.length > 0) ? ways.flat() : []
  }

  const found = fromModel(model, [], path.split('.'))
  if (found.length === 0) throw badQuery(parameter, reason ?? 'is no field')
  return found
}

/**
 * Refuses comparisons with values that are being converted, because some are stored in the old shape and some in the
 * new one. Throws 409 `FieldIsBeingConverted`.
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

/** Returns how the values of a leaf are compared. */
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

/** Checks whether the leaf is a single ordered value, usable with `gt`, `gte`, `lt` and `lte`. */
export function isOrdered(leaf: Leaf): boolean {
  if (leaf.kind === 'system') return leaf.name === '_id' || ['date', 'number'].includes(leafComparison(leaf))
  const { field } = leaf
  if (isMultiple(field) || serverTypeOf(field).isUnordered) return false
  return !['id', 'boolean', 'none'].includes(comparisonOf(field))
}

/** Checks whether lists can be sorted by the leaf. */
export function isSortable(leaf: Leaf): boolean {
  if (leaf.kind === 'field' && leaf.inside?.some((item) => !isOnly(item))) return false
  if (leaf.kind === 'system') return leaf.name !== '_sys.createdBy' && leaf.name !== '_sys.updatedBy'
  return isOrdered(leaf) || (comparisonOf(leaf.field) === 'boolean' && !isMultiple(leaf.field))
}

/** Checks whether a path can lead to several values. */
export function hasSeveral({ via, leaf }: Path): boolean {
  return [...via, ...(leaf.kind === 'field' ? [leaf] : [])].some(
    ({ field, inside = [] }) => isMultiple(field) || inside.some((item) => isMultiple(item.field)),
  )
}

/**
 * Checks whether the leaf can be searched for text. A field with inner values is searchable as a whole only at the top
 * level of a model.
 */
export const isSearchable = (leaf: Leaf) =>
  leaf.kind === 'field' && (isInner(leaf) ? typeOf(leaf.field).searchable : hasTexts(leaf.field))
/** Returns the alternative forms that sites may request. */
export const formatsOf = (leaf: Leaf): readonly Format[] =>
  (leaf.kind === 'field' && serverTypeOf(leaf.field).formats) || []
