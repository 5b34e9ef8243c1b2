import {
  type CustomTypeRecord,
  chooseTitleField,
  type FieldBody,
  type ModelRecord,
  readFields,
} from '#server/features/models/models.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import type { CustomType } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { renamed } from '#shared/fields/portable.ts'
import { itemKey, type Parts } from './template-updates.compare.ts'

/*
 * What models and custom types become when chosen parts of a version are taken into an app.
 */

/** The `_id`s of fields, by what they are of (`model article`) and their uids. */
export type FieldIds = Record<string, Record<string, string>>

export const fieldIdsOf = (kind: 'model' | 'customType', owners: readonly OwnFields[]): FieldIds =>
  Object.fromEntries(
    owners.map(({ uid, fields }) => [
      `${kind} ${uid}`,
      Object.fromEntries(fields.map((field) => [field.uid, field._id])),
    ]),
  )

interface OwnFields {
  uid: string
  fields: Field[]
}

type Values = { uid: string; name: string; description: string; fields: Field[] }
export type ModelParts = Values & { titleField: string | null }

/** What is to be written: those with `before` are changed, the others made. */
export interface Merged {
  customTypes: (Values & { _id: string; before?: CustomTypeRecord })[]
  models: (ModelParts & { before?: ModelRecord })[]
}

interface Merging {
  models: ModelRecord[]
  customTypes: CustomTypeRecord[]
  target: Parts
  chosen: ReadonlySet<string>
  /** What fields were called that come back. */
  ids: FieldIds
  /** Names the attempt: one that is repeated makes the same `_id`s. */
  seed: string
}

/** Throws 400 naming what cannot be without something that was not chosen: `models.article.fields.2.modelUid`. */
export function merge({ models, customTypes, target, chosen, ids, seed }: Merging): Merged {
  const state = [...models, ...customTypes].map(({ version }) => version).join()
  const idOf = (name: string) => sha256(`${seed} ${state} ${name}`).toString('hex').slice(0, 24)

  const isChosen = (kind: 'model' | 'customType', uid: string) =>
    chosen.has(itemKey({ kind, owner: null, uid, name: '' }))
  const added = target.models.filter(
    ({ uid }) => isChosen('model', uid) && !models.some((model) => model.uid === uid),
  )
  const modelUids = new Set([...models, ...added].map(({ uid }) => uid))
  const types: (CustomType & Partial<CustomTypeRecord>)[] = [...customTypes]
  const merged: Merged = { customTypes: [], models: [] }
  const issues: Issue[] = []

  const fieldsOf = (
    kind: 'model' | 'customType',
    part: OwnerPart,
    own: Field[] | undefined,
    owner?: string,
  ): Field[] => {
    const isTaken = (uid: string) =>
      own === undefined ||
      chosen.has(
        itemKey({
          kind: kind === 'model' ? 'field' : 'customTypeField',
          owner: { uid: part.uid, name: '' },
          uid,
          name: '',
        }),
      )
    const { bodies, existing } = bodiesOf(
      part,
      own ?? [],
      isTaken,
      (uid) => ids[`${kind} ${part.uid}`]?.[uid] ?? idOf(`${kind} ${part.uid} ${uid}`),
    )
    try {
      return readFields(bodies, { existing, modelUids, customTypes: types, owner })
    } catch (error) {
      if (!(error instanceof AppError) || !error.issues) throw error
      const at = `${kind === 'model' ? 'models' : 'customFieldTypes'}.${part.uid}`
      for (const issue of error.issues) issues.push({ ...issue, path: issue.path.replace(/^data/, at) })
      return own ?? []
    }
  }

  for (const part of target.customFieldTypes) {
    const before = customTypes.find(({ uid }) => uid === part.uid)
    if (!before && !isChosen('customType', part.uid)) continue
    const fields = fieldsOf('customType', part, before?.fields, part.uid)
    const { name, description } = before && !isChosen('customType', part.uid) ? before : part
    const _id = before?._id ?? idOf(`customType ${part.uid}`)
    const values = { _id, uid: part.uid, name, description, fields }
    merged.customTypes.push({ ...values, ...(before ? { before } : {}) })
    const place = types.findIndex(({ uid }) => uid === part.uid)
    types.splice(place < 0 ? types.length : place, place < 0 ? 0 : 1, { ...before, ...values })
  }
  for (const before of models) {
    const part = target.models.find(({ uid }) => uid === before.uid) ?? { ...before, fields: [] }
    const fields = fieldsOf('model', part, before.fields)
    const isTaken = isChosen('model', before.uid)
    const { name, description } = isTaken ? part : before
    const title = isTaken ? part.titleField : undefined
    const titleField = chooseTitleField(fields, canBeTitle(fields, title), before.titleField)
    merged.models.push({ uid: before.uid, name, description, fields, titleField, before })
  }
  for (const part of added) {
    const fields = fieldsOf('model', part, undefined)
    const titleField = chooseTitleField(fields, canBeTitle(fields, part.titleField), undefined)
    merged.models.push({ uid: part.uid, name: part.name, description: part.description, fields, titleField })
  }
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return merged
}

/** The title field of a version may not have been taken. */
const canBeTitle = (fields: Field[], uid: string | null | undefined) =>
  uid && !fields.some((field) => field.uid === uid) ? undefined : uid

type OwnerPart = Pick<Parts['models'][number], 'uid' | 'name' | 'description' | 'fields'>

/** The fields of an owner with what is taken, each new one behind the one that it stands behind in the version. */
function bodiesOf(
  { fields }: OwnerPart,
  own: Field[],
  isTaken: (uid: string) => boolean,
  idOf: (uid: string) => string,
): { bodies: FieldBody[]; existing: Field[] } {
  const kept = own.filter(({ uid }) => fields.some((field) => field.uid === uid) || !isTaken(uid))
  const ids = new Map(own.map(({ uid, _id }) => [uid, _id]))
  for (const { uid } of fields) if (!ids.has(uid)) ids.set(uid, idOf(uid))
  const called = new Map(
    fields.flatMap((field) => (typeof field._id === 'string' ? [[field._id, ids.get(field.uid) ?? '']] : [])),
  )
  const bodies = kept as FieldBody[]
  const result = [...bodies]
  fields.forEach((field, index) => {
    if (!isTaken(field.uid)) return
    const body = { ...renamed(field, called), _id: ids.get(field.uid) } as FieldBody
    const place = result.findIndex(({ uid }) => uid === field.uid)
    if (place >= 0) result[place] = body
    else {
      const before = new Set(fields.slice(0, index).map(({ uid }) => uid))
      result.splice(result.findLastIndex(({ uid }) => before.has(uid)) + 1, 0, body)
    }
  })
  const existing = [...ids].map(([uid, _id]) => own.find((field) => field.uid === uid) ?? { _id, uid })
  return { bodies: result, existing: existing as Field[] }
}
