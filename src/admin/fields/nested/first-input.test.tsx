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

it('is the text of a Markdown editor, not the modes in its bar', () => {
  expect(idOf(markdown('<div id="markdown" contenteditable="true"></div>') + text)).toBe('markdown')
})

it('waits for an editor that is still being downloaded, and does not go to the input behind it', () => {
  expect(idOf(markdown('') + text)).toBeUndefined()
  expect(idOf(`<div class="mantine-Skeleton-root"></div>${text}`)).toBeUndefined()
})

it('is the first option of a choice that is a field', () => {
  expect(idOf(`<div role="radiogroup"><input type="radio" id="choice"></div>${text}`)).toBe('choice')
  expect(idOf(`<input type="hidden">${text}`)).toBe('text')
})
