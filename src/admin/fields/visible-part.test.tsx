import { afterEach, expect, it, vi } from 'vitest'
import { caretMargins, uncover } from './visible-part.ts'

afterEach(() => vi.unstubAllGlobals())

/** A 40 px bar, sticky 60 px below the top, in a window of 800 px. */
function stuckBar(viewport: { height: number; offsetTop: number }) {
  const bar = document.createElement('div')
  bar.style.top = '60px'
  document.body.replaceChildren(bar)
  Object.defineProperty(bar, 'offsetHeight', { value: 40 })
  vi.stubGlobal('innerHeight', 800)
  vi.stubGlobal('visualViewport', viewport)
  const scrolled = vi.fn()
  vi.stubGlobal('scrollBy', scrolled)
  return { bar, scrolled }
}

it('a place under the bars or the on-screen keyboard is brought out, another stays', () => {
  const { bar, scrolled } = stuckBar({ height: 500, offsetTop: 0 })
  uncover({ top: 80, bottom: 100 }, bar, null)
  expect(scrolled).toHaveBeenLastCalledWith(0, -32)
  uncover({ top: 560, bottom: 580 }, bar, null)
  expect(scrolled).toHaveBeenLastCalledWith(0, 116)
  uncover({ top: 300, bottom: 320 }, bar, null)
  expect(scrolled).toHaveBeenCalledTimes(2)
})

it('a viewport that was pushed down over the page covers more than the bars', () => {
  const { bar } = stuckBar({ height: 500, offsetTop: 150 })
  const margins = caretMargins(
    () => bar,
    () => null,
  )
  expect([margins.top, margins.bottom]).toEqual([162, -114])
})

it('a notice covers the page from where it sticks, and the panel of uploads covers it without one', () => {
  const { bar, scrolled } = stuckBar({ height: 800, offsetTop: 0 })
  const notice = document.createElement('div')
  notice.style.bottom = '70px'
  Object.defineProperty(notice, 'offsetHeight', { value: 50 })
  document.body.append(notice)
  const bottomOf = (foot: HTMLElement | null) =>
    caretMargins(
      () => bar,
      () => foot,
    ).bottom
  expect(bottomOf(notice)).toBe(36 + 50 + 70)
  expect(bottomOf(null)).toBe(36)
  uncover({ top: 640, bottom: 660 }, bar, notice)
  expect(scrolled).toHaveBeenLastCalledWith(0, 660 - (800 - 36 - 50 - 70))
  document.documentElement.style.setProperty('--imori-below-toasts', '58px')
  expect(bottomOf(null)).toBe(36 + 58)
  document.documentElement.style.removeProperty('--imori-below-toasts')
})
