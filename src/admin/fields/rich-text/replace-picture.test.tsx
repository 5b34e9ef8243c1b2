import { Editor } from '@tiptap/core'
import { afterEach, expect, it, vi } from 'vitest'
import { richTextExtensions } from './extensions.ts'
import { ownStep } from './insert-blocks.ts'
import { replacePicture } from './replace-picture.ts'
import { writtenHtml } from './written-html.ts'

const asset = { src: 'https://cms.example.com/new.png', altText: '新しい池', width: 400, height: 200 }
const old = 'https://cms.example.com/old.png'

let editor: Editor | undefined
afterEach(() => editor?.destroy())

/** Opens an editor in which a picture or kept block is selected. */
function open(html: string): Editor {
  editor = new Editor({ extensions: richTextExtensions(), content: html })
  const made = editor
  made.state.doc.descendants((node, position) => {
    if (['image', 'keptHtml'].includes(node.type.name)) made.commands.setNodeSelection(position)
  })
  return made
}

it.each([
  [
    `<p>前</p><img src="${old}" alt="古い池" title="池の題" width="300" height="300" srcset="${old} 2x" sizes="50vw" loading="lazy" />`,
    `<p>前</p><img src="${asset.src}" alt="古い池" title="池の題" width="300" height="150" loading="lazy">`,
  ],
  // A picture without alternative text gets the asset's text. A picture without a size gets no size.
  [`<img src="${old}" alt="" />`, `<img src="${asset.src}" alt="新しい池">`],
  // A width is reduced to the width of the new file.
  [
    `<img src="${old}" alt="a" width="4000" height="1000" />`,
    `<img src="${asset.src}" alt="a" width="400" height="200">`,
  ],
])('`replacePicture` replaces the selected picture, and undo restores it: %s', (before, after) => {
  const made = open(before)
  const written = writtenHtml(made)
  ownStep(made, () => replacePicture(made, asset, null))
  const attributes = (html: string) => {
    const { body } = new DOMParser().parseFromString(html, 'text/html')
    return [...body.querySelectorAll('img')].map((picture) =>
      Object.fromEntries([...picture.attributes].map(({ name, value }) => [name, value])),
    )
  }
  expect(attributes(writtenHtml(made))).toEqual(attributes(after))
  made.commands.undo()
  expect(writtenHtml(made)).toBe(written)
})

it('`replacePicture` replaces one picture of a figure, and keeps the link, caption and second picture', () => {
  const other = 'https://cms.example.com/other.png'
  const made = open(
    `<figure class="wide"><a href="/pond"><img src="${old}" alt="池" width="200" height="200"></a><img src="${other}" alt="沼"><figcaption>題</figcaption></figure>`,
  )
  const written = writtenHtml(made)
  ownStep(made, () => replacePicture(made, asset, old))
  expect(writtenHtml(made)).toBe(
    written.replace(
      `src="${old}" alt="池" width="200" height="200"`,
      `src="${asset.src}" alt="池" width="200" height="100"`,
    ),
  )
  expect(writtenHtml(made)).toContain(`<a href="/pond"><img src="${asset.src}"`)
  made.commands.undo()
  expect(writtenHtml(made)).toBe(written)
})

it('a picture that fails to load has a button that selects the picture', () => {
  const run = vi.fn()
  editor = new Editor({
    element: document.body.appendChild(document.createElement('div')),
    extensions: richTextExtensions({
      pictures: { broken: (address) => address, replace: { label: '差し替える', run } },
    }),
    content: `<p>前</p><img src="${old}" alt="池"><p>後</p>`,
  })
  const box = editor.view.dom.querySelector('[data-picture]')
  box?.querySelector('img')?.dispatchEvent(new Event('error'))
  expect(box?.textContent).toBe(`${old}差し替える`)
  box?.querySelector('button')?.click()
  expect(run).toHaveBeenCalledWith(old)
  expect(editor.getAttributes('image').src).toBe(old)
})
