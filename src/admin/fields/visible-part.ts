/** Space between the caret and any element that covers the page, in pixels. */
const breath = { top: 12, bottom: 36 }

const pixels = (length: string) => Number.parseFloat(length) || 0

/**
 * Returns the covered height at the top and bottom of the window, in pixels. Sticky bars (`bar` is the lowest) cover
 * the top. An on-screen keyboard covers the bottom; only the visual viewport reveals it.
 */
function covered(bar: HTMLElement | null): { top: number; bottom: number } {
  const stuck = bar ? pixels(getComputedStyle(bar).top) + bar.offsetHeight : 0
  const viewport = window.visualViewport
  const offset = viewport?.offsetTop ?? 0
  const keyboard = viewport ? Math.max(0, window.innerHeight - viewport.height - offset) : 0
  return { top: Math.max(stuck, offset), bottom: keyboard }
}

/**
 * Returns the height in pixels that toasts or the notice `foot` cover at the bottom of the window, whichever is larger.
 * Without a notice, the upload panel counts instead.
 */
function coveredByFoot(foot: HTMLElement | null): number {
  const toasts = document.querySelector('[data-toasts]:not(:empty)')
  return Math.max(
    foot
      ? foot.offsetHeight + pixels(getComputedStyle(foot).bottom)
      : pixels(document.documentElement.style.getPropertyValue('--imori-below-toasts')),
    toasts ? window.innerHeight - toasts.getBoundingClientRect().top : 0,
  )
}

/**
 * Returns `scrollMargin` and `scrollThreshold` for a ProseMirror view. Getters compute them again on each scroll.
 * `foot` returns an element that is sticky at the bottom of the window.
 */
export function caretMargins(bar: () => HTMLElement | null, foot: () => HTMLElement | null) {
  return {
    left: 0,
    right: 0,
    get top() {
      return covered(bar()).top + breath.top
    },
    get bottom() {
      // ProseMirror accounts for the keyboard's height but not for the viewport's offset.
      return breath.bottom + coveredByFoot(foot()) - (window.visualViewport?.offsetTop ?? 0)
    },
  }
}

/** Whether the element is inside a full-screen text. */
export const isFullScreen = (element: Element): boolean => element.closest('[data-full-screen]') !== null

/**
 * Scrolls the page until a place (the caret's line) is not covered. `foot` is an element that is sticky at the bottom
 * of the window.
 */
export function uncover(
  place: { top: number; bottom: number },
  bar: HTMLElement | null,
  foot: HTMLElement | null,
): void {
  // A full-screen text has its own scrolling.
  if (bar && isFullScreen(bar)) return
  const cover = covered(bar)
  const above = cover.top + breath.top - place.top
  const below =
    place.bottom - (window.innerHeight - Math.max(cover.bottom, coveredByFoot(foot)) - breath.bottom)
  if (above > 0) window.scrollBy(0, -above)
  else if (below > 0) window.scrollBy(0, below)
}
