import { useEffect, useState } from 'react'

/**
 * Returns the focused element; inside a menu that is about to close, returns the button that opened the menu. `null` if
 * no element has the focus.
 */
function focusedElement(): HTMLElement | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  const opener = element.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return (opener && document.getElementById(opener)) || element
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

function fallback(): HTMLElement | null {
  // On a settings page this is the section, so that Tab skips the list next to it.
  return document.getElementById('section') ?? document.getElementById('main')
}

/**
 * If no control has the focus, moves it to `element`. If `element` was removed or cannot be focused, moves it to the
 * page's main part.
 */
export function giveFocusBack(element: HTMLElement | null): void {
  const main = fallback()
  // The page may have moved a lost focus to its main part between the end of a dialog and this call.
  if (!isLost() && document.activeElement !== main) return
  if (element?.isConnected) element.focus({ preventScroll: true })
  if (isLost()) main?.focus({ preventScroll: true })
}

/** For overlays: on unmount, returns the focus to the element that had it before the component was mounted. */
export function useFocusBack(): void {
  const [before] = useState(focusedElement)
  useEffect(
    () => () => {
      // Other close handlers run first, during the delay. They may have moved the focus elsewhere.
      setTimeout(() => giveFocusBack(before), 30)
    },
    [before],
  )
}
