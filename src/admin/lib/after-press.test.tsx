import { expect, it } from 'vitest'
import { trackPresses } from './after-press.ts'

const fire = (type: string, button = 0) => window.dispatchEvent(new MouseEvent(type, { button }))
const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0))

it('changes the page at once, or after the click that a press begins', async () => {
  const afterPress = trackPresses(window)
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

it('waits for the last of two presses, and for no other button than the first', async () => {
  const afterPress = trackPresses(window)
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
