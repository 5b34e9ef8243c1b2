import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { closeAllToasts, toast } from '#admin/lib/toast.ts'
import { Toasts } from '#admin/ui/toasts.tsx'
import { caretMargins, uncover } from './visible-part.ts'

// Toasts of earlier test files may still be open.
beforeEach(closeAllToasts)
afterEach(() => vi.unstubAllGlobals())

/** Creates a bar of 40 px height, sticky 60 px below the top, in a window of 800 px height. */
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

it('`uncover` scrolls to a place below the bar or the on-screen keyboard, but not to a visible place', () => {
  const { bar, scrolled } = stuckBar({ height: 500, offsetTop: 0 })
  uncover({ top: 80, bottom: 100 }, bar, null)
  expect(scrolled).toHaveBeenLastCalledWith(0, -32)
  uncover({ top: 560, bottom: 580 }, bar, null)
  expect(scrolled).toHaveBeenLastCalledWith(0, 116)
  uncover({ top: 300, bottom: 320 }, bar, null)
  expect(scrolled).toHaveBeenCalledTimes(2)
})

it('`caretMargins` accounts for the offset of the visual viewport', () => {
  const { bar } = stuckBar({ height: 500, offsetTop: 150 })
  const margins = caretMargins(
    () => bar,
    () => null,
  )
  expect([margins.top, margins.bottom]).toEqual([162, -114])
})

it('`caretMargins` and `uncover` account for a sticky notice', () => {
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

it('`uncover` accounts for an open toast', async () => {
  const { bar, scrolled } = stuckBar({ height: 800, offsetTop: 0 })
  await renderInAdmin(<Toasts />)
  uncover({ top: 740, bottom: 760 }, bar, null)
  expect(scrolled).not.toHaveBeenCalled()
  act(() => toast.success('公開しました'))
  const host = screen.getByRole('region', { name: 'お知らせ' })
  vi.spyOn(host, 'getBoundingClientRect').mockReturnValue({ top: 730 } as DOMRect)
  uncover({ top: 740, bottom: 760 }, bar, null)
  expect(scrolled).toHaveBeenLastCalledWith(0, 760 - (730 - 36))
  act(closeAllToasts)
  cleanup()
})
