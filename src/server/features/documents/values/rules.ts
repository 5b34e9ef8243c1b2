import { itemsOf, targetsIn } from '#server/content/derived.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import type { Db, ModelScope, SpaceScope } from '#server/db/scope.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { isAccepted } from '#shared/accept.ts'
import { assetsNamedIn } from '#shared/asset-address.ts'
import type { Issue } from '#shared/errors.ts'
import { checkTitle, checkValues, type StoredValues } from '#shared/fields/document.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { joinPath, walk } from '#shared/fields/walk.ts'
import {
  findAssetNames,
  findLiveAssets,
  findTaken,
  lockReferred,
  type ReferredAsset,
} from '../store/referred.repository.ts'

/** Database ids of the app's models by uid, for checking the targets of references. */
export type Targets = Map<string, number>

/** The parts of a model that its values are checked against. */
type CheckedModel = Pick<ModelRecord, 'scope' | 'fields' | 'titleField'> & { targets: Targets }

export interface Check {
  values: StoredValues
  /** Issues found while reading the input. Fields with such issues are not checked further. */
  issues: Issue[]
  /** Stored states. References and assets in them may dangle. */
  known: (StoredValues | null)[]
  /** Whether the values are to be published. Drafts need only a title, and references and assets that exist. */
  publish: boolean
  /** `_id` of the document with these values; null: a new document. */
  documentId: string | null
  /**
   * Whether the values will be stored. Storing reserves unique values, so duplicates are searched only if there are
   * other issues.
   */
  store?: boolean
}

/**
 * Returns all issues of values to be saved or published. Locks the documents that they refer to. `drafts`: values of
 * unique fields that only drafts of other documents have; they do not block publishing.
 */
export async function findIssues(
  db: Db,
  model: CheckedModel,
  { values, issues: unread, known, publish, documentId, store = false }: Check,
): Promise<{ issues: Issue[]; drafts: Issue[] }> {
  const { scope, fields, targets } = model
  const live = await findReferred(db, scope, fields, targets, values)
  const assets = await findAssets(db, scope, fields, values)
  const unreadable = new Set(unread.map((issue) => issue.path.split('.')[0]))
  const found = [
    ...unknownReferences(fields, targets, values, live, known),
    ...assetIssues(fields, values, assets, { known, publish }),
    ...(publish ? await publishIssues(model, targets, values, live) : checkTitle(model, values)),
  ]
  const issues = [...unread, ...found.filter((issue) => !unreadable.has(issue.path.split('.')[0]))]
  if (!publish || (store && issues.length === 0)) return { issues, drafts: [] }
  const duplicates = await findDuplicates(db, scope, fields, values, documentId)
  return { issues: [...issues, ...duplicates.published], drafts: duplicates.drafts }
}

/** Returns the path of an item of the field at `path`. */
const pathOf = (path: string, field: Field, index: number) =>
  isMultiple(field) ? joinPath(path, String(index)) : path

/** Locks the existing documents outside the trash that the values refer to. Returns their keys: `<model> <id>`. */
async function findReferred(
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

/** Checks whether the id belongs to an existing document ({@link findReferred}) of a model that the field refers to. */
const isLive = (live: Set<string>, targets: Targets, field: Field, id: unknown) =>
  targetsIn(targets, field).some((modelId) => live.has(`${modelId} ${id}`))

/**
 * Returns issues for references to missing documents. References in `known` states are accepted, because a deleted
 * target may be restored.
 */
function unknownReferences(
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

/** Returns the existing assets among the values of asset fields. */
function findAssets(
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
 * Returns issues for missing assets, and for assets that their field does not accept. Assets in `known` states cause no
 * issue when saving. When publishing, a visible field must accept all of its existing assets, and a required field must
 * not contain only missing assets.
 */
function assetIssues(
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

/**
 * Returns the `MissingAsset` issues of each document: one for each use of an asset of this space that is in the trash
 * or deleted. Hidden fields are ignored. `name` is the file name: in texts, from the URL of the asset; in asset fields,
 * from the media library. Deleted assets in asset fields have no name.
 */
export async function missingAssets(
  db: Db,
  scope: SpaceScope,
  spaceUid: string,
  fields: Field[],
  documents: readonly StoredValues[],
): Promise<Issue[][]> {
  const pace = new Pace()
  const found: Issue[][] = []
  // One document at a time: each may refer to tens of thousands of assets.
  for (const values of documents) {
    const assets = assetsIn(fields, values, spaceUid)
    await pace.giveWay()
    const known = await findAssetNames(db, scope, [...new Set(assets.map(({ id }) => id))])
    const issues: Issue[] = []
    for (const { path, id, fileName } of assets) {
      if (known.get(id)?.isLive) continue
      const name = fileName || known.get(id)?.name
      issues.push({ path, code: 'MissingAsset', ...(name ? { params: { name } } : {}) })
    }
    found.push(issues)
    await pace.giveWay()
  }
  return found
}

/** Returns the assets that visible fields contain, as values or in texts. */
function assetsIn(fields: Field[], values: StoredValues, spaceUid: string) {
  const named: { path: string; id: string; fileName: string }[] = []
  walk({ fields }, values, ({ path, field, value, shown }) => {
    const { asset, assetIds } = typeOf(field)
    if (!assetIds || !shown) return
    for (const [index, item] of itemsOf(value).entries()) {
      const found = asset ? [{ id: String(item), fileName: '' }] : assetsNamedIn(String(item), spaceUid)
      for (const one of found) named.push({ path: pathOf(path, field, index), ...one })
    }
  })
  return named
}

/** Returns the issues of the fields' rules that block publishing, including required references that do not resolve. */
async function publishIssues(
  model: Pick<ModelRecord, 'fields' | 'titleField'>,
  targets: Targets,
  values: StoredValues,
  live: Set<string>,
): Promise<Issue[]> {
  const issues = await checkWithPatterns((environment) => checkValues(model, values, environment))
  const named = new Set(issues.map((issue) => issue.path))
  issues.push(...checkTitle(model, values).filter((issue) => !named.has(issue.path)))
  // A required reference that does not resolve counts as empty.
  walk(model, values, ({ path, field, value, shown }) => {
    if (!targetUidsOf(field) || !field.required || !shown) return
    const ids = itemsOf(value)
    const resolves = ids.some((id) => isLive(live, targets, field, id))
    if (ids.length > 0 && !resolves) issues.push({ path, code: 'Required' })
  })
  return issues
}

/** `DuplicatedValue` issues for values of unique fields that other documents have too. */
export interface Duplicates {
  /** Another published document has the value, so this one cannot be published. */
  published: Issue[]
  /** Only drafts have the value. The first one that is published reserves it. */
  drafts: Issue[]
}

/** Searches other documents for values of unique fields. The result is only informative: publishing reserves values. */
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
