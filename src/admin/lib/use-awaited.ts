import { useEffect, useMemo } from 'react'

const acts = ['keydown', 'pointerdown', 'input', 'compositionstart'] as const

/**
 * Reports whether the user is still waiting for a response: the user has done nothing on the page since {@link
 * Awaited.ask}. Only then may the response move the focus.
 */
export interface Awaited {
  ask(): void
  isAwaited(): boolean
}

export function useAwaited(): Awaited {
  const state = useMemo(() => ({ isAwaited: false }), [])
  useEffect(() => {
    const act = (event: Event) => {
      // The repetition of the key that started the request does not count as a new action.
      if (!(event instanceof KeyboardEvent && event.repeat)) state.isAwaited = false
    }
    // The capture phase runs before any handler that calls `ask` for the same event.
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
