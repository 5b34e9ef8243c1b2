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

it('`useReconnect` polls the unreachable server, and calls `run` once when the server is back', async () => {
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

it('`useReconnect` calls `run` after an `online` event if the server responds', async () => {
  answerRequests(() => ({ body: { currentAccount: null } }))
  const run = vi.fn()
  renderHook(() => useReconnect(true, run))
  window.dispatchEvent(new Event('online'))
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(run).toHaveBeenCalledTimes(1)
})

it('`useReconnect` calls `run` after a `visibilitychange` event of a visible tab if the server responds', async () => {
  answerRequests(() => ({ body: { currentAccount: null } }))
  const run = vi.fn()
  renderHook(() => useReconnect(true, run))
  document.dispatchEvent(new Event('visibilitychange'))
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(run).toHaveBeenCalledTimes(1)
})
