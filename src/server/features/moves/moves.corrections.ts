import { isDeepStrictEqual } from 'node:util'
import {
  type AnyMovePlan,
  type CarriedCorrections,
  isCarried,
  type MoveCorrections,
  type MovePlan,
  type PlannedField,
} from '#shared/contract/move-plans.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { uidProblem } from '#shared/identifiers.ts'
import { readPlan } from './moves.make.ts'
import { pointTo } from './moves.planned.ts'

interface Planned {
  from: string | null
  fields: PlannedField[]
}

/**
 * The plan with what people corrected: names, uids, title fields, the order, and of each field one of its choices and the switches
 * that its values allow. Everything else of it stays as it was found. Throws 400 naming every culprit.
 */
export function corrected(plan: AnyMovePlan, corrections: MoveCorrections | CarriedCorrections): AnyMovePlan {
  if (!isCarried(plan)) {
    if ('ids' in corrections) throw invalid('data.models', 'Required')
    return correctedPlan(plan, corrections)
  }
  if (!('ids' in corrections)) throw invalid('data.ids', 'Required')
  const problem = uidProblem('app', corrections.app.uid)
  if (problem) throw invalid('data.app.uid', problem)
  return { ...plan, ...corrections }
}

function correctedPlan(plan: MovePlan, { app, models, customTypes }: MoveCorrections): MovePlan {
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
  readPlan(result)
  return result
}

/** What models were called, and are called from now on: a correction refers to them as the plan did. */
const changedUids = (plan: MovePlan, models: MoveCorrections['models']) =>
  new Map(
    plan.models.flatMap(({ from, uid }) => {
      const given = models.find((model) => model.from === from)
      return given && given.uid !== uid ? [[uid, given.uid]] : []
    }),
  )

/** The parts with references to models as they are called now. */
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

/** A custom type that nothing names is known by the uid that it was given. */
const keyOf = ({ from, uid }: Planned & { uid: string }) => from ?? ` ${uid}`

/** What people may say of a model or custom type beside its fields. */
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
    // Any other settings might lose values.
    const choice = before.choices.findIndex(({ settings }) =>
      Object.entries({ ...settings, multiple: settings.multiple ?? false }).every(([key, value]) =>
        isDeepStrictEqual(key === 'multiple' ? multiple : field[key], value),
      ),
    )
    if (choice < 0) issues.push({ path: `${at}.field.type`, code: 'InvalidValue' })
    if (required && !before.allows.required)
      issues.push({ path: `${at}.field.required`, code: 'InvalidValue' })
    // Whether values repeat was counted as the first choice takes them.
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
