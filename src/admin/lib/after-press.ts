import { useEffect, useReducer, useRef } from 'react'

/** Runs changes immediately. While the primary button or a finger is pressed, runs them after the click. */
export interface Presses {
  isPressed: () => boolean
  afterPress: (change: () => void) => void
}

/** Tracks presses of the primary button and of fingers on `target`. */
export function trackPresses(target: EventTarget): Presses {
  let isPressed = false
  const waiting = new Set<() => void>()

  const press = (event: Event) => {
    if (event instanceof MouseEvent && event.button === 0) isPressed = true
  }
  const release = () => {
    isPressed = false
    // The click follows the release within the same task.
    setTimeout(() => {
      if (isPressed) return
      const due = [...waiting]
      waiting.clear()
      for (const run of due) run()
    }, 0)
  }
  // After a tap, `mousedown`, which moves the focus, follows `pointerup`.
  for (const kind of ['pointerdown', 'mousedown']) target.addEventListener(kind, press, { capture: true })
  // A drag fires `pointercancel`; an open context menu or list of options swallows `pointerup`.
  for (const kind of ['pointerup', 'mouseup', 'pointercancel', 'contextmenu', 'keydown'])
    target.addEventListener(kind, release, { capture: true })

  return {
    isPressed: () => isPressed,
    afterPress: (change) => {
      if (isPressed) waiting.add(change)
      else change()
    },
  }
}

const presses = trackPresses(window)

/**
 * Runs a change immediately. While a pointer is pressed, runs it after the click. Pressing a button blurs the focused
 * field. If the field then showed a message, the button could move away from the pointer, and the click would be lost.
 */
export const afterPress = presses.afterPress

/**
 * Returns `value`. While a pointer is pressed, returns the value from before the press, for the reason given at {@link
 * afterPress}.
 */
export function useAfterPress<T>(value: T): T {
  const shown = useRef(value)
  const [, render] = useReducer((count: number) => count + 1, 0)
  if (!presses.isPressed()) shown.current = value
  const isBehind = shown.current !== value
  useEffect(() => {
    if (isBehind) afterPress(render)
  }, [isBehind])
  return shown.current
}
