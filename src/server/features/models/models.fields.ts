import { newId } from '#server/lib/ids.ts'
import { compiles } from '#server/lib/patterns.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import type { FieldChange } from '#shared/fields/convert.ts'
import { type CustomType, nestingIssues } from '#shared/fields/custom-types.ts'
import { type Field, fieldSchema, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { renamed } from '#shared/fields/portable.ts'
import { conditionIssues, fieldIssues } from '#shared/fields/settings.ts'
import { joinPath } from '#shared/fields/walk.ts'
import { zodIssues } from '#shared/zod-issues.ts'

/** A field as a body brings it, beyond the few things the contract has checked. */
export type FieldBody = Record<string, unknown> & { _id?: string | undefined; uid: string; type: string }

/** What a list of fields is read against. */
export interface FieldSurroundings {
  /** Fields the model has already: only their `_id`s may come in a body. */
  existing: Field[]
  /** uids of the models of the app, this one included, that a reference may point to. */
  modelUids: Pick<Set<string>, 'has'>
  /** The custom types of the app. */
  customTypes: readonly Pick<CustomType, 'uid' | 'fields'>[]
  /** The uid of the custom type that the fields are of; undefined for those of a model. */
  owner?: string | undefined
  /** Do they come from elsewhere with their uids? */
  carried?: boolean
}

/**
 * Reads the fields of a model or custom type from a body: `_id`s for new ones, settings by their types. Throws one 400 that names every
 * culprit (`data.fields.2.uid`).
 */
export function readFields(bodies: FieldBody[], around: FieldSurroundings): Field[] {
  const { existing, customTypes, owner } = around
  const known = new Map(existing.map((field) => [field._id, field.uid]))
  const uids = new Set<string>()
  const ids = new Set<string>()
  const issues: Issue[] = []
  const fields: Field[] = []
  bodies.forEach((body, index) => {
    const at = (found: Issue[]) => {
      for (const issue of found) issues.push({ ...issue, path: `data.fields.${index}.${issue.path}` })
    }
    const { _id = newId() } = body
    if (body._id !== undefined && !known.has(_id)) at([{ path: '_id', code: 'InvalidValue' }])
    if (ids.has(_id)) at([{ path: '_id', code: 'DuplicatedValue' }])
    if (uids.has(body.uid)) at([{ path: 'uid', code: 'DuplicatedValue' }])
    ids.add(_id)
    uids.add(body.uid)
    const field = readField({ ...body, _id }, known.get(_id), around)
    if (Array.isArray(field)) at(field)
    else fields.push(field)
  })
  if (issues.length === 0)
    for (const issue of [...conditionIssues(fields), ...nestingIssues(fields, customTypes, owner)])
      issues.push({ ...issue, path: joinPath('data.fields', issue.path) })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return fields
}

/** The same with new `_id`s for all of them, also where their settings name each other by the ones they came with. */
export function readCarriedFields(bodies: FieldBody[], around: Omit<FieldSurroundings, 'existing'>): Field[] {
  const own = bodies.map(({ _id, ...body }) => body as FieldBody)
  const fields = readFields(own, { ...around, existing: [], carried: true })
  const ids = bodies.flatMap(({ _id }, index): [string, string][] => {
    const field = fields[index]
    return _id !== undefined && field ? [[_id, field._id]] : []
  })
  return renamed(fields, new Map(ids))
}

/** One field, that had this uid before, or what is wrong with it. */
function readField(
  body: FieldBody,
  uid: string | undefined,
  { modelUids, customTypes, owner, carried = false }: FieldSurroundings,
): Field | Issue[] {
  if (!(fieldTypeNames as string[]).includes(body.type))
    return [{ path: 'type', code: 'NonExistentFieldType' }]
  const result = fieldSchema.safeParse(body, { reportInput: true })
  if (!result.success) return zodIssues(result.error.issues)
  const issues = fieldIssues(result.data, {
    compiles,
    uid,
    carried,
    hasModel: (target) => modelUids.has(target),
    hasCustomType: (name) => name === owner || customTypes.some((type) => type.uid === name),
  })
  return issues.length > 0 ? issues : result.data
}

/**
 * The `_id` of the title field. `uid` undefined: `current` while it can be one, else the first field that can;
 * null: a model without a title. Throws 400 for a uid that names no such field.
 */
export function chooseTitleField(
  fields: Field[],
  uid: string | null | undefined,
  current: string | null | undefined,
): string | null {
  if (uid === null) return null
  const candidates = fields.filter((field) => typeOf(field).canBeTitle)
  if (uid === undefined) {
    if (current === null) return null
    return (candidates.find((field) => field._id === current) ?? candidates[0])?._id ?? null
  }
  const chosen = candidates.find((field) => field.uid === uid)
  if (!chosen) throw invalid('data.titleField', 'InvalidValue')
  return chosen._id
}

/** The fields as they were before a change: by the names of today, those that are gone at their old places. */
export function fieldsBefore(
  fields: Field[],
  { changes, positions }: { changes: Pick<FieldChange, 'from'>[]; positions: string[] },
): FieldBody[] {
  const old = new Map(changes.map(({ from }) => [from._id, from]))
  const result = fields.map((field): Field => {
    const { uid, name } = field
    const was = old.get(field._id)
    return was ? { ...was, uid, name } : field
  })
  for (const [index, _id] of positions.entries()) {
    const was = old.get(_id)
    if (!was || result.some((field) => field._id === _id)) continue
    const left = positions.slice(0, index)
    const place = result.findLastIndex((field) => left.includes(field._id))
    result.splice(place + 1, 0, was)
  }
  return result as FieldBody[]
}
