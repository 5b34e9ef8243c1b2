import type { Hints } from '#archive/hints.ts'
import { serverTypeOf } from '#server/content/fields/index.ts'
import { reason } from '#server/content/fields/received.ts'
import type { RecognisedField } from '#server/content/recognition/recognise.ts'
import type { SeenFields } from '#server/content/recognition/seen.ts'
import type { MoveTypeChoice } from '#shared/contract/move-plans.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'

type ModelHints = Hints['models'][number]
type FieldHint = ModelHints['fields'][number]

/** Adds fields that the source declares although no content has a value for them. */
export function hintModel(seen: SeenFields, hints: ModelHints | undefined): void {
  for (const { key } of hints?.fields ?? []) seen.expect(key)
}

/** Moves the choice that the source declares to the front, if the values allow it. */
export function withHints(fields: RecognisedField[], hints: ModelHints | undefined): RecognisedField[] {
  const known = new Map(hints?.fields.map((hint) => [hint.key, hint]))
  return fields.map((field) => {
    const hint = known.get(field.name)
    const choice = hint && bestFor(hint, field.choices)
    if (!hint || !choice) return field
    const others = field.choices.filter((other) => other !== choice)
    const chosen = { ...choice, confidence: 1, why: reason('sourceSchema') }
    const isFirst = choice === field.choices[0]
    // Uniqueness was only determined for values converted by the first choice.
    const allows = { ...field.allows, unique: isFirst && field.allows.unique }
    return { ...field, choices: [chosen, ...others], allows }
  })
}

/** Returns the choice for the most likely of these kinds. Prefers a choice with the settings that the kind requires. */
function bestFor({ kinds }: FieldHint, choices: MoveTypeChoice[]): MoveTypeChoice | undefined {
  for (const kind of kinds) {
    const possible = choices.flatMap((choice) => {
      // A hint never selects a type that loses values. Recognition alone may select a number field that loses a few
      // values.
      if (choice.differences.some(({ code }) => code === 'leftOut')) return []
      const type = choice.settings.type as FieldTypeName
      const { kinds: named = {} } = serverTypeOf({ type }).received
      const asked = type === kind ? {} : Object.hasOwn(named, kind) ? named[kind] : undefined
      return asked ? [{ choice, asked }] : []
    })
    const exact = possible.find(({ choice, asked }) =>
      Object.entries(asked).every(([key, value]) => choice.settings[key] === value),
    )
    const found = exact ?? possible[0]
    if (found) return found.choice
  }
  return undefined
}
