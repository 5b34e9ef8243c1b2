import { useEffect, useMemo } from 'react'

const acts = ['keydown', 'pointerdown', 'input', 'compositionstart'] as const

/** Whether somebody waits for an answer: nothing was done on the page since {@link Awaited.ask}. Others must not take the focus from them. */
export interface Awaited {
  ask(): void
  isAwaited(): boolean
}

export function useAwaited(): Awaited {
  const state = useMemo(() => ({ isAwaited: false }), [])
  useEffect(() => {
    const act = (event: Event) => {
      // A key that is held down is still the one that asked.
      if (!(event instanceof KeyboardEvent && event.repeat)) state.isAwaited = false
    }
    // Before anything that asks because of the same event.
    for (const kind of acts) window.addEventListener(kind, act, { capture: true })
    return () => {
      for (const kind of acts) window.removeEventListener(kind, act, { capture: true })
    }
  }, [state])
  return useMemo(
    () => ({
      ask: () => {
        state.isAwaited = true
      },
      isAwaited: () => state.isAwaited,
    }),
    [state],
  )
}
