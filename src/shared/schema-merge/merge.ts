import { customTypeUidProblem, uses } from '../fields/custom-types.ts'
import { type Field, typeOf } from '../fields/index.ts'
import { sameFields } from '../fields/portable.ts'
import { chooseTitleField, type FieldBody, parseField } from '../fields/read-fields.ts'
import { isSameValue } from '../fields/same-value.ts'
import { carriedUidProblem, newId } from '../identifiers.ts'
import { type Around, PartFields } from './part.ts'
import { removeParts } from './removal.ts'
import {
  type IncomingPart,
  type IncomingSchema,
  itemKey,
  type LeftOut,
  type ModelValues,
  type OwnSchema,
  type PartKind,
  type Refusal,
  type TypeValues,
  uidsOf,
} from './schema.ts'
import { mergeViews, type OwnView, type ViewChange } from './views.ts'

export interface MergeInput<Model extends ModelValues, Type extends TypeValues, View extends OwnView> {
  theirs: IncomingSchema
  /** The app's schema. Only chosen items of it change. */
  here: OwnSchema<Model, Type> & { views?: readonly View[] }
  /**
   * Keys of the items to apply ({@link itemKey}). Fields of a new part are applied with the part. A chosen item that
   * only the app has is removed. Default: everything in `theirs`.
   */
  chosen?: Pick<ReadonlySet<string>, 'has'>
  /** Handling of references to models that the app does not have: refuse the field, or leave the reference out. */
  missingModels?: 'refuse' | 'leaveOut'
  /** uids in the app for models that `theirs` refers to by other uids. Used only with `leaveOut`. */
  renamedModels?: ReadonlyMap<string, string>
  /**
   * Creates the `_id`s of new parts and fields. With a deterministic function, repeated merges create the same `_id`s.
   * `owner`: `<kind> <uid>`, for example `model article` or `customType hero`. Default: random `_id`s.
   */
  idOf?(owner: string, field?: string): string
  /** Returns whether fields may have this regular expression as their pattern. */
  compiles(pattern: string): boolean
}

/** A new or changed part. `before` is `null` for a new part. */
export interface PartChange<Own, Values> {
  /** Index in `theirs`. */
  index: number
  before: Own | null
  values: Values
}

export interface Merged<
  Model extends ModelValues = ModelValues,
  Type extends TypeValues = TypeValues,
  View extends OwnView = OwnView,
> {
  /** In the order of `theirs`. */
  customTypes: PartChange<Type, TypeValues>[]
  models: PartChange<Model, ModelValues>[]
  views: ViewChange<View>[]
  removed: OwnSchema<Model, Type>
  /** uids of identical custom types of the app that are used unchanged. */
  used: string[]
  /** The app's schema after all changes are written. */
  after: OwnSchema
  /** Chosen items that cannot be applied. A caller that requires a complete merge must not write if there are any. */
  refusals: Refusal[]
  leftOut: LeftOut[]
}

/**
 * Merges one schema into another without writing (docs/decisions/0109). {@link
 * file://../../server/features/schema-merge} writes the changes.
 */
export function mergeSchema<
  Model extends ModelValues,
  Type extends TypeValues,
  View extends OwnView = OwnView,
>(input: MergeInput<Model, Type, View>): Merged<Model, Type, View> {
  const steps = mergeSteps(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Merges like {@link mergeSchema}, but yields after each part, so that callers can yield to the event loop. An app may
 * have a thousand models.
 */
export function* mergeSteps<
  Model extends ModelValues,
  Type extends TypeValues,
  View extends OwnView = OwnView,
>(input: MergeInput<Model, Type, View>): Generator<void, Merged<Model, Type, View>> {
  const { theirs, here, chosen, renamedModels, idOf = newId } = input
  const takes = (key: string, comes: boolean) => chosen?.has(key) ?? comes
  const modelUids = uidsOf(here.models)
  const typeUids = uidsOf(here.customTypes)
  const around: Around = {
    compiles: input.compiles,
    hasModel: (uid) => modelUids.has(uid),
    hasCustomType: (uid) => typeUids.has(uid),
    target:
      input.missingModels === 'leaveOut'
        ? (uid) => renamedModels?.get(uid) ?? (modelUids.has(uid) ? uid : undefined)
        : undefined,
    takes,
    idOf,
  }
  const types = openParts('customType', theirs.customTypes, here.customTypes, around)
  const models = openParts('model', theirs.models, here.models, around)
  refuseTakenNames(types, here.customTypes, takes)
  for (const { state, fields } of types) if (state === 'made') typeUids.add(fields.part.uid)
  for (const { state, fields } of models) if (state === 'made') modelUids.add(fields.part.uid)
  for (const { fields } of [...types, ...models]) {
    fields.read()
    yield
  }
  for (const type of types) if (type.state === 'compared') compare(type)
  const users = yield* checkNesting(types, models, here, around)

  const changes = {
    customTypes: types.flatMap((type) => typeChange(type, takes, idOf)),
    models: models.flatMap((model) => modelChange(model, takes)),
  }
  const { removed, after, refusals } = removeParts(here, applied(here, changes), theirs, takes)
  const views = mergeViews(theirs.views ?? [], here.views ?? [], after, takes)
  const parts = [...[...types, ...models].map(({ fields }) => fields), ...users]
  return {
    ...changes,
    views: views.changes,
    removed,
    used: types.flatMap(({ state, fields }) => (state === 'used' ? [fields.part.uid] : [])),
    after,
    refusals: [...parts.flatMap((part) => part.refusals), ...refusals, ...views.refusals],
    leftOut: parts.flatMap((part) => part.leftOut),
  }
}

type Takes = (key: string, comes: boolean) => boolean

interface Open<Own> {
  fields: PartFields
  own: Own | undefined
  /** `compared`: the part is still to be compared with `own`. */
  state: 'made' | 'compared' | 'used' | 'refused'
}

/**
 * Returns the incoming parts, without new parts that are not chosen. Parts that cannot be applied have the state
 * `refused`.
 */
function openParts<Own extends { uid: string; fields: Field[] }>(
  kind: PartKind,
  incoming: readonly IncomingPart[],
  here: readonly Own[],
  around: Around,
): Open<Own>[] {
  const seen = new Set<string>()
  const byUid = new Map(here.map((own) => [own.uid, own]))
  return incoming.flatMap((part, index): Open<Own>[] => {
    const { uid, whenHere = 'merge' } = part
    const own = byUid.get(uid)
    if (!own && whenHere !== 'grow' && !around.takes(itemKey(kind, uid), true)) return []
    const fields = new PartFields(kind, index, part, whenHere === 'same' ? undefined : own?.fields, around)
    const problem = kind === 'model' ? carriedUidProblem('model', uid) : customTypeUidProblem(uid)
    const isTwice = seen.has(uid)
    seen.add(uid)
    if (isTwice) fields.refuse('invalid', whole, [{ path: 'uid', code: 'DuplicatedValue' }])
    else if (own && whenHere === 'refuse')
      fields.refuse('taken', whole, [{ path: 'uid', code: 'DuplicatedValue' }])
    else if (!own && whenHere === 'grow') fields.refuse('gone', whole, [])
    else if (!own && problem) fields.refuse('invalid', whole, [{ path: 'uid', code: problem }])
    else return [{ fields, own, state: own && whenHere === 'same' ? 'compared' : 'made' }]
    return [{ fields, own, state: 'refused' }]
  })
}

const whole = { field: null, at: null }

/** Refuses custom types whose name is in use. Names of custom types must be unique. */
function refuseTakenNames(
  types: readonly Open<TypeValues>[],
  here: readonly TypeValues[],
  takes: Takes,
): void {
  const incoming = new Set<string>()
  for (const type of types) {
    const { fields, own, state } = type
    const { uid, name } = fields.part
    const isNamed = state === 'made' && (!own || takes(itemKey('customType', uid), true))
    const reason = incoming.has(name) ? 'invalid' : 'taken'
    if (isNamed && (reason === 'invalid' || here.some((one) => one.name === name && one.uid !== uid))) {
      fields.refuse(reason, whole, [{ path: 'name', code: 'DuplicatedValue' }])
      type.state = 'refused'
    }
    if (isNamed) incoming.add(name)
  }
}

/**
 * Compares an incoming custom type with the type of the app. Refuses the incoming type unless both have the same
 * fields.
 */
function compare(type: Open<TypeValues>): void {
  const { fields, own } = type
  const isSame = sameFields((own?.fields ?? []).map(asNow), fields.fields)
  type.state = isSame ? 'used' : 'refused'
  if (!isSame) fields.refuse('taken', whole, [{ path: 'uid', code: 'DuplicatedValue' }])
}

/**
 * Returns a stored field as the current schema of its type parses it. Fields that do not match the schema stay
 * unchanged.
 */
function asNow(field: Field): Field {
  const read = parseField(field as FieldBody)
  return Array.isArray(read) ? field : read
}

/**
 * Refuses fields that nest custom types in cycles or too deeply. Returns the unchanged parts of the app that use a
 * changed custom type, because a refusal may also concern them.
 */
function* checkNesting(
  types: readonly Open<TypeValues>[],
  models: readonly Open<ModelValues>[],
  here: OwnSchema,
  around: Around,
): Generator<void, PartFields[]> {
  const known = new Map(here.customTypes.map(({ uid, fields }) => [uid, { uid, fields }]))
  const made = types.filter(({ state }) => state === 'made')
  for (const { fields } of made) known.set(fields.part.uid, { uid: fields.part.uid, fields: fields.fields })
  for (const { fields, state } of [...types, ...models]) {
    if (state === 'made') fields.checkNesting([...known.values()])
    const type = fields.kind === 'customType' && state === 'made' ? known.get(fields.part.uid) : undefined
    if (type) type.fields = fields.fields
    yield
  }
  const grown = made.flatMap(({ own }) => (own ? [own.uid] : []))
  const users = [
    ...untouched('customType', here.customTypes, types, around),
    ...untouched('model', here.models, models, around),
  ].filter(({ fields }) => grown.some((uid) => uses(fields, uid, [...known.values()])))
  for (const user of users) user.checkNesting([...known.values()])
  return users
}

function untouched(
  kind: PartKind,
  here: readonly ModelValues[] | readonly TypeValues[],
  open: readonly Open<unknown>[],
  around: Around,
): PartFields[] {
  const made = new Set(open.flatMap(({ state, fields }) => (state === 'made' ? [fields.part.uid] : [])))
  return here.flatMap(({ uid, name, fields }) =>
    made.has(uid) ? [] : [new PartFields(kind, -1, { uid, name, fields: [] }, fields, around)],
  )
}

function typeChange<Type extends TypeValues>(
  { fields, own, state }: Open<Type>,
  takes: Takes,
  idOf: (owner: string) => string,
): PartChange<Type, TypeValues>[] {
  if (state !== 'made') return []
  const _id = own?._id ?? idOf(`customType ${fields.part.uid}`)
  const values = { _id, ...namesOf(fields, own, takes), fields: fields.fields }
  return isSameAs(own, values) ? [] : [{ index: fields.index, before: own ?? null, values }]
}

function modelChange<Model extends ModelValues>(
  { fields, own, state }: Open<Model>,
  takes: Takes,
): PartChange<Model, ModelValues>[] {
  if (state !== 'made') return []
  const names = namesOf(fields, own, takes)
  const values = { ...names, fields: fields.fields, titleField: titleOf(fields, own, takes) }
  return isSameAs(own, values) ? [] : [{ index: fields.index, before: own ?? null, values }]
}

const isWhole = ({ kind, part }: PartFields, own: unknown, takes: Takes) =>
  !own || takes(itemKey(kind, part.uid), true)

function namesOf(fields: PartFields, own: ModelValues | TypeValues | undefined, takes: Takes) {
  const { uid, name, description = '' } = fields.part
  if (own && !isWhole(fields, own, takes)) return { uid, name: own.name, description: own.description }
  return { uid, name, description }
}

/**
 * Returns the `_id` of the requested title field, if it was applied. Otherwise returns the existing title field, or the
 * first field that can be the title. `null`: no title.
 */
function titleOf(fields: PartFields, own: ModelValues | undefined, takes: Takes): string | null {
  const wanted = isWhole(fields, own, takes) ? fields.part.titleField : undefined
  const field = fields.fields.find(({ uid }) => uid === wanted)
  if (field && typeOf(field).canBeTitle) return field._id
  const isKnown = fields.part.fields.some(({ uid }) => uid === wanted)
  if (typeof wanted === 'string' && (field || !isKnown))
    fields.refuse('invalid', whole, [{ path: 'titleField', code: 'InvalidValue' }])
  return chooseTitleField(fields.fields, wanted === null ? null : undefined, own?.titleField)
}

function isSameAs<Values extends object>(own: Values | undefined, values: Values): boolean {
  if (!own) return false
  const keys = Object.keys(values) as (keyof Values)[]
  return keys.every((key) => isSameValue(own[key], values[key]))
}

function applied(
  here: OwnSchema,
  { customTypes, models }: Pick<Merged, 'customTypes' | 'models'>,
): OwnSchema {
  const merged = <Own extends { uid: string }>(
    own: readonly Own[],
    changes: readonly PartChange<Own, Own>[],
  ) => {
    const values = new Map(changes.map((change) => [change.values.uid, change.values]))
    const known = uidsOf(own)
    return [
      ...own.map((one) => values.get(one.uid) ?? one),
      ...[...values.values()].filter(({ uid }) => !known.has(uid)),
    ]
  }
  return { customTypes: merged(here.customTypes, customTypes), models: merged(here.models, models) }
}
