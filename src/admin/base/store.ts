import { useSyncExternalStore } from 'react'

/** An observable value outside of React; components read it with {@link useStore}. */
export class Store<T> {
  private value: T
  private readonly listeners = new Set<() => void>()

  constructor(value: T) {
    this.value = value
  }

  get = (): T => this.value

  /** Replaces the value. Does not notify the listeners if the value is unchanged. */
  set(value: T): void {
    if (Object.is(value, this.value)) return
    this.value = value
    for (const listener of [...this.listeners]) listener()
  }

  patch(parts: Partial<T>): void {
    this.set({ ...this.value, ...parts })
  }

  /** Returns a function that unsubscribes. */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }
}

/** Returns the store's value and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
