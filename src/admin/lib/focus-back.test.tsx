import { afterEach, expect, test } from 'vitest'
import { giveFocusBack } from './focus-back.ts'

afterEach(() => document.body.replaceChildren())

function page() {
  document.body.innerHTML = '<main id="main" tabindex="-1"><button>a</button><button>b</button></main>'
  const [a, b] = document.querySelectorAll('button')
  if (!a || !b) throw new Error('no buttons')
  return { main: document.getElementById('main'), a, b }
}

test('`giveFocusBack` moves a lost focus to the given element', () => {
  const { a } = page()
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('`giveFocusBack` moves the focus from the main element to the given element', () => {
  const { main, a } = page()
  giveFocusBack(null)
  expect(document.activeElement).toBe(main)
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('`giveFocusBack` does not move the focus away from another control', () => {
  const { a, b } = page()
  b.focus()
  giveFocusBack(a)
  expect(document.activeElement).toBe(b)
})

test('`giveFocusBack` moves the focus to the main element if the given element was removed', () => {
  const { main, a } = page()
  a.remove()
  giveFocusBack(a)
  expect(document.activeElement).toBe(main)
})
