import { type ConversionEnvironment, convertValue, type FieldChange } from './convert.ts'
import type { StoredValues } from './document.ts'
import { isSameValue } from './same-value.ts'

/** The draft and the published values of a document. `null`: the document has no such state. */
export interface States {
  draft: StoredValues | null
  pub: StoredValues | null
}

/** Returns the values of the changed fields in both states of a document. `null` if neither state has any. */
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

export interface TakingBack {
  changes: FieldChange[]
  /** Conversions from the current fields to the previous ones, for values written since the change. */
  back: FieldChange[]
}

/** The values of a document from before a change. `isUntouched`: the document has not been edited since. */
export interface Kept extends States {
  isUntouched: boolean
}

/**
 * Returns a document after undoing a change. Stored old values are restored unless they were edited since. Edited
 * values are converted back. `open` contains the values that had to be converted, by state. The caller must drop a
 * draft that equals the published state.
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
    // No old values are stored for fields that the change added or widened, so values written since are converted back.
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
  // A draft that the change had made equal to the published state is restored.
  const hadDraft = kept?.isUntouched === true && kept.draft !== null
  const wasPublishedSince = kept?.isUntouched === false && now.draft === null
  const draft = restore(now.draft ?? (hadDraft ? now.pub : null), present(kept?.draft, kept?.pub))
  const pub = restore(
    now.pub,
    wasPublishedSince ? present(kept?.draft, kept?.pub) : present(kept?.pub, kept?.draft),
  )
  return { states: { draft: draft.values, pub: pub.values }, open: { draft: draft.open, pub: pub.open } }
}
