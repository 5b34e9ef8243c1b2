import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { reconnectTime } from '#admin/base/reconnect.ts'
import { answerRequests } from './testing.tsx'
import { useReconnect } from './use-reconnect.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('polls the server while it is unreachable, and calls `run` once when it answers', async () => {
  let away = true
  const seen = answerRequests(() =>
    away ? new Error('connection refused') : { body: { currentAccount: null } },
  )
  const run = vi.fn()
  const { rerender } = renderHook(({ offline }) => useReconnect(offline, run), {
    initialProps: { offline: false },
  })
  await act(() => vi.advanceTimersByTimeAsync(3 * reconnectTime))
  expect(seen).toEqual([])

  rerender({ offline: true })
  await act(() => vi.advanceTimersByTimeAsync(2 * reconnectTime))
  expect(seen).toHaveLength(2)
  expect(run).not.toHaveBeenCalled()

  away = false
  await act(() => vi.advanceTimersByTimeAsync(2 * reconnectTime))
  expect(run).toHaveBeenCalledTimes(1)
})

it('checks the server immediately when the browser is online again', async () => {
  answerRequests(() => ({ body: { currentAccount: null } }))
  const run = vi.fn()
  renderHook(() => useReconnect(true, run))
  window.dispatchEvent(new Event('online'))
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(run).toHaveBeenCalledTimes(1)
})

it('checks the server immediately when the tab is shown again', async () => {
  answerRequests(() => ({ body: { currentAccount: null } }))
  const run = vi.fn()
  renderHook(() => useReconnect(true, run))
  document.dispatchEvent(new Event('visibilitychange'))
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(run).toHaveBeenCalledTimes(1)
})
