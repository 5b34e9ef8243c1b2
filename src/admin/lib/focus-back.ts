import { useEffect, useState } from 'react'

/** The focused element or, inside a menu that is about to close, the button that opened the menu. */
function focusedElement(): HTMLElement | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  const opener = element.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return (opener && document.getElementById(opener)) || element
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** The part of the page that takes the focus when nothing else does. */
function fallback(): HTMLElement | null {
  // On a settings page this is the section, so that Tab does not go through the list beside it.
  return document.getElementById('section') ?? document.getElementById('main')
}

/**
 * If no control has the focus, moves it to `element`, or to the page's main part when `element` is gone or cannot be
 * focused.
 */
export function giveFocusBack(element: HTMLElement | null): void {
  const main = fallback()
  // The page may have taken a lost focus between the end of a dialog and this call.
  if (!isLost() && document.activeElement !== main) return
  if (element?.isConnected) element.focus({ preventScroll: true })
  if (isLost()) main?.focus({ preventScroll: true })
}

/** For overlays: on unmount, returns the focus to the element that had it before the component was mounted. */
export function useFocusBack(): void {
  const [before] = useState(focusedElement)
  useEffect(
    () => () => {
      // The delay lets other close handlers run first: the opener may have moved the focus elsewhere.
      setTimeout(() => giveFocusBack(before), 30)
    },
    [before],
  )
}
