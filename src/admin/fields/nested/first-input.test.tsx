import { expect, it } from 'vitest'
import { firstInput } from './use-item-actions.ts'

function itemOf(html: string): HTMLElement {
  const item = document.createElement('div')
  item.innerHTML = html
  return item
}

const text = '<input id="text">'
const bar = '<div data-format-bar><div role="radiogroup"><input type="radio"></div></div>'
const markdown = (inside: string) => `<div data-editor>${bar}<div>${inside}</div></div>`
const idOf = (html: string) => firstInput(itemOf(html))?.id

it('`firstInput` returns the text input of a Markdown editor instead of the mode buttons in its toolbar', () => {
  expect(idOf(markdown('<div id="markdown" contenteditable="true"></div>') + text)).toBe('markdown')
})

it('`firstInput` returns nothing, not the next input, while an editor is being downloaded', () => {
  expect(idOf(markdown('') + text)).toBeUndefined()
  expect(idOf(`<div class="mantine-Skeleton-root"></div>${text}`)).toBeUndefined()
})

it('`firstInput` returns the first option of a choice field, and skips hidden inputs', () => {
  expect(idOf(`<div role="radiogroup"><input type="radio" id="choice"></div>${text}`)).toBe('choice')
  expect(idOf(`<input type="hidden">${text}`)).toBe('text')
})
