import { checkWithPatterns } from '#server/content/text-work.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import type { Issue } from '#shared/errors.ts'
import { checkTitle, checkValues, type StoredValues } from '#shared/fields/document.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import { targetUid } from '#shared/fields/references.ts'
import { itemsOf, targetIn } from './documents.derived.ts'
import { findTaken, lockReferred } from './documents.repository.ts'

/** Models of the app by uid: where references point to. */
export type Targets = Map<string, number>

const joined = (field: Field, index: number | null) =>
  index === null || !isMultiple(field) ? field.uid : `${field.uid}.${index}`

/** The documents that exist outside the trash, of those that the values refer to; held there. Keys: `{model} {id}`. */
export async function findReferred(
  db: Db,
  scope: ModelScope,
  fields: Field[],
  targets: Targets,
  values: StoredValues,
): Promise<Set<string>> {
  const wanted = new Map<number, Set<string>>()
  for (const field of fields) {
    const modelId = targetIn(targets, field)
    if (modelId === undefined) continue
    const ids = wanted.get(modelId) ?? new Set()
    for (const id of itemsOf(values[field._id])) ids.add(String(id))
    if (ids.size > 0) wanted.set(modelId, ids)
  }
  const live = new Set<string>()
  for (const [modelId, ids] of [...wanted].sort(([a], [b]) => a - b))
    for (const id of await lockReferred(db, scope, modelId, [...ids])) live.add(`${modelId} ${id}`)
  return live
}

/**
 * References to documents that are not there. Those that `known` states hold already may stay: their targets were
 * deleted later, and may come back.
 */
export function unknownReferences(
  fields: Field[],
  targets: Targets,
  values: StoredValues,
  live: Set<string>,
  known: (StoredValues | null)[],
): Issue[] {
  return fields.flatMap((field) => {
    if (targetUid(field) === undefined) return []
    const modelId = targetIn(targets, field)
    const stored = new Set(known.flatMap((state) => itemsOf(state?.[field._id])))
    return itemsOf(values[field._id]).flatMap((id, index): Issue[] =>
      stored.has(id) || live.has(`${modelId} ${id}`)
        ? []
        : [{ path: joined(field, index), code: 'InvalidValue' }],
    )
  })
}

/** Everything that blocks publishing these values, but for uniqueness and references to nothing. */
export async function publishIssues(
  model: Pick<ModelRecord, 'fields' | 'titleField'>,
  targets: Targets,
  values: StoredValues,
  live: Set<string>,
): Promise<Issue[]> {
  const issues = await checkWithPatterns((environment) => checkValues(model, values, environment))
  const named = new Set(issues.map((issue) => issue.path))
  issues.push(...checkTitle(model, values).filter((issue) => !named.has(issue.path)))
  // A required reference that resolves to nothing is as good as none (decisions §4).
  for (const field of model.fields) {
    if (targetUid(field) === undefined || !field.required) continue
    const modelId = targetIn(targets, field)
    const ids = itemsOf(values[field._id])
    const resolves = ids.some((id) => live.has(`${modelId} ${id}`))
    if (ids.length > 0 && !resolves) issues.push({ path: field.uid, code: 'Required' })
  }
  return issues
}

/** Issues `DuplicatedValue` for values of unique fields that other documents have too. */
export interface Duplicates {
  /** Another document is published with the value: this one cannot be. */
  published: Issue[]
  /** Only drafts have it: whichever is published first keeps it. */
  drafts: Issue[]
}

/** Looks for values of unique fields in other documents. A look, not a promise: publishing reserves. */
export async function findDuplicates(
  db: Db,
  scope: ModelScope,
  fields: Field[],
  values: StoredValues,
  documentId: string | null,
): Promise<Duplicates> {
  const found = fields.filter(isUnique).flatMap((field) =>
    itemsOf(values[field._id]).map((item, index) => ({
      fieldId: field._id,
      hash: hashUniqueValue(item),
      path: joined(field, index),
    })),
  )
  const taken = await findTaken(db, scope, documentId, found)
  const issuesOf = (stage: 0 | 1): Issue[] =>
    found
      .filter(({ fieldId, hash }) => taken.get(`${fieldId} ${hash.toString('hex')}`) === stage)
      .map(({ path }) => ({ path, code: 'DuplicatedValue' }))
  return { published: issuesOf(1), drafts: issuesOf(0) }
}
