import { itemsOf, targetsIn } from '#server/content/derived.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import type { Db, ModelScope, SpaceScope } from '#server/db/scope.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import { isAccepted } from '#shared/accept.ts'
import type { Issue } from '#shared/errors.ts'
import { checkTitle, checkValues, type StoredValues } from '#shared/fields/document.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { joinPath, walk } from '#shared/fields/walk.ts'
import { findLiveAssets, findTaken, lockReferred, type ReferredAsset } from './referred.repository.ts'

/** Models of the app by uid: where references point to. */
export type Targets = Map<string, number>

/** The path of an item of the field at `path`. */
const pathOf = (path: string, field: Field, index: number) =>
  isMultiple(field) ? joinPath(path, String(index)) : path

/** The documents that exist outside the trash, of those that the values refer to; held there. Keys: `{model} {id}`. */
export async function findReferred(
  db: Db,
  scope: ModelScope,
  fields: Field[],
  targets: Targets,
  values: StoredValues,
): Promise<Set<string>> {
  const wanted = new Map<number, Set<string>>()
  walk({ fields }, values, ({ field, value }) => {
    if (value === undefined) return
    for (const modelId of targetsIn(targets, field)) {
      const ids = wanted.get(modelId) ?? new Set()
      for (const id of itemsOf(value)) ids.add(String(id))
      wanted.set(modelId, ids)
    }
  })
  const live = new Set<string>()
  for (const [modelId, ids] of [...wanted].sort(([a], [b]) => a - b))
    for (const id of await lockReferred(db, scope, modelId, [...ids])) live.add(`${modelId} ${id}`)
  return live
}

/** Is it one of the documents that exist ({@link findReferred}), in a model that the field refers to? */
const isLive = (live: Set<string>, targets: Targets, field: Field, id: unknown) =>
  targetsIn(targets, field).some((modelId) => live.has(`${modelId} ${id}`))

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
  const stored = new Set<string>()
  const keyOf = (field: Field, id: unknown) => `${field._id} ${id}`
  for (const state of known)
    walk({ fields }, state ?? {}, ({ field, value }) => {
      if (targetUidsOf(field)) for (const id of itemsOf(value)) stored.add(keyOf(field, id))
    })
  const issues: Issue[] = []
  walk({ fields }, values, ({ path, field, value }) => {
    if (!targetUidsOf(field)) return
    for (const [index, id] of itemsOf(value).entries())
      if (!stored.has(keyOf(field, id)) && !isLive(live, targets, field, id))
        issues.push({ path: pathOf(path, field, index), code: 'InvalidValue' })
  })
  return issues
}

/** The assets that are there, of those that values of asset fields are. */
export function findAssets(
  db: Db,
  scope: SpaceScope,
  fields: Field[],
  values: StoredValues,
): Promise<Map<string, ReferredAsset>> {
  const ids = new Set<string>()
  walk({ fields }, values, ({ field, value }) => {
    if (typeOf(field).asset) for (const id of itemsOf(value)) ids.add(String(id))
  })
  return findLiveAssets(db, scope, [...ids])
}

/**
 * Assets that are not there, and those that their field does not take. What `known` states hold already may stay when
 * values are saved; to `publish`, each that is there must fit, and in a required field one must be there.
 */
export function assetIssues(
  fields: Field[],
  values: StoredValues,
  assets: Map<string, ReferredAsset>,
  { known, publish }: { known: (StoredValues | null)[]; publish: boolean },
): Issue[] {
  const stored = new Set<string>()
  const keyOf = (field: Field, id: unknown) => `${field._id} ${id}`
  for (const state of known)
    walk({ fields }, state ?? {}, ({ field, value }) => {
      if (typeOf(field).asset) for (const id of itemsOf(value)) stored.add(keyOf(field, id))
    })
  const issues: Issue[] = []
  walk({ fields }, values, ({ path, field, value, shown }) => {
    const accept = typeOf(field).asset?.accept(field)
    if (accept === undefined) return
    const ids = itemsOf(value).map(String)
    for (const [index, id] of ids.entries()) {
      const asset = assets.get(id)
      const isNew = !stored.has(keyOf(field, id))
      if (!asset && isNew) issues.push({ path: pathOf(path, field, index), code: 'InvalidValue' })
      if (asset && (isNew || (publish && shown)) && !isAccepted(asset, accept))
        issues.push({ path: pathOf(path, field, index), code: 'InvalidType' })
    }
    if (publish && shown && field.required && ids.length > 0 && !ids.some((id) => assets.has(id)))
      issues.push({ path, code: 'Required' })
  })
  return issues
}

/** Everything that blocks publishing these values, but for uniqueness, and references and assets that are not there. */
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
  walk(model, values, ({ path, field, value, shown }) => {
    if (!targetUidsOf(field) || !field.required || !shown) return
    const ids = itemsOf(value)
    const resolves = ids.some((id) => isLive(live, targets, field, id))
    if (ids.length > 0 && !resolves) issues.push({ path, code: 'Required' })
  })
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
  const found: { fieldId: string; hash: Buffer; path: string }[] = []
  walk({ fields }, values, ({ path, field, value }) => {
    if (!isUnique(field)) return
    for (const [index, item] of itemsOf(value).entries())
      found.push({ fieldId: field._id, hash: hashUniqueValue(item), path: pathOf(path, field, index) })
  })
  const taken = await findTaken(db, scope, documentId, found)
  const issuesOf = (published: boolean): Issue[] =>
    found
      .filter(({ fieldId, hash }) => taken.get(`${fieldId} ${hash.toString('hex')}`) === published)
      .map(({ path }) => ({ path, code: 'DuplicatedValue' }))
  return { published: issuesOf(true), drafts: issuesOf(false) }
}
