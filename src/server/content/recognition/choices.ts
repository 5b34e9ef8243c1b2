import type { MoveDifference, MoveTypeChoice } from '#shared/contract/move-plans.ts'
import { type FieldTypeName, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { defaultSettings } from '#shared/fields/settings.ts'
import { serverTypeOf } from '../fields/index.ts'
import { type FoundTypes, type Likeness, reason } from '../fields/received.ts'
import type { Nothing, Seen } from './seen.ts'

type Candidate = Likeness & { type: FieldTypeName }

/** Returns the types that can store all values, most likely first, before custom types are determined. */
export function candidates(seen: Seen): Candidate[] {
  const found = seen.keepers.flatMap((type): Candidate[] => {
    const likeness = serverTypeOf({ type }).received.likeness(seen)
    return likeness ? [{ type, ...likeness }] : []
  })
  return found.sort((a, b) => b.confidence - a.confidence)
}

/** Returns the types that a user can choose for these values, most likely first; never empty. */
export function choicesFor(seen: Seen, found: FoundTypes): MoveTypeChoice[] {
  if (seen.items === 0) return choicesForNothing(seen)
  const choices = candidates(seen).flatMap(({ type, confidence, why }): MoveTypeChoice[] => {
    return settingsOf(type, seen, found).map((own, index) => {
      const settings = { ...own, type, multiple: seen.isList }
      const differences = differencesOf(seen, type, settings)
      return { settings, confidence: index === 0 ? confidence : confidence / 4, why, differences }
    })
  })
  return choices.sort((a, b) => b.confidence - a.confidence)
}

/** Returns possible settings of a type for these values, most likely first. */
export function settingsOf(type: string, seen: Seen, found: FoundTypes): Record<string, unknown>[] {
  const { received } = serverTypeOf({ type: type as FieldTypeName })
  return received.settings ? received.settings(seen, found) : [{}]
}

/**
 * Returns the choices for a key without values: every type without a target or inner types; for lists, only types that
 * can be multiple. Text comes first, then the types whose empty value has the form that was received.
 */
function choicesForNothing(seen: Seen): MoveTypeChoice[] {
  const choices = fieldTypeNames.flatMap((type): MoveTypeChoice[] => {
    const { received } = serverTypeOf({ type })
    const { reference, customType, canBeMultiple, nesting } = typeOf({ type })
    if (reference || customType || nesting || (seen.isList && !canBeMultiple)) return []
    const settings = { ...defaultSettings(type), type, multiple: seen.isList }
    const differences = differencesOf(seen, type, settings)
    const confidence = received.keepsAll ? 0.2 : differences.length === 0 ? 0.1 : 0.05
    return [{ settings, confidence, why: reason('noValues'), differences }]
  })
  return choices.sort((a, b) => b.confidence - a.confidence)
}

function differencesOf(
  seen: Seen,
  type: FieldTypeName,
  settings: Record<string, unknown>,
): MoveTypeChoice['differences'] {
  const counts = new Map(seen.differences(type))
  const add = (code: MoveDifference, count: number) => {
    if (count > 0) counts.set(code, (counts.get(code) ?? 0) + count)
  }
  const told = formOfNothing(type, settings)
  for (const form of ['null', 'text', 'list'] as const) if (form !== told) add('emptied', seen.nothing[form])
  if (seen.isList) add('wrapped', seen.singles)
  add('wrapped', serverTypeOf({ type }).received.wrapped?.(seen) ?? 0)
  if (seen.isList && typeOf({ type }).emptyItem === undefined && seen.emptyEntries > 0)
    add('shifted', seen.emptyEntries)
  return [...counts].map(([code, count]) => ({ code, count }))
}

/** Returns the delivered form of an empty field; undefined if its key is omitted. */
function formOfNothing(type: FieldTypeName, settings: Record<string, unknown>): Nothing | undefined {
  if (settings.multiple) return 'list'
  const { empty } = typeOf({ type })
  // A select field with numbers has no empty text.
  if (empty === '') return settings.valueType === 'number' ? 'null' : 'text'
  return empty === null ? 'null' : undefined
}
