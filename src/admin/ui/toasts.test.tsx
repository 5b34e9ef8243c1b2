import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { toast } from '#admin/lib/toast.ts'
import { Toasts } from './toasts.tsx'

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  await renderInAdmin(<Toasts />)
  // Closes toasts that earlier tests opened.
  act(() => vi.advanceTimersByTime(60_000))
})
afterEach(() => {
  act(() => vi.advanceTimersByTime(60_000))
  cleanup()
  vi.useRealTimers()
})

describe('toasts', () => {
  it('stay for about six seconds despite clicks elsewhere, if they have neither pointer nor focus', () => {
    act(() => toast.success('保存しました'))
    expect(screen.getByRole('status').textContent).toBe('保存しました')
    fireEvent.mouseDown(document.body)
    fireEvent.click(document.body)
    act(() => vi.advanceTimersByTime(5_900))
    expect(screen.queryByText('保存しました')).not.toBeNull()
    act(() => vi.advanceTimersByTime(200))
    expect(screen.queryByText('保存しました')).toBeNull()
  })

  it('close when the close button is pressed', () => {
    act(() => toast.error('失敗しました'))
    expect(screen.getByRole('alert').dataset.type).toBe('error')
    fireEvent.click(screen.getByRole('button', { name: '閉じる' }))
    expect(screen.queryByText('失敗しました')).toBeNull()
  })

  it('show a message once if it is repeated while it is shown', () => {
    act(() => {
      toast.error('失敗しました')
      toast.error('失敗しました')
    })
    expect(screen.getAllByText('失敗しました')).toHaveLength(1)
  })
})
