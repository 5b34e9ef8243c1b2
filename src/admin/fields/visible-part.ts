/** Room between the caret and what covers the page, in pixels. */
const breath = { top: 12, bottom: 36 }

/**
 * How much of the window is covered above and below, in pixels: by the bars that stick to its top, of which `bar` is
 * the lowest, and by an on-screen keyboard, which browsers only tell of by the visual viewport.
 */
function covered(bar: HTMLElement | null): { top: number; bottom: number } {
  const stuck = bar ? (Number.parseFloat(getComputedStyle(bar).top) || 0) + bar.offsetHeight : 0
  const viewport = window.visualViewport
  const offset = viewport?.offsetTop ?? 0
  const keyboard = viewport ? Math.max(0, window.innerHeight - viewport.height - offset) : 0
  return { top: Math.max(stuck, offset), bottom: keyboard }
}

/**
 * `scrollMargin` and `scrollThreshold` of a ProseMirror view: read anew each time the caret is brought into view.
 * `foot` sticks to the bottom of the window.
 */
export function caretMargins(bar: () => HTMLElement | null, foot: () => HTMLElement | null) {
  return {
    left: 0,
    right: 0,
    get top() {
      return covered(bar()).top + breath.top
    },
    get bottom() {
      // The view itself leaves out what the keyboard takes, but not how far the viewport has been pushed down.
      return breath.bottom + (foot()?.offsetHeight ?? 0) - (window.visualViewport?.offsetTop ?? 0)
    },
  }
}

/** Scrolls the page until a place in it (the caret's line) is not covered. */
export function uncover(place: { top: number; bottom: number }, bar: HTMLElement | null): void {
  const cover = covered(bar)
  const above = cover.top + breath.top - place.top
  const below = place.bottom - (window.innerHeight - cover.bottom - breath.bottom)
  if (above > 0) window.scrollBy(0, -above)
  else if (below > 0) window.scrollBy(0, below)
}
