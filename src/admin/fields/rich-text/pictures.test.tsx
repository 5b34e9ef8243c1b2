import { Editor } from '@tiptap/core'
import { afterEach, expect, it, vi } from 'vitest'
import { richTextExtensions } from './extensions.ts'
import { writtenHtml } from './written-html.ts'

const address = (name: string) => `https://cms.example.com/${name}.png`

let editor: Editor
const run = vi.fn()
afterEach(() => {
  editor.destroy()
  run.mockClear()
})

function open(content: string): void {
  const describe = { label: '代替テキストなし', hint: '代替テキストを入力', run }
  editor = new Editor({
    element: document.body.appendChild(document.createElement('div')),
    extensions: richTextExtensions({ pictures: { broken: (address) => address, describe } }),
    content,
  })
}

/** Returns the visible button of a picture, or null. */
function chipOf(name: string): HTMLButtonElement | null {
  const image = editor.view.dom.querySelector(`img[src$="${name}"], img[src$="${name}.png"]`)
  return image?.parentElement?.querySelector<HTMLButtonElement>('button:not([hidden])') ?? null
}

it('a picture without alternative text has a button that selects the picture and is not saved', () => {
  open(
    `<img src="${address('a')}" alt=""><table><tbody><tr><td><img src="${address('b')}"></td></tr></tbody></table><img src="${address('c')}" alt="池">`,
  )
  const html = writtenHtml(editor)
  expect(html).not.toContain('代替テキストなし')
  expect(chipOf('c')).toBeNull()
  for (const name of ['b', 'a']) {
    chipOf(name)?.click()
    expect(editor.getAttributes('image').src).toBe(address(name))
  }
  expect(run).toHaveBeenCalledTimes(2)
  expect(writtenHtml(editor)).toBe(html)
})

it('a picture has no alternative text button during an upload or after a failed load', () => {
  open(`<img src="blob:https://cms.example.com/1"><img src="${address('a')}"><img src="${address('b')}">`)
  expect(chipOf('1')).toBeNull()
  editor.view.dom.querySelector(`img[src="${address('a')}"]`)?.dispatchEvent(new Event('error'))
  expect(chipOf('a')).toBeNull()
  editor.setEditable(false)
  chipOf('b')?.click()
  expect(run).not.toHaveBeenCalled()
})
