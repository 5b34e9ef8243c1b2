import { afterEach, expect, test } from 'vitest'
import { giveFocusBack } from './focus-back.ts'

afterEach(() => document.body.replaceChildren())

/** Creates a page with two buttons in its main part. */
function page() {
  document.body.innerHTML = '<main id="main" tabindex="-1"><button>a</button><button>b</button></main>'
  const [a, b] = document.querySelectorAll('button')
  if (!a || !b) throw new Error('no buttons')
  return { main: document.getElementById('main'), a, b }
}

test('returns a lost focus to the element that had it', () => {
  const { a } = page()
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('returns the focus to the element even if the main part received it first', () => {
  const { main, a } = page()
  giveFocusBack(null)
  expect(document.activeElement).toBe(main)
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('does not move the focus if the user has moved it elsewhere', () => {
  const { a, b } = page()
  b.focus()
  giveFocusBack(a)
  expect(document.activeElement).toBe(b)
})

test('moves the focus to the main part if the element was removed', () => {
  const { main, a } = page()
  a.remove()
  giveFocusBack(a)
  expect(document.activeElement).toBe(main)
})
