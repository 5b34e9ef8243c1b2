import { customTypesIn, refersTo } from '../fields/references.ts'
import {
  type IncomingSchema,
  itemKey,
  type ModelValues,
  type OwnSchema,
  type PartKind,
  type Refusal,
  type TypeValues,
  uidsOf,
} from './schema.ts'

/** Removes the chosen parts of the app. Parts that a remaining part refers to are refused instead. */
export function removeParts<Model extends ModelValues, Type extends TypeValues>(
  here: OwnSchema<Model, Type>,
  changed: OwnSchema,
  theirs: IncomingSchema,
  takes: (key: string, comes: boolean) => boolean,
): { removed: OwnSchema<Model, Type>; after: OwnSchema; refusals: Refusal[] } {
  const goes = <Own extends { uid: string }>(kind: PartKind, own: readonly Own[], incoming: Set<string>) =>
    own.filter(({ uid }) => !incoming.has(uid) && takes(itemKey(kind, uid), false))
  const chosen = {
    models: goes('model', here.models, uidsOf(theirs.models)),
    customTypes: goes('customType', here.customTypes, uidsOf(theirs.customTypes)),
  }
  let removed: { models: Model[]; customTypes: Type[] } = chosen
  for (;;) {
    const [models, types] = [uidsOf(removed.models), uidsOf(removed.customTypes)]
    const after = {
      models: changed.models.filter(({ uid }) => !models.has(uid)),
      customTypes: changed.customTypes.filter(({ uid }) => !types.has(uid)),
    }
    const staying = [...after.models, ...after.customTypes]
    const named = new Set(staying.flatMap(({ fields }) => customTypesIn(fields)).map(({ uid }) => uid))
    const next = {
      models: removed.models.filter(({ uid }) => !staying.some((owner) => refersTo(owner, uid))),
      customTypes: removed.customTypes.filter(({ uid }) => !named.has(uid)),
    }
    if (next.models.length === models.size && next.customTypes.length === types.size)
      return {
        removed,
        after,
        refusals: [...used('model', chosen, removed), ...used('customType', chosen, removed)],
      }
    removed = next
  }
}

function used(kind: PartKind, chosen: OwnSchema, removed: OwnSchema): Refusal[] {
  const [all, gone] =
    kind === 'model' ? [chosen.models, removed.models] : [chosen.customTypes, removed.customTypes]
  const uids = uidsOf(gone)
  return all.flatMap(({ uid }) =>
    uids.has(uid)
      ? []
      : [{ reason: 'used' as const, kind, uid, index: -1, field: null, at: null, issues: [] }],
  )
}
