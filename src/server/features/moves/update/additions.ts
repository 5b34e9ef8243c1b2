import { mostFields } from '#server/content/recognition/seen.ts'
import type { CustomTypeRecord } from '#server/features/models/models.service.ts'
import type { PlannedCustomType, PlannedField, PlannedParts } from '#shared/contract/move-plans.ts'
import type {
  AdditionChoice,
  Additions,
  GrownPart,
  NewField,
  NewModel,
} from '#shared/contract/move-updates.ts'
import { type Field, type FieldTypeName, typeOf } from '#shared/fields/index.ts'
import { mapTypes } from '#shared/fields/references.ts'
import { shorten } from '#shared/unicode.ts'
import { pointTo } from '../plan/planned-models.ts'
import type { UpdatedModel } from './updated-models.ts'

/* Additions: models that are new at the source of an app, and new fields of existing models and custom types. */

export interface AppHere {
  /** Models by their uids in the archive. */
  models: ReadonlyMap<string, UpdatedModel>
  modelUids: ReadonlySet<string>
  customTypes: readonly CustomTypeRecord[]
}

const undecided = { takes: true, outcome: null, problem: null } as const

/**
 * Returns the models, fields and custom types of the archive that neither `plan` nor the app has. A model or field that
 * only `plan` has was deleted in the app and is not offered. `read`: the archive as a plan. `before`: the additions of
 * the last update; items that were deselected there are deselected again.
 */
export function findAdditions(
  read: PlannedParts,
  plan: PlannedParts,
  here: AppHere,
  before: Additions | undefined,
): Additions {
  const types = matchTypes(read, plan, here)
  const news = read.models.filter(
    ({ from, uid }) => !plan.models.some((model) => model.from === from) && !here.modelUids.has(uid),
  )
  const uids = new Map(news.map(({ uid }) => [uid, uid]))
  for (const { from, uid } of read.models) {
    const updated = here.models.get(from)
    if (updated) uids.set(uid, updated.model.uid)
  }
  const named = (planned: PlannedField): PlannedField => nameParts(planned, uids, types)
  const models = news.map(
    (model): NewModel => ({
      ...model,
      ...undecided,
      fields: model.fields.map((field, index) => newField(named(field), model.fields[index - 1])),
    }),
  )
  const grown = [
    ...read.models.flatMap(({ from, fields }) => {
      const updated = here.models.get(from)
      const planned = plan.models.find((model) => model.from === from)
      if (!updated || !planned) return []
      const known = new Set([...planned.fields, ...updated.fields].map((one) => one.from))
      const { uid, name, fields: own } = updated.model
      return grownPart({ kind: 'model', from, uid, name }, fields.map(named), known, own)
    }),
    ...read.customTypes.flatMap(({ from, uid: was, fields }) => {
      const type = here.customTypes.find(({ uid }) => uid === types.get(was)?.uid)
      if (!type) return []
      const planned = types.get(was)?.planned
      const known = new Set([
        ...(planned?.fields ?? []).map((one) => one.from),
        ...type.fields.map(({ uid }) => uid),
      ])
      const { uid, name } = type
      return grownPart({ kind: 'customType', from, uid, name }, fields.map(named), known, type.fields)
    }),
  ]
  const customTypes = newTypes(read, here, types, named)
  return withLeft({ models, parts: grown, customTypes, views: { count: 0, examples: [] } }, before)
}

const newField = (planned: PlannedField, previous: PlannedField | undefined): NewField => ({
  ...planned,
  ...undecided,
  after: previous?.from ?? null,
})

/**
 * Returns an existing model or custom type with up to `mostFields` new fields that have values. Returns an empty array
 * if there are no such fields.
 */
function grownPart(
  part: Omit<GrownPart, 'fields'>,
  fields: PlannedField[],
  known: ReadonlySet<string>,
  own: readonly Field[],
): GrownPart[] {
  const taken = new Set(own.map(({ uid }) => uid))
  const found = fields.flatMap((planned, index) => {
    if (known.has(planned.from) || planned.filled === 0) return []
    const uid = freeUid(planned.field.uid, taken)
    taken.add(uid)
    // Documents created in the app have no value for the new field.
    const field = { ...planned.field, uid, required: false, unique: false }
    const allows = { required: false, unique: false }
    return [newField({ ...planned, field, allows }, fields[index - 1])]
  })
  return found.length > 0 ? [{ ...part, fields: found.slice(0, mostFields) }] : []
}

function freeUid(uid: string, taken: ReadonlySet<string>): string {
  if (!taken.has(uid)) return uid
  for (let number = 2; ; number++) {
    const next = `${uid.slice(0, 60)}-${number}`
    if (!taken.has(next)) return next
  }
}

/**
 * The custom type of the app that corresponds to a custom type of the archive. `planned` undefined: the app has none,
 * and `uid` is the uid of a new type.
 */
interface Matched {
  uid: string
  planned: PlannedCustomType | undefined
}

/**
 * Returns the counterparts in the app of the custom types, by uid in the archive. A counterpart is the type that the
 * plan created, or a new type.
 */
function matchTypes(read: PlannedParts, plan: PlannedParts, { customTypes }: AppHere): Map<string, Matched> {
  const matched = new Map<string, Matched>()
  const uids = new Set(customTypes.map(({ uid }) => uid))
  const isHere = ({ uid }: PlannedCustomType) => customTypes.some((type) => type.uid === uid)
  for (const type of read.customTypes) {
    const planned =
      plan.customTypes.find((known) => known.from !== null && known.from === type.from && isHere(known)) ??
      plan.customTypes.find((known) => known.usedBy.some((at) => type.usedBy.includes(at)) && isHere(known))
    const uid = planned?.uid ?? freeUid(type.uid, uids)
    uids.add(uid)
    matched.set(type.uid, { uid, planned })
  }
  return matched
}

/** Returns the custom types of the archive that have no counterpart in the app, with free uids and names. */
function newTypes(
  read: PlannedParts,
  { customTypes }: AppHere,
  types: ReadonlyMap<string, Matched>,
  named: (planned: PlannedField) => PlannedField,
): PlannedCustomType[] {
  const names = new Set(customTypes.map(({ name }) => name))
  return read.customTypes.flatMap((type) => {
    const { uid, planned } = types.get(type.uid) ?? {}
    if (uid === undefined || planned) return []
    let { name } = type
    for (let number = 2; names.has(name); number++) name = `${shorten(type.name, 90)} ${number}`
    names.add(name)
    return [{ ...type, uid, name, fields: type.fields.map(named) }]
  })
}

/**
 * Returns the field with the app's uids of models and custom types, and with the choices that are possible in the app.
 */
function nameParts(
  planned: PlannedField,
  uids: ReadonlyMap<string, string>,
  types: ReadonlyMap<string, Matched>,
): PlannedField {
  const named = <Settings extends { type: string }>(settings: Settings): Settings =>
    mapTypes(pointTo(settings, uids) as unknown as Field, (type) => {
      const { customType } = typeOf(type as { type: FieldTypeName })
      const now = customType && types.get(customType.uid(type as never))
      return now ? { ...type, ...customType.pointTo(now.uid) } : type
    }) as unknown as Settings
  const isKnown = ({ settings }: PlannedField['choices'][number]) =>
    typeof settings.customType !== 'string' || types.has(settings.customType)
  return {
    ...planned,
    field: named(planned.field),
    choices: planned.choices
      .filter((choice, index) => index === 0 || isKnown(choice))
      .map((choice) => ({ ...choice, settings: named(choice.settings) })),
  }
}

/** Deselects the additions that were deselected in the last update. */
function withLeft(additions: Additions, before: Additions | undefined): Additions {
  if (!before) return additions
  const left = new Set<string>()
  for (const model of before.models) if (model.outcome === 'left') left.add(`model ${model.from}`)
  for (const { key, field } of fieldsOf(before)) if (field.outcome === 'left') left.add(key)
  const isTaken = (key: string) => !left.has(key)
  return mapFields(
    {
      ...additions,
      models: additions.models.map((model) => ({ ...model, takes: isTaken(`model ${model.from}`) })),
    },
    (field, key) => ({ ...field, takes: isTaken(key) }),
  )
}

const keyOf = (kind: GrownPart['kind'], uid: string, from: string) => `${kind} ${uid} ${from}`

function fieldsOf({ models, parts }: Additions): { key: string; field: NewField }[] {
  return [...models.map((model) => ({ kind: 'model' as const, ...model })), ...parts].flatMap(
    ({ kind, uid, fields }) => fields.map((field) => ({ key: keyOf(kind, uid, field.from), field })),
  )
}

function mapFields(
  { models, parts, ...additions }: Additions,
  map: (field: NewField, key: string) => NewField,
): Additions {
  return {
    ...additions,
    models: models.map((model) => ({
      ...model,
      fields: model.fields.map((field) => map(field, keyOf('model', model.uid, field.from))),
    })),
    parts: parts.map((part) => ({
      ...part,
      fields: part.fields.map((field) => map(field, keyOf(part.kind, part.uid, field.from))),
    })),
  }
}

export const hasAdditions = ({ models, parts }: Additions): boolean => models.length > 0 || parts.length > 0

/**
 * Returns the parts of an archive that the app already has, whatever their origin: models, fields and custom types with
 * the same uids.
 */
export function partsHere(read: PlannedParts, { models, customTypes }: AppHere): PlannedParts {
  return {
    ...read,
    models: read.models.flatMap((model) => {
      const fields = models.get(model.from)?.model.fields
      return fields ? [{ ...model, fields: fieldsHere(model.fields, fields) }] : []
    }),
    customTypes: read.customTypes.flatMap((type) => {
      const here = customTypes.find(({ uid }) => uid === type.uid)
      return here ? [{ ...type, fields: fieldsHere(type.fields, here.fields) }] : []
    }),
  }
}

const fieldsHere = (planned: PlannedField[], own: readonly Field[]) =>
  planned.filter(({ field }) => own.some(({ uid }) => uid === field.uid))

/**
 * Applies the choices of users. Returns the additions, and the paths of choices with an unknown addition or an unknown
 * choice of a field.
 */
export function chooseAdditions(
  additions: Additions,
  { models, fields }: AdditionChoice,
): { additions: Additions; unknown: string[] } {
  const unknown: string[] = []
  const takes = new Map<string, boolean>()
  for (const [index, { from, takes: is }] of models.entries()) {
    if (!additions.models.some((model) => model.from === from)) unknown.push(`data.models.${index}`)
    takes.set(from, is)
  }
  const known = new Map(fieldsOf(additions).map(({ key, field }) => [key, field]))
  const chosen = new Map<string, AdditionChoice['fields'][number]>()
  for (const [index, choice] of fields.entries()) {
    const key = keyOf(choice.kind, choice.uid, choice.from)
    const field = known.get(key)
    if (!field || (choice.choice ?? 0) >= field.choices.length) unknown.push(`data.fields.${index}`)
    chosen.set(key, choice)
  }
  const result = mapFields(additions, (field, key) => {
    const choice = chosen.get(key)
    if (!choice) return field
    const settings = choice.choice === undefined ? undefined : field.choices[choice.choice]?.settings
    const { uid, name, required, unique } = field.field
    const isFirst = choice.choice === 0
    return {
      ...field,
      takes: choice.takes ?? field.takes,
      // Uniqueness was only determined for values converted by the first choice.
      ...(settings
        ? { field: { uid, name, required, unique: isFirst && unique === true, ...settings } }
        : {}),
    }
  })
  return {
    unknown,
    additions: {
      ...result,
      models: result.models.map((model) => ({ ...model, takes: takes.get(model.from) ?? model.takes })),
    },
  }
}
