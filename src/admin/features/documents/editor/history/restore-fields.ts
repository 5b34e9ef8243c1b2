import type { WholeRevision } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import type { DocumentStore } from '../document-store.ts'
import { sameStored } from '../same-stored.ts'
import type { Values } from '../values.ts'

type Version = Pick<WholeRevision, 'values' | 'left'>

/**
 * Returns whether the version's value does not fit the current field. Such a field is neither compared nor restored.
 */
export const isUnreadable = ({ uid }: Field, { values, left }: Version): boolean =>
  values[uid] === undefined && left.some(({ field }) => field === uid)

/** Returns the fields whose current input differs from the version. */
export const differingFields = (store: DocumentStore, version: Version): Field[] =>
  store.model.fields.filter(
    (field) =>
      !isUnreadable(field, version) && !sameStored(field, store.get(field.uid), version.values[field.uid]),
  )

export interface Restoring {
  /** Sets the fields back to the earlier input. */
  undo(): void
  /** Calls the listener once, when one of the fields is changed afterwards. */
  onEdit(listener: () => void): void
}

/** Sets the fields to their values in the version, as unsaved input. Fields without a value become empty. */
export function restoreFields(store: DocumentStore, fields: readonly Field[], values: Values): Restoring {
  const before = store.all()
  for (const { uid } of fields) store.set(uid, values[uid])
  let stops: (() => void)[] = []
  const stop = () => {
    for (const one of stops) one()
    stops = []
  }
  return {
    undo: () => {
      stop()
      for (const { uid } of fields) store.set(uid, before[uid])
    },
    onEdit: (listener) => {
      stops = fields.map((field) =>
        store.subscribe(`value:${field.uid}`, () => {
          // An input may write an equal value with another spelling, for example other HTML.
          if (sameStored(field, store.get(field.uid), values[field.uid])) return
          stop()
          listener()
        }),
      )
    },
  }
}
