import { type RefObject, useLayoutEffect } from 'react'

/**
 * Sets the height of the sticky header as `--imori-editor-header` and the part that may scroll away as
 * `--imori-editor-fold`, both in pixels: all lines above the one with the buttons. Sticky elements below the header use
 * the difference.
 */
export function useStuckHeader(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const page = ref.current
    const element = page?.querySelector<HTMLElement>(':scope > header')
    if (!element || !page) return
    const measure = () => {
      const buttons = element.lastElementChild as HTMLElement | null
      const above = (buttons?.offsetTop ?? 0) - Number.parseFloat(getComputedStyle(element).paddingTop)
      // A small offset only comes from vertical centring within a line.
      page.style.setProperty('--imori-editor-fold', `${above > 12 ? Math.floor(above) : 0}px`)
      page.style.setProperty('--imori-editor-header', `${element.offsetHeight}px`)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
}
