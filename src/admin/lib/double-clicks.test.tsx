import { afterEach, beforeEach, expect, it } from 'vitest'
import { guardDoubleClicks } from './double-clicks.ts'

let stop: () => void
let clicked: string[]
beforeEach(() => {
  clicked = []
  stop = guardDoubleClicks()
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
})

function button(name: string): HTMLElement {
  const element = document.createElement('button')
  element.setAttribute('aria-label', name)
  element.append(document.createElement('span'))
  element.addEventListener('click', () => clicked.push(name))
  document.body.append(element)
  return element
}

/** Dispatches one click of a series (`count` as in `detail`) on the button's child element. */
function press(element: HTMLElement, count: number) {
  const inside = element.firstElementChild ?? element
  for (const type of ['mousedown', 'mouseup', 'click'])
    inside.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, detail: count }))
}

it('the double-click guard lets three fast clicks on the same control through', () => {
  const plus = button('plus')
  press(plus, 1)
  press(plus, 2)
  press(plus, 3)
  expect(clicked).toEqual(['plus', 'plus', 'plus'])
})

it('the double-click guard blocks a second fast click if the first click has replaced the control', () => {
  const open = button('open')
  press(open, 1)
  open.remove()
  const publish = button('publish')
  press(publish, 2)
  expect(clicked).toEqual(['open'])
  // Both of these are intended: a separate click and an activation by keyboard.
  press(publish, 1)
  publish.click()
  expect(clicked).toEqual(['open', 'publish', 'publish'])
})

it('the double-click guard lets fast clicks through on delete buttons that differ only in the item name', () => {
  for (const item of ['一', '二', '三']) {
    const remove = button(`「${item}」を削除`)
    press(remove, clicked.length + 1)
    remove.remove()
  }
  expect(clicked).toEqual(['「一」を削除', '「二」を削除', '「三」を削除'])
})
