import type { Hints } from '#archive/hints.ts'
import { reason } from '#server/content/fields/received.ts'
import type { RecognisedField } from '#server/content/recognition/recognise.ts'
import type { SeenFields } from '#server/content/recognition/seen.ts'
import type { MoveTypeChoice } from '#shared/contract/moves.ts'

type ModelHints = Hints['models'][number]
type FieldHint = ModelHints['fields'][number]

/** Fields that a source knows are there, although no value of theirs came. */
export function hintModel(seen: SeenFields, hints: ModelHints | undefined): void {
  for (const { key } of hints?.fields ?? []) seen.expect(key)
}

/** Fields with the choice first that their source says they are, where the values allow it. */
export function withHints(fields: RecognisedField[], hints: ModelHints | undefined): RecognisedField[] {
  const known = new Map(hints?.fields.map((hint) => [hint.key, hint]))
  return fields.map((field) => {
    const hint = known.get(field.name)
    const choice = hint && bestFor(hint, field.choices)
    if (!hint || !choice) return field
    const others = field.choices.filter((other) => other !== choice)
    const chosen = { ...choice, confidence: 1, why: reason('sourceSchema') }
    const isFirst = choice === field.choices[0]
    // Whether values repeat was counted as the first choice takes them.
    const allows = { ...field.allows, unique: isFirst && field.allows.unique }
    return { ...field, choices: [chosen, ...others], allows }
  })
}

/** The choice of the likeliest type that there is, with the settings that are said, if there is one. */
function bestFor({ types, settings }: FieldHint, choices: MoveTypeChoice[]): MoveTypeChoice | undefined {
  for (const type of types) {
    const possible = choices.filter((choice) => choice.settings.type === type)
    const said = possible.find((choice) =>
      Object.entries(settings).every(([key, value]) => choice.settings[key] === value),
    )
    if (said ?? possible[0]) return said ?? possible[0]
  }
  return undefined
}
