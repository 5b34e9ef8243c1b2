import { createContext, useContext, useSyncExternalStore } from 'react'

/** The other values of the document around an input, for inputs that follow one. */
export interface SiblingValues {
  /** Was the document never saved? */
  isNew: boolean
  /** What stands in the field of this `_id`; undefined for nothing, and for a field that is not there. */
  get(fieldId: string): unknown
  /** Calls back when that may have changed. Answers what ends it. */
  subscribe(fieldId: string, listener: () => void): () => void
}

/** Without one (a look at a field among its settings), there are no others. */
export const SiblingValuesContext = createContext<SiblingValues>({
  isNew: false,
  get: () => undefined,
  subscribe: () => () => undefined,
})

/** What stands in another field of the document; renders again when it changes. */
export function useSibling(fieldId: string): { value: unknown; isNew: boolean } {
  const { isNew, get, subscribe } = useContext(SiblingValuesContext)
  const value = useSyncExternalStore(
    (listener) => subscribe(fieldId, listener),
    () => get(fieldId),
  )
  return { value, isNew }
}
