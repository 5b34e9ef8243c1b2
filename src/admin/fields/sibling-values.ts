import { createContext, useContext, useSyncExternalStore } from 'react'

/** The other values of the document, for inputs that depend on one. */
export interface SiblingValues {
  /** Whether the document has never been saved. */
  isNew: boolean
  /** The value of the field with this `_id`; undefined if it is empty or does not exist. */
  get(fieldId: string): unknown
  /** Notifies when that value may have changed. Returns a function that unsubscribes. */
  subscribe(fieldId: string, listener: () => void): () => void
}

/** The default, for previews in a field's settings: no other values. */
export const SiblingValuesContext = createContext<SiblingValues>({
  isNew: false,
  get: () => undefined,
  subscribe: () => () => undefined,
})

/** The value of another field of the document; renders again when it changes. */
export function useSibling(fieldId: string): { value: unknown; isNew: boolean } {
  const { isNew, get, subscribe } = useContext(SiblingValuesContext)
  const value = useSyncExternalStore(
    (listener) => subscribe(fieldId, listener),
    () => get(fieldId),
  )
  return { value, isNew }
}
