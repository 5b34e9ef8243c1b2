import { type ComponentType, useSyncExternalStore } from 'react'

let companions: readonly ComponentType[] = []
const listeners = new Set<() => void>()

/**
 * Keeps a component mounted next to every page, for activities that outlive navigation. The component may render
 * nothing. The code that needs the component registers it, so that the app frame does not have to load it.
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
