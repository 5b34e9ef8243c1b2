import { type ComponentType, useSyncExternalStore } from 'react'

let companions: readonly ComponentType[] = []
const listeners = new Set<() => void>()

/**
 * Keeps a component mounted beside whatever page is open, for activities that outlive navigation; it may render
 * nothing. The code that needs it registers it, so that the app frame does not have to load it.
 */
export function showBeside(component: ComponentType): void {
  if (companions.includes(component)) return
  companions = [...companions, component]
  for (const listener of listeners) listener()
}

export function useCompanions(): readonly ComponentType[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => companions,
  )
}
