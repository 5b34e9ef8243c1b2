import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { type Awaited, useAwaited } from './use-awaited.ts'

afterEach(cleanup)

let awaited: Awaited

function Page() {
  awaited = useAwaited()
  return (
    <>
      <button type="button" onClick={awaited.ask}>
        save
      </button>
      <input />
    </>
  )
}

function show(): HTMLElement {
  render(<Page />)
  return screen.getByRole('textbox')
}

it('`useAwaited` reports a response as awaited until the next key, pointer press, input or composition', () => {
  const box = show()
  expect(awaited.isAwaited()).toBe(false)
  for (const act of [
    () => fireEvent.keyDown(box, { key: 'a' }),
    () => fireEvent.pointerDown(box),
    () => fireEvent.input(box, { target: { value: '春' } }),
    () => fireEvent.compositionStart(box),
  ]) {
    fireEvent.pointerDown(screen.getByRole('button'))
    fireEvent.click(screen.getByRole('button'))
    expect(awaited.isAwaited()).toBe(true)
    act()
    expect(awaited.isAwaited()).toBe(false)
  }
})

it('`useAwaited` reports a response as awaited while the key that requested it is repeated or released', () => {
  const box = show()
  fireEvent.keyDown(box, { key: 's', ctrlKey: true })
  awaited.ask()
  fireEvent.keyDown(box, { key: 's', ctrlKey: true, repeat: true })
  fireEvent.keyUp(box, { key: 's' })
  fireEvent.keyUp(box, { key: 'Control' })
  expect(awaited.isAwaited()).toBe(true)
})
