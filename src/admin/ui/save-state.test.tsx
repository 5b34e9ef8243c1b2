import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { SaveState } from './save-state.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it.each([
  ['of today without the date', '2026-05-02T03:04:00Z', '12:04に保存済み'],
  ['of an earlier day with the date', '2026-04-30T14:52:00Z', '2026年4月30日 23:52に保存済み'],
])('the save state shows the time of a save %s', async (_, at, words) => {
  vi.useFakeTimers({ now: new Date('2026-05-02T05:00:00Z'), toFake: ['Date'] })
  await renderInAdmin(<SaveState value={{ state: 'saved', at: new Date(at) }} />)
  expect(screen.getByRole('status').textContent).toBe(words)
})
