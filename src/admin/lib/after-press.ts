let isPressed = false
const waiting = new Set<() => void>()

function release() {
  isPressed = false
  // The click follows the release within the same task.
  setTimeout(() => {
    if (isPressed) return
    const due = [...waiting]
    waiting.clear()
    for (const run of due) run()
  }, 0)
}

addEventListener(
  'pointerdown',
  ({ button }) => {
    if (button === 0) isPressed = true
  },
  { capture: true },
)
// A drag fires `pointercancel`; an open context menu swallows `pointerup`.
for (const kind of ['pointerup', 'pointercancel', 'contextmenu'])
  addEventListener(kind, release, { capture: true })

/**
 * Runs `change` now, or after the click while a pointer is pressed. Pressing a button blurs the focused field; a
 * message that the field then shows could move the button from under the pointer, and the click would be lost.
 */
export function afterPress(change: () => void): void {
  if (isPressed) waiting.add(change)
  else change()
}
