import { Image } from '@tiptap/extension-image'
import type { Node } from '@tiptap/pm/model'

/** Attributes that are kept for sites but not used in the editor. */
const forSites = ['srcset', 'sizes', 'loading']

/** A button for a picture that fails to load. It runs with the picture's block selected, and gets its URL. */
export interface ReplaceBroken {
  label: string
  run: (address: string) => void
}

export interface BrokenPictures {
  /** The text shown instead of a picture that fails to load. */
  text: (address: string, alt: string) => string
  replace?: ReplaceBroken
}

/** An image node that shows alternative text and URL if the picture fails to load, and offers to replace it. */
export function pictures({ text, replace }: BrokenPictures) {
  return Image.extend({
    addAttributes() {
      const kept = Object.fromEntries(forSites.map((name) => [name, { default: null }]))
      return { ...this.parent?.(), ...kept }
    },
    addNodeView: () => (props) => {
      const dom = document.createElement('div')
      dom.dataset.picture = ''
      const image = document.createElement('img')
      const note = document.createElement('span')
      note.hidden = true
      const said = document.createElement('span')
      note.append(said)
      dom.append(image, note)
      let { node } = props
      if (replace) note.append(replaceButton(replace.label, select))

      function select(): void {
        if (!props.editor.isEditable) return
        const at = props.getPos()
        if (at !== undefined && props.editor.commands.setNodeSelection(at))
          replace?.run(String(node.attrs.src ?? ''))
      }

      function show(next: Node): void {
        node = next
        image.hidden = false
        note.hidden = true
        for (const name of ['alt', 'title', 'width', 'height'] as const) {
          const value: unknown = node.attrs[name]
          if (value === null || value === undefined) image.removeAttribute(name)
          else image.setAttribute(name, String(value))
        }
        const address = String(node.attrs.src ?? '')
        if (image.getAttribute('src') !== address) image.src = address
        else if (image.complete && image.naturalWidth === 0) fail()
      }

      function fail(): void {
        image.hidden = true
        note.hidden = false
        said.textContent = text(String(node.attrs.src ?? ''), String(node.attrs.alt ?? ''))
      }

      image.addEventListener('error', fail)
      show(node)
      return {
        dom,
        update: (next) => {
          if (next.type !== node.type) return false
          show(next)
          return true
        },
        // The view manages its own DOM.
        ignoreMutation: () => true,
        stopEvent: ({ target }) => target instanceof HTMLButtonElement,
      }
    },
  })
}

function replaceButton(label: string, run: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.setAttribute('aria-haspopup', 'dialog')
  button.addEventListener('click', run)
  return button
}
