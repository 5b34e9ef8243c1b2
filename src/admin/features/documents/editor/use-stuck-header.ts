import { type RefObject, useLayoutEffect } from 'react'

/**
 * Sets two lengths of the sticky header, in pixels. `--imori-editor-header`: its height. `--imori-editor-fold`: the
 * height of all lines above the buttons, which may scroll away.
 */
export function useStuckHeader(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const page = ref.current
    const element = page?.querySelector<HTMLElement>(':scope > header')
    if (!element || !page) return
    const measure = () => {
      const buttons = element.lastElementChild as HTMLElement | null
      const above = (buttons?.offsetTop ?? 0) - Number.parseFloat(getComputedStyle(element).paddingTop)
      // An offset of up to 12 px comes from vertical centring within one line.
      page.style.setProperty('--imori-editor-fold', `${above > 12 ? Math.floor(above) : 0}px`)
      page.style.setProperty('--imori-editor-header', `${element.offsetHeight}px`)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
}
