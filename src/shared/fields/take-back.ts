import { type ConversionEnvironment, convertValue, type FieldChange } from './convert.ts'
import type { StoredValues } from './document.ts'
import { isSameValue } from './same-value.ts'

/** Both states of a document; null: there is no such state. */
export interface States {
  draft: StoredValues | null
  pub: StoredValues | null
}

/** What a document held in changed fields, and nothing else of it. Null: nothing, in either state. */
export function valuesBefore(states: States, changes: FieldChange[]): States | null {
  const pick = (values: StoredValues | null) =>
    values &&
    Object.fromEntries(
      changes.flatMap(({ from: { _id } }) => (values[_id] === undefined ? [] : [[_id, values[_id]]])),
    )
  const kept = { draft: pick(states.draft), pub: pick(states.pub) }
  const isEmpty = (values: StoredValues | null) => !values || Object.keys(values).length === 0
  return isEmpty(kept.draft) && isEmpty(kept.pub) ? null : kept
}

/** A change of fields that is taken back. */
export interface TakingBack {
  /** What was changed then. */
  changes: FieldChange[]
  /** From the fields as they are today to what they were: for values that were written since. */
  back: FieldChange[]
}

/** What a document held before a change, and whether anybody has written the document since. */
export interface Kept extends States {
  isUntouched: boolean
}

/**
 * A document as it is after a change that is taken back: with what it held before, wherever that has not been written
 * anew, and elsewhere with what its values of today become. `open`: the values that have to become something, by state.
 * The caller sees to it that a draft is none that is the same as what is published.
 */
export function takeBack(
  now: States,
  kept: Kept | undefined,
  { changes, back }: TakingBack,
  environment?: ConversionEnvironment,
): { states: States; open: States } {
  const restore = (values: StoredValues | null, candidates: StoredValues[]) => {
    if (!values) return { values, open: null }
    const result = { ...values }
    const open: StoredValues = {}
    const convert = ({ from, to }: FieldChange) => {
      const held = values[from._id]
      if (held === undefined) return
      open[from._id] = held
      const { value } = convertValue(from, to, held, environment)
      delete result[from._id]
      if (value !== undefined) result[from._id] = value
    }
    // Of a field that the change added or widened, nothing was kept: what was written since has to fit again.
    if (!kept?.isUntouched)
      for (const change of back)
        if (!changes.some(({ from }) => from._id === change.from._id)) convert(change)
    for (const { from, to } of changes) {
      const { _id } = from
      const old = kept?.isUntouched
        ? candidates[0]
        : candidates.find((candidate) =>
            isSameValue(convertValue(from, to, candidate[_id], environment).value, values[_id]),
          )
      if (old) {
        delete result[_id]
        if (old[_id] !== undefined) result[_id] = old[_id]
        continue
      }
      const change = back.find((candidate) => candidate.from._id === _id)
      if (change) convert(change)
    }
    return { values: result, open }
  }
  const present = (...states: (StoredValues | null | undefined)[]) =>
    states.filter((values) => values != null)
  // A draft that the change made the same as what is published is one again.
  const hadDraft = kept?.isUntouched === true && kept.draft !== null
  const wasPublishedSince = kept?.isUntouched === false && now.draft === null
  const draft = restore(now.draft ?? (hadDraft ? now.pub : null), present(kept?.draft, kept?.pub))
  const pub = restore(
    now.pub,
    wasPublishedSince ? present(kept?.draft, kept?.pub) : present(kept?.pub, kept?.draft),
  )
  return { states: { draft: draft.values, pub: pub.values }, open: { draft: draft.open, pub: pub.open } }
}
