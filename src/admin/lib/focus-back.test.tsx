import { afterEach, expect, test } from 'vitest'
import { giveFocusBack } from './focus-back.ts'

afterEach(() => document.body.replaceChildren())

/** A page with two buttons in its main part. */
function page() {
  document.body.innerHTML = '<main id="main" tabindex="-1"><button>a</button><button>b</button></main>'
  const [a, b] = document.querySelectorAll('button')
  if (!a || !b) throw new Error('no buttons')
  return { main: document.getElementById('main'), a, b }
}

test('a lost focus goes back to the element that had it', () => {
  const { a } = page()
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('it goes back even after the page took the lost focus itself', () => {
  const { main, a } = page()
  giveFocusBack(null)
  expect(document.activeElement).toBe(main)
  giveFocusBack(a)
  expect(document.activeElement).toBe(a)
})

test('a focus that somebody moved elsewhere stays there', () => {
  const { a, b } = page()
  b.focus()
  giveFocusBack(a)
  expect(document.activeElement).toBe(b)
})

test('the main part takes it when the element is gone', () => {
  const { main, a } = page()
  a.remove()
  giveFocusBack(a)
  expect(document.activeElement).toBe(main)
})
