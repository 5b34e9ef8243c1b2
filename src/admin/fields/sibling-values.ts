import { createContext, useContext, useSyncExternalStore } from 'react'

/** The other values of the document, for inputs that depend on one of them. */
export interface SiblingValues {
  isNew: boolean
  /** Returns the value of the field with this `_id`; undefined if it is empty or does not exist. */
  get(fieldId: string): unknown
  /** Calls `listener` when the value of this field may have changed. Returns a function that unsubscribes. */
  subscribe(fieldId: string, listener: () => void): () => void
}

/** By default there are no other values, as in the preview in a field's settings. */
export const SiblingValuesContext = createContext<SiblingValues>({
  isNew: false,
  get: () => undefined,
  subscribe: () => () => undefined,
})

/** Returns the value of another field of the document, and renders again when it changes. */
export function useSibling(fieldId: string): { value: unknown; isNew: boolean } {
  const { isNew, get, subscribe } = useContext(SiblingValuesContext)
  const value = useSyncExternalStore(
    (listener) => subscribe(fieldId, listener),
    () => get(fieldId),
  )
  return { value, isNew }
}
