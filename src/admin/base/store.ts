import { useSyncExternalStore } from 'react'

/** A value outside of React: what is set is told to who listens, components ({@link useStore}) or not. */
export class Store<T> {
  private value: T
  private readonly listeners = new Set<() => void>()

  constructor(value: T) {
    this.value = value
  }

  get = (): T => this.value

  /** Tells nobody when it is the same value. */
  set(value: T): void {
    if (Object.is(value, this.value)) return
    this.value = value
    for (const listener of [...this.listeners]) listener()
  }

  /** Changes parts of an object. */
  patch(parts: Partial<T>): void {
    this.set({ ...this.value, ...parts })
  }

  /** Answers how to stop listening. */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }
}

/** The store's value; renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
