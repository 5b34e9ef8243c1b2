import { Image } from '@tiptap/extension-image'
import type { Node } from '@tiptap/pm/model'

/** Attributes that are kept for sites; the picture here does without. */
const forSites = ['srcset', 'sizes', 'loading']

/** Pictures that say so when they cannot be loaded: with their alternative text and address, not as nothing at all. */
export function pictures(broken: (address: string, alt: string) => string) {
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
      dom.append(image, note)
      let { node } = props

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
        note.textContent = broken(String(node.attrs.src ?? ''), String(node.attrs.alt ?? ''))
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
        // Only this view changes its inside.
        ignoreMutation: () => true,
      }
    },
  })
}
