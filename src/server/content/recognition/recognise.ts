import type { MoveTypeChoice } from '#shared/contract/move-plans.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import { typeOf } from '#shared/fields/index.ts'
import { customTypesIn } from '#shared/fields/references.ts'
import { choicesFor } from './choices.ts'
import { CustomTypes } from './custom-types.ts'
import type { Seen, SeenFields } from './seen.ts'

/** The values of one key, the types that can store them, and whether the field may be required and unique. */
export interface RecognisedField {
  name: string
  seen: Seen
  /** Possible types, most likely first; never empty. */
  choices: MoveTypeChoice[]
  allows: { required: boolean; unique: boolean }
}

export interface RecognisedCustomType {
  uid: string
  name: string | null
  items: number
  usedBy: string[]
  fields: RecognisedField[]
}

export interface Recognised {
  /** Fields by model `uid`. */
  models: Map<string, RecognisedField[]>
  /** Custom types, each after the types that it contains. */
  customTypes: RecognisedCustomType[]
}

/** Determines the fields for these values and the custom types in them. */
export function recognise(models: ReadonlyMap<string, SeenFields>): Recognised {
  const types = new CustomTypes(models)
  const fieldsOf = (fields: SeenFields): RecognisedField[] =>
    fields.fields().map((seen) => {
      const choices = choicesFor(seen, types)
      return { name: seen.name, seen, choices, allows: allowed(seen, fields.count, choices[0]) }
    })
  const recognised = new Map([...models].map(([uid, fields]) => [uid, fieldsOf(fields)]))
  const found = types.inOrder().map((type): RecognisedCustomType => {
    const { uid, name, usedBy, fields } = type
    return { uid, name, usedBy, items: fields.count, fields: fieldsOf(fields) }
  })
  const used = usedTypes([...recognised.values()].flat(), found)
  return { models: recognised, customTypes: found.filter(({ uid }) => used.has(uid)) }
}

/** Checks whether all values would be valid if the field were required, and if it were unique. */
function allowed(seen: Seen, documents: number, choice: MoveTypeChoice | undefined) {
  const { canBeUnique = false } = choice ? typeOf({ type: choice.settings.type as FieldTypeName }) : {}
  return {
    required: documents > 0 && seen.filled === documents,
    unique: canBeUnique && !seen.isList && seen.items > 1 && seen.repeats.areNone,
  }
}

/**
 * Returns the `uid`s of the custom types that the first choices of these fields use, directly or through other custom
 * types.
 */
function usedTypes(fields: RecognisedField[], types: RecognisedCustomType[]): Set<string> {
  const used = new Set<string>()
  const add = (inside: RecognisedField[]): void => {
    const chosen = inside.flatMap(({ choices }) =>
      choices[0] ? [choices[0].settings as unknown as Field] : [],
    )
    for (const { uid } of customTypesIn(chosen)) {
      if (used.has(uid)) continue
      used.add(uid)
      add(types.find((type) => type.uid === uid)?.fields ?? [])
    }
  }
  add(fields)
  return used
}
