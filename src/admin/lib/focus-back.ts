import { useEffect, useState } from 'react'

/** What has the focus, or, inside of a menu that is about to close, the button that opened it. */
function focusedElement(): HTMLElement | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  const opener = element.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return (opener && document.getElementById(opener)) || element
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Gives a focus that was lost to `element`; to the page's main part when that is gone or cannot take it. */
export function giveFocusBack(element: HTMLElement | null): void {
  if (!isLost()) return
  if (element?.isConnected) element.focus({ preventScroll: true })
  if (isLost()) document.getElementById('main')?.focus({ preventScroll: true })
}

/** For windows above the page: when the component goes, the focus goes back to where it was before it came. */
export function useFocusBack(): void {
  const [before] = useState(focusedElement)
  useEffect(
    () => () => {
      // After whatever else is done on closing: who opened the window may put the focus elsewhere.
      setTimeout(() => giveFocusBack(before), 30)
    },
    [before],
  )
}
