import { AppError, type Issue, invalid } from '../errors.ts'
import { newId } from '../identifiers.ts'
import { zodIssues } from '../zod-issues.ts'
import { type CustomType, nestingIssues } from './custom-types.ts'
import type { SettingsEnvironment } from './field-type.ts'
import { type Field, fieldSchema, fieldTypeNames, typeOf } from './index.ts'
import { conditionIssues, fieldIssues } from './settings.ts'
import { joinPath } from './walk.ts'

/** A field in a request body, including the properties that the contract does not check. */
export type FieldBody = Record<string, unknown> & { _id?: string | undefined; uid: string; type: string }

export interface FieldSurroundings extends Pick<SettingsEnvironment, 'compiles' | 'carried'> {
  /** Existing fields of the model: only their `_id`s may occur in a body. */
  existing: Field[]
  /** uids of the app's models, including this one, that references may point to. */
  modelUids: Pick<ReadonlySet<string>, 'has'>
  customTypes: readonly Pick<CustomType, 'uid' | 'fields'>[]
  /** uid of the custom type that has the fields. `undefined` for a model. */
  owner?: string | undefined
}

/**
 * Reads the fields of a model or custom type from a body. Creates `_id`s for new fields and reads the settings by type.
 * Throws a 400 with all issues of the single fields (`data.fields.2.uid`), or otherwise with all issues of conditions
 * and nesting.
 */
export function readFields(bodies: FieldBody[], around: FieldSurroundings): Field[] {
  const { existing, customTypes, owner, modelUids, compiles, carried } = around
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
    const field = parseField({ ...body, _id })
    if (Array.isArray(field)) {
      at(field)
      return
    }
    fields.push(field)
    at(
      fieldIssues(field, {
        compiles,
        ...(carried === undefined ? {} : { carried }),
        uid: known.get(_id),
        hasModel: (target) => modelUids.has(target),
        hasCustomType: (name) => name === owner || customTypes.some((type) => type.uid === name),
      }),
    )
  })
  if (issues.length === 0)
    for (const issue of [...conditionIssues(fields), ...nestingIssues(fields, customTypes, owner)])
      issues.push({ ...issue, path: joinPath('data.fields', issue.path) })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return fields
}

/**
 * Parses one field with the schema of its type, or returns the issues of its shape. `fieldIssues` checks its settings.
 */
export function parseField(body: FieldBody): Field | Issue[] {
  if (!(fieldTypeNames as string[]).includes(body.type))
    return [{ path: 'type', code: 'NonExistentFieldType' }]
  const result = fieldSchema.safeParse(body, { reportInput: true })
  return result.success ? result.data : zodIssues(result.error.issues)
}

/**
 * Returns the `_id` of the title field. If `uid` is `undefined`: `current` if it is `null` or can be the title,
 * otherwise the first field that can. If `uid` is `null`: `null`, a model without a title. Throws a 400 if `uid` names
 * no such field.
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
