import type { PortableApp } from '#archive/app-format.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { TemplateUpdateItem } from '#shared/contract/templates.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { comparableFields } from '#shared/fields/portable.ts'
import { isSameValue } from '#shared/fields/same-value.ts'

/*
 * An app, the version of its template that it follows, and another version: what that would change here. Parts are the same
 * when they are called the same; what was renamed is one that is gone and one that was added.
 */

/** What of an app follows a template. */
export type Parts = Pick<PortableApp, 'customFieldTypes' | 'models' | 'views'>

export interface Versions {
  /** What the app follows. */
  base: Parts
  /** What it is to follow. */
  target: Parts
  /** The app. */
  here: Parts
}

type Owner = Parts['customFieldTypes'][number] & { titleField?: string | null }
type Part = Record<string, unknown>
type Whole = Pick<TemplateUpdateItem, 'kind' | 'owner' | 'uid' | 'name'>

/** By which an item is chosen. */
export const itemKey = ({ kind, owner, uid, name }: Whole): string =>
  `${kind}:${owner ? `${owner.uid}.` : ''}${uid || name}`

/** The items of a newer version, those of custom types first: in the order in which they can be made. */
export function compareVersions({ base, target, here }: Versions): TemplateUpdateItem[] {
  return [
    ...compareOwners('customType', base.customFieldTypes, target.customFieldTypes, here.customFieldTypes),
    ...compareOwners('model', base.models, target.models, here.models),
    ...compareViews({ base, target, here }),
  ]
}

function compareOwners(
  kind: 'customType' | 'model',
  base: readonly Owner[],
  target: readonly Owner[],
  here: readonly Owner[],
): TemplateUpdateItem[] {
  return uidsOf(target, base).flatMap((uid) => {
    const [before, after, own] = [base, target, here].map((list) => list.find((one) => one.uid === uid))
    const name = (after ?? before)?.name ?? uid
    const whole = { kind, owner: null, uid, name }
    if (!before || !after || !own)
      return compared(whole, wholeOwner(before), wholeOwner(after), wholeOwner(own))
    const owner = { uid, name: own.name }
    const fieldKind = kind === 'model' ? 'field' : 'customTypeField'
    const [were, are, ours] = [before, after, own].map(({ fields }) => partsOf(fields))
    return [
      ...compared(whole, settingsOf(before), settingsOf(after), settingsOf(own)),
      ...uidsOf(after.fields, before.fields).flatMap((field) => {
        const called = [after, before].flatMap(({ fields }) => fields.find((one) => one.uid === field) ?? [])
        const named = { kind: fieldKind, owner, uid: field, name: called[0]?.name ?? field } as const
        return compared(named, were?.get(field), are?.get(field), ours?.get(field))
      }),
    ]
  })
}

function compareViews({ base, target, here }: Versions): TemplateUpdateItem[] {
  const keyOf = ({ modelUid, name }: Parts['views'][number]) => ({ uid: `${modelUid}\n${name}` })
  return uidsOf(target.views.map(keyOf), base.views.map(keyOf)).flatMap((uid) => {
    const [before, after, own] = [base, target, here].map(({ views }) => {
      const view = views.find((one) => keyOf(one).uid === uid)
      return view && { type: view.type, settings: view.settings }
    })
    const [modelUid = '', name = ''] = uid.split('\n')
    const model = [...here.models, ...target.models].find((one) => one.uid === modelUid)
    // The views of a model that is deleted here are nobody's.
    if (!model) return []
    const owner = { uid: modelUid, name: model.name }
    return compared({ kind: 'view', owner, uid: '', name }, before, after, own)
  })
}

/** What becomes of one part; nothing when all agree, or when it was deleted here. */
function compared(
  whole: Whole,
  before: Part | undefined,
  after: Part | undefined,
  own: Part | undefined,
): TemplateUpdateItem[] {
  if (isSameValue(before, after) || isSameValue(after, own) || (before && !own)) return []
  const change = !before ? 'added' : after ? 'changed' : 'gone'
  const here = isSameValue(before, own) ? 'same' : 'changed'
  const isOwner = whole.kind === 'model' || whole.kind === 'customType'
  const isTold = isOwner && (change === 'gone' || (change === 'added' && own !== undefined))
  const isTaken = change !== 'gone' && here === 'same'
  const isField = whole.kind === 'field' || whole.kind === 'customTypeField'
  return [
    {
      ...whole,
      key: itemKey(whole),
      change,
      here,
      types: isField && own && after ? { from: String(own.type), to: String(after.type) } : null,
      settings: own && after ? differing(own, after) : [],
      documents: 0,
      choice: isTold ? 'told' : isTaken ? 'take' : 'keep',
    },
  ]
}

const differing = (own: Part, after: Part): string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(own)])].filter(
    (key) => key !== 'type' && !isSameValue(own[key], after[key]),
  )

/** Those of the first list in its order, then what is in the other alone. */
const uidsOf = (list: readonly { uid: string }[], others: readonly { uid: string }[]): string[] => [
  ...new Set([...list, ...others].map(({ uid }) => uid)),
]

const settingsOf = ({ name, description, titleField }: Owner): Part =>
  titleField === undefined ? { name, description } : { name, description, titleField }

const wholeOwner = (owner: Owner | undefined): Part | undefined =>
  owner && { ...settingsOf(owner), fields: Object.fromEntries(partsOf(owner.fields)) }

/** Fields by uid, with what is left out as it is read. */
function partsOf(fields: Owner['fields']): Map<string, Part> {
  const read = fields.map((field) => {
    const { _id = idFor(field.uid), ...settings } = field as Part & { uid: string; _id?: string }
    const result = fieldSchema.safeParse({ _id, ...settings })
    // What an older program wrote is compared as it stands.
    return result.success ? result.data : ({ _id, ...settings } as unknown as Field)
  })
  return new Map(comparableFields(read).map((field) => [field.uid, field]))
}

const idFor = (uid: string) => sha256(`field ${uid}`).toString('hex').slice(0, 24)
