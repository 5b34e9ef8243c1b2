import { uncover } from './visible-part.ts'

/**
 * CSS properties that make an element the containing block of `position: fixed` descendants, and their neutral values.
 */
const holding = { transform: 'none', contentVisibility: 'visible', contain: 'none' } as const

/**
 * Sets the properties in `holding` to their neutral values on all ancestors, so that `position: fixed` is relative to
 * the window even inside a drawer or a long list of blocks. Returns a function that restores them.
 */
export function freeAncestors(element: HTMLElement): () => void {
  const undo: (() => void)[] = []
  for (let at = element.parentElement; at; at = at.parentElement) {
    const { style } = at
    const computed = getComputedStyle(at)
    for (const [name, free] of Object.entries(holding) as [keyof typeof holding, string][]) {
      if (computed[name] === free) continue
      const before = style[name]
      style[name] = free
      undo.push(() => {
        style[name] = before
      })
    }
  }
  return () => {
    for (const end of undo) end()
  }
}

/**
 * Stores the position and height of the visible part of the window in CSS variables of the element, and updates them.
 * An on-screen keyboard reduces this part. Returns a function that stops this and removes the variables.
 */
export function fillVisiblePart(element: HTMLElement): () => void {
  const viewport = window.visualViewport
  if (!viewport) return () => undefined
  const resize = () => {
    element.style.setProperty('--imori-visible-top', `${viewport.offsetTop}px`)
    element.style.setProperty('--imori-visible-height', `${viewport.height}px`)
  }
  resize()
  for (const kind of ['resize', 'scroll'] as const) viewport.addEventListener(kind, resize)
  return () => {
    for (const kind of ['resize', 'scroll'] as const) viewport.removeEventListener(kind, resize)
    element.style.removeProperty('--imori-visible-top')
    element.style.removeProperty('--imori-visible-height')
  }
}

const texts = '[contenteditable="true"], textarea'

/**
 * Focuses the text inside an element, unless the focus is already inside, and scrolls the caret into view. If the caret
 * has no known position (in a textarea, for example), scrolls the element into view.
 */
export function showCaret(element: HTMLElement): void {
  if (!element.contains(document.activeElement))
    element.querySelector<HTMLElement>(texts)?.focus({ preventScroll: true })
  const focused = document.activeElement
  const place = caretPlace()
  if (!place || !(focused instanceof HTMLElement) || !focused.isContentEditable) {
    element.scrollIntoView({ block: 'nearest' })
    return
  }
  const bar = element.querySelector<HTMLElement>('[data-format-bar]')
  const scroller = element.hasAttribute('data-full-screen') ? focused.closest('[data-editor]') : null
  if (!scroller) uncover(place, bar, element.querySelector('[data-notice]'))
  else {
    const { top, bottom } = scroller.getBoundingClientRect()
    if (place.top < top + (bar?.offsetHeight ?? 0) || place.bottom > bottom)
      scroller.scrollTop += place.top - (top + bottom) / 2
  }
}

/**
 * Returns the upper and lower edge of the caret, which is the focus of the selection. Null if there is no selection or
 * the caret has no position.
 */
function caretPlace(): { top: number; bottom: number } | null {
  const selection = getSelection()
  if (!selection?.focusNode) return null
  const { focusNode, focusOffset } = selection
  const range = document.createRange()
  range.setStart(focusNode, focusOffset)
  const { top, bottom } = range.getBoundingClientRect()
  if (bottom > 0 || top !== bottom) return { top, bottom }
  // A range in an empty line has no rectangle, so the rectangle of the line is used.
  const line = focusNode instanceof Element ? (focusNode.childNodes[focusOffset] ?? focusNode) : focusNode
  return line instanceof Element ? line.getBoundingClientRect() : null
}

const stops = 'a[href], button, input, select, textarea, [tabindex], [contenteditable="true"]'

/** Traps Tab inside an element: from the last focusable element to the first, and back. */
export function tabInside(event: KeyboardEvent, element: HTMLElement): void {
  const inside = [...element.querySelectorAll<HTMLElement>(stops)].filter(
    (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility(),
  )
  const [first, last] = [inside[0], inside.at(-1)]
  const target = event.target
  if (!first || !last || target !== (event.shiftKey ? first : last)) return
  event.preventDefault()
  const next = event.shiftKey ? last : first
  next.focus()
}
