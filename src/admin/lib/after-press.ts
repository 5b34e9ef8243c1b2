/**
 * Follows presses of the primary button on `target`, and returns a function that runs a change now, or after the click
 * while the button is pressed.
 */
export function trackPresses(target: EventTarget): (change: () => void) => void {
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
  target.addEventListener('pointerdown', press, { capture: true })
  // A drag fires `pointercancel`; an open context menu swallows `pointerup`.
  for (const kind of ['pointerup', 'pointercancel', 'contextmenu'])
    target.addEventListener(kind, release, { capture: true })

  return (change) => {
    if (isPressed) waiting.add(change)
    else change()
  }
}

/**
 * Runs a change now, or after the click while a pointer is pressed. Pressing a button blurs the focused field; a
 * message that the field then shows could move the button from under the pointer, and the click would be lost.
 */
export const afterPress = trackPresses(window)
