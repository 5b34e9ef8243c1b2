import { type Field, fieldSchema } from '../fields/index.ts'
import { comparableFields } from '../fields/portable.ts'
import { isSameValue } from '../fields/same-value.ts'
import { fieldKind, type IncomingSchema, type ItemKind, itemKey, type PartKind } from './schema.ts'

export interface Versions {
  base: IncomingSchema
  theirs: IncomingSchema
  /** The app's schema in portable form. */
  here: IncomingSchema
}

/** A difference between the versions, identified by its `key`. */
export interface Difference {
  key: string
  kind: ItemKind
  owner: { uid: string; name: string } | null
  /** Empty for a view. */
  uid: string
  name: string
  change: 'added' | 'changed' | 'gone'
  /** `same`: the app's part equals the base. `changed`: the app's part differs from the base. */
  here: 'same' | 'changed'
  /**
   * Field types in the app (`from`) and in `theirs` (`to`). `null` for other items, and if the app or `theirs` lacks
   * the field.
   */
  types: { from: string; to: string } | null
  /**
   * Names of the settings, other than the type, that differ between the app and `theirs`. Empty unless both have the
   * part.
   */
  settings: string[]
}

type Owner = IncomingSchema['models'][number]
type Part = Record<string, unknown>
type Whole = Pick<Difference, 'kind' | 'owner' | 'uid' | 'name'>

const keyOf = ({ kind, owner, uid, name }: Whole) => itemKey(kind, uid || name, owner?.uid)

/**
 * Returns the changes that `theirs` would make to the app, in the order in which they can be applied: custom types
 * first. Parts are matched by uid, so a renamed part counts as removed and added. Parts deleted in the app are not
 * reported.
 */
export function compareSchemas({ base, theirs, here }: Versions): Difference[] {
  return [
    ...compareOwners('customType', base.customTypes, theirs.customTypes, here.customTypes),
    ...compareOwners('model', base.models, theirs.models, here.models),
    ...compareViews({ base, theirs, here }),
  ]
}

function compareOwners(
  kind: PartKind,
  base: readonly Owner[],
  target: readonly Owner[],
  here: readonly Owner[],
): Difference[] {
  return allUids(target, base).flatMap((uid) => {
    const [before, after, own] = [base, target, here].map((list) => list.find((one) => one.uid === uid))
    const name = (after ?? before)?.name ?? uid
    const whole = { kind, owner: null, uid, name }
    if (!before || !after || !own)
      return compared(whole, wholeOwner(before), wholeOwner(after), wholeOwner(own))
    const owner = { uid, name: own.name }
    const [were, are, ours] = [before, after, own].map(({ fields }) => partsOf(fields))
    return [
      ...compared(whole, settingsOf(before), settingsOf(after), settingsOf(own)),
      ...allUids(after.fields, before.fields).flatMap((field) => {
        const called = [after, before].flatMap(({ fields }) => fields.find((one) => one.uid === field) ?? [])
        const named = {
          kind: fieldKind(kind),
          owner,
          uid: field,
          name: String(called[0]?.name ?? field),
        } as const
        return compared(named, were?.get(field), are?.get(field), ours?.get(field))
      }),
    ]
  })
}

function compareViews({ base, theirs, here }: Versions): Difference[] {
  const [were = [], are = [], ours = []] = [base, theirs, here].map(({ views }) => views)
  const placeOf = ({ modelUid, name }: { modelUid: string; name: string }) => ({
    uid: `${modelUid}\n${name}`,
  })
  return allUids(are.map(placeOf), were.map(placeOf)).flatMap((uid) => {
    const [before, after, own] = [were, are, ours].map((views) => {
      const view = views.find((one) => placeOf(one).uid === uid)
      return view && { type: view.type, settings: view.settings }
    })
    const [modelUid = '', name = ''] = uid.split('\n')
    const model = [...here.models, ...theirs.models].find((one) => one.uid === modelUid)
    // Views of a model that neither the app nor `theirs` has are ignored.
    if (!model) return []
    const owner = { uid: modelUid, name: model.name }
    return compared({ kind: 'view', owner, uid: '', name }, before, after, own)
  })
}

/** Returns the difference of one part. Empty if `theirs` equals the base or the app, or if the app deleted the part. */
function compared(
  whole: Whole,
  before: Part | undefined,
  after: Part | undefined,
  own: Part | undefined,
): Difference[] {
  if (isSameValue(before, after) || isSameValue(after, own) || (before && !own)) return []
  const change = !before ? 'added' : after ? 'changed' : 'gone'
  const here = isSameValue(before, own) ? 'same' : 'changed'
  const isField = whole.kind === 'field' || whole.kind === 'customTypeField'
  return [
    {
      ...whole,
      key: keyOf(whole),
      change,
      here,
      types: isField && own && after ? { from: String(own.type), to: String(after.type) } : null,
      settings: own && after ? differing(own, after) : [],
    },
  ]
}

const differing = (own: Part, after: Part): string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(own)])].filter(
    (key) => key !== 'type' && !isSameValue(own[key], after[key]),
  )

/** Returns the uids of the first list in order, and then the uids that only the second list contains. */
const allUids = (list: readonly { uid: string }[], others: readonly { uid: string }[]): string[] => [
  ...new Set([...list, ...others].map(({ uid }) => uid)),
]

const settingsOf = ({ name, description, titleField }: Owner): Part =>
  titleField === undefined ? { name, description } : { name, description, titleField }

const wholeOwner = (owner: Owner | undefined): Part | undefined =>
  owner && { ...settingsOf(owner), fields: Object.fromEntries(partsOf(owner.fields)) }

/** Returns the fields by uid, with defaults for omitted settings. */
function partsOf(fields: Owner['fields']): Map<string, Part> {
  const read = fields.map(({ _id, ...settings }, index) => {
    const id = _id ?? String(index).padStart(24, 'f')
    const result = fieldSchema.safeParse({ ...settings, _id: id })
    // Fields that do not match the current schema, from an older version, are compared unchanged.
    return result.success ? result.data : ({ ...settings, _id: id } as unknown as Field)
  })
  return new Map(comparableFields(read).map((field) => [field.uid, field]))
}
