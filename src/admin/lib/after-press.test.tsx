import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { trackPresses, useAfterPress } from './after-press.ts'

afterEach(cleanup)

const fire = (type: string, button = 0) => window.dispatchEvent(new MouseEvent(type, { button }))
const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0))

it('`afterPress` runs a change immediately, or after the click if the primary button is pressed', async () => {
  const { afterPress } = trackPresses(window)
  const done: string[] = []
  afterPress(() => done.push('at once'))
  expect(done).toEqual(['at once'])
  fire('pointerdown')
  afterPress(() => done.push('message'))
  await nextTask()
  expect(done).toEqual(['at once'])
  fire('pointerup')
  done.push('click')
  await nextTask()
  expect(done).toEqual(['at once', 'click', 'message'])
})

it('`afterPress` waits for the end of the second of two presses, and ignores the secondary button', async () => {
  const { afterPress } = trackPresses(window)
  const done: string[] = []
  fire('pointerdown')
  afterPress(() => done.push('message'))
  fire('pointerup')
  fire('pointerdown')
  await nextTask()
  expect(done).toEqual([])
  fire('pointercancel')
  await nextTask()
  expect(done).toEqual(['message'])
  fire('pointerdown', 2)
  afterPress(() => done.push('beside a menu'))
  expect(done).toEqual(['message', 'beside a menu'])
})

it('`afterPress` waits for the click of a tap, in which `mousedown` follows `pointerup`', async () => {
  const { afterPress } = trackPresses(window)
  const done: string[] = []
  fire('pointerdown')
  fire('pointerup')
  await nextTask()
  fire('mousedown')
  afterPress(() => done.push('message'))
  await nextTask()
  expect(done).toEqual([])
  fire('mouseup')
  done.push('click')
  await nextTask()
  expect(done).toEqual(['click', 'message'])
})

it('`useAfterPress` returns a new value immediately, or after the click if the primary button is pressed', async () => {
  const { result, rerender } = renderHook(({ value }) => useAfterPress(value), {
    initialProps: { value: 'first' },
  })
  rerender({ value: 'second' })
  expect(result.current).toBe('second')
  fire('mousedown')
  rerender({ value: 'third' })
  expect(result.current).toBe('second')
  fire('mouseup')
  await act(nextTask)
  expect(result.current).toBe('third')
})

it('`afterPress` does not wait after a key press if the release of the button was lost', async () => {
  const { afterPress } = trackPresses(window)
  const done: string[] = []
  fire('pointerdown')
  fire('keydown')
  afterPress(() => done.push('message'))
  expect(done).toEqual(['message'])
  await nextTask()
})
