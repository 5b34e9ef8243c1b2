import { type ComponentType, useSyncExternalStore } from 'react'

let companions: readonly ComponentType[] = []
const listeners = new Set<() => void>()

/**
 * Shows a component beside whatever page is open, from now on: what goes on while somebody moves through the admin.
 * It comes with the code that needs it first, not with the frame. It may draw nothing.
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
