import { type RefObject, useLayoutEffect } from 'react'

/**
 * Tells the page how high its sticky header is, as `--imori-editor-header` in pixels, and how much of it may scroll
 * away, as `--imori-editor-fold`: all lines above the one with the buttons. What sticks below the header keeps to the
 * difference, however many lines the words take.
 */
export function useStuckHeader(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const page = ref.current
    const element = page?.querySelector<HTMLElement>(':scope > header')
    if (!element || !page) return
    const measure = () => {
      const buttons = element.lastElementChild as HTMLElement | null
      const above = (buttons?.offsetTop ?? 0) - Number.parseFloat(getComputedStyle(element).paddingTop)
      // Less than half a line is only how a lower part is centred beside a higher one.
      page.style.setProperty('--imori-editor-fold', `${above > 12 ? Math.floor(above) : 0}px`)
      page.style.setProperty('--imori-editor-header', `${element.offsetHeight}px`)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
}
