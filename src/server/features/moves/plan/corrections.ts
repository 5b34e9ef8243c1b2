import { isDeepStrictEqual } from 'node:util'
import {
  type AnyMovePlan,
  isCarried,
  type MoveCorrections,
  type MovePlan,
  type PlannedField,
  type PlannedModel,
  type PlannedState,
} from '#shared/contract/move-plans.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { readMovePlan } from './make-planned.ts'
import { pointTo } from './planned-models.ts'
import { withChoices, withCounts } from './planned-states.ts'

interface Planned {
  from: string | null
  fields: PlannedField[]
}

/**
 * Applies corrections to the plan. The user can correct names, descriptions, uids, title fields, the order, the choices
 * for states, and the confirmation. For each field the user can also select one of its `choices` and the switches that
 * its values allow. Everything else stays as recognised. Throws 400 `ValidationFailed` with every invalid value.
 */
export function correctedMovePlan(plan: MovePlan, corrections: MoveCorrections): MovePlan {
  const { app, models, customTypes, confirmed } = corrections
  const issues: Issue[] = []
  const merge = <P extends Planned & { uid: string }>(found: P[], given: P[], at: string): P[] => {
    const left = new Map(found.map((one) => [keyOf(one), one]))
    const merged = given.flatMap((one, index) => {
      const path = `${at}.${index}`
      const known = left.get(keyOf(one))
      left.delete(keyOf(one))
      if (!known) issues.push({ path: `${path}.from`, code: 'InvalidValue' })
      return known ? { ...known, ...wordsOf(one), fields: mergeFields(known, one, path, issues) } : []
    })
    if (left.size > 0) issues.push({ path: at, code: 'TooFewItems' })
    return merged
  }
  const uids = changedUids(plan, models)
  const result: MovePlan = {
    ...plan,
    app,
    models: pointed(merge(plan.models, models, 'data.models'), uids),
    customTypes: pointed(merge(plan.customTypes, customTypes, 'data.customTypes'), uids),
  }
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  readMovePlan(result)
  for (const [at, { from, states = [] }] of models.entries())
    for (const [index, { key }] of states.entries())
      if (!hasState(plan, { from, key }))
        issues.push({ path: `data.models.${at}.states.${index}.key`, code: 'InvalidValue' })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return withStateChoices(result, choicesOf(models), confirmed)
}

type StateChoice = Pick<PlannedState, 'key' | 'choice'> & { from: string }

const choicesOf = (models: readonly Pick<PlannedModel, 'from' | 'states'>[]): StateChoice[] =>
  models.flatMap(({ from, states = [] }) => states.map(({ key, choice }) => ({ from, key, choice })))

const hasState = ({ models }: MovePlan, { from, key }: Pick<StateChoice, 'from' | 'key'>): boolean =>
  models.some((model) => model.from === from && model.states?.some((state) => state.key === key))

/**
 * Returns the plan with the user's choices for the states of its models, and with the user's confirmation. Throws 400
 * for unknown states.
 */
export function withStateChoices(
  plan: MovePlan,
  choices: readonly StateChoice[],
  confirmed: boolean | undefined,
): MovePlan {
  const issues = choices.flatMap((choice, index): Issue[] =>
    hasState(plan, choice) ? [] : [{ path: `data.states.${index}`, code: 'InvalidValue' }],
  )
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  const models = plan.models.map((model) =>
    withChoices(
      model,
      choices.filter(({ from }) => from === model.from),
    ),
  )
  return withCounts(withConfirmation({ ...plan, models }, confirmed))
}

/**
 * Returns the plan of an archive that was checked again, with the user's earlier choices for states that the archive
 * still has.
 */
export function withEarlierChoices(plan: MovePlan, before: AnyMovePlan | null | undefined): MovePlan {
  if (!before || isCarried(before)) return plan
  const choices = choicesOf(before.models).filter((choice) => hasState(plan, choice))
  return withStateChoices(plan, choices, before.confirmed)
}

/**
 * If the plan must be confirmed, returns it with the user's confirmation, and adds or removes the problem
 * `unconfirmedSource`. Returns any other plan unchanged.
 */
function withConfirmation(plan: MovePlan, confirmed = plan.confirmed): MovePlan {
  if (plan.confirmed === undefined || confirmed === undefined) return plan
  const others = plan.problems.filter(({ code }) => code !== 'unconfirmedSource')
  const problem = { code: 'unconfirmedSource' as const, path: '', count: 0, examples: [] }
  return { ...plan, confirmed, problems: confirmed ? others : [problem, ...others] }
}

/** Returns the new uids of models by their uids in the plan. References in corrections use the uids in the plan. */
const changedUids = (plan: MovePlan, models: MoveCorrections['models']) =>
  new Map(
    plan.models.flatMap(({ from, uid }) => {
      const given = models.find((model) => model.from === from)
      return given && given.uid !== uid ? [[uid, given.uid]] : []
    }),
  )

/** Returns the parts with references updated to the new uids of models. */
function pointed<P extends Planned>(parts: P[], uids: ReadonlyMap<string, string>): P[] {
  if (uids.size === 0) return parts
  const fieldsOf = ({ fields }: P) =>
    fields.map((planned) => ({
      ...planned,
      field: pointTo(planned.field, uids),
      choices: planned.choices.map((choice) => ({ ...choice, settings: pointTo(choice.settings, uids) })),
    }))
  return parts.map((part) => ({ ...part, fields: fieldsOf(part) }))
}

/** A custom type without a name at the source is identified by its planned uid. */
const keyOf = ({ from, uid }: Planned & { uid: string }) => from ?? ` ${uid}`

/** Returns the properties of a model or custom type that can be corrected, except its fields. */
function wordsOf(given: { uid: string; name?: string; description?: string; titleField?: string | null }) {
  const { uid, name, description, titleField } = given
  return {
    uid,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(titleField === undefined ? {} : { titleField }),
  }
}

function mergeFields(known: Planned, given: Planned, path: string, issues: Issue[]): PlannedField[] {
  const left = new Map(known.fields.map((field) => [field.from, field]))
  const merged = given.fields.flatMap(({ from, field }, index) => {
    const at = `${path}.fields.${index}`
    const before = left.get(from)
    left.delete(from)
    if (!before) {
      issues.push({ path: `${at}.from`, code: 'InvalidValue' })
      return []
    }
    const { multiple = false, required = false, unique = false } = field as Partial<SwitchedField>
    // Other settings might lose values.
    const choice = before.choices.findIndex(({ settings }) =>
      Object.entries({ ...settings, multiple: settings.multiple ?? false }).every(([key, value]) =>
        isDeepStrictEqual(key === 'multiple' ? multiple : field[key], value),
      ),
    )
    if (choice < 0) issues.push({ path: `${at}.field.type`, code: 'InvalidValue' })
    if (required && !before.allows.required)
      issues.push({ path: `${at}.field.required`, code: 'InvalidValue' })
    // Uniqueness was only determined for values converted by the first choice.
    if (unique && (choice !== 0 || !before.allows.unique))
      issues.push({ path: `${at}.field.unique`, code: 'DuplicatedValue' })
    return { ...before, field }
  })
  if (left.size > 0) issues.push({ path: `${path}.fields`, code: 'TooFewItems' })
  return merged
}

interface SwitchedField {
  multiple?: boolean
  required?: boolean
  unique?: boolean
}
