import { Image } from '@tiptap/extension-image'
import type { Node } from '@tiptap/pm/model'

/** Attributes that are kept for sites but not used in the editor. */
const forSites = ['srcset', 'sizes', 'loading']

/**
 * A button for a picture that fails to load. `run` is called with the picture's URL. The picture, or the kept block
 * that contains it, is then selected.
 */
export interface ReplaceBroken {
  label: string
  run: (address: string) => void
}

/** A button on a picture without alternative text. `run` is called while the picture is selected. */
interface DescribePicture {
  label: string
  hint: string
  run: () => void
}

export interface PictureParts {
  /** Returns the text shown instead of a picture that fails to load. */
  broken: (address: string, alt: string) => string
  replace?: ReplaceBroken
  describe?: DescribePicture
}

/**
 * Returns an image node. If the picture fails to load, the node shows the text of `broken` and, with `replace`, a
 * button to replace the picture. With `describe`, a picture without alternative text has a button to add the text.
 */
export function pictures({ broken, replace, describe }: PictureParts) {
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
      if (replace)
        note.append(dialogButton(replace.label, () => select() && replace.run(String(node.attrs.src ?? ''))))
      const chip = describe && dialogButton(describe.label, () => select() && describe.run())
      if (chip) {
        chip.title = describe.hint
        dom.append(chip)
      }

      /** Selects the picture. Returns false if the text cannot be edited. */
      function select(): boolean {
        const at = props.editor.isEditable ? props.getPos() : undefined
        return at !== undefined && props.editor.commands.setNodeSelection(at)
      }

      function showChip(): void {
        // A picture that is being uploaded has a temporary URL. Its asset may have an alternative text.
        if (chip) chip.hidden = Boolean(node.attrs.alt) || image.hidden || image.src.startsWith('blob:')
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
        showChip()
      }

      function fail(): void {
        image.hidden = true
        note.hidden = false
        said.textContent = broken(String(node.attrs.src ?? ''), String(node.attrs.alt ?? ''))
        showChip()
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
        ignoreMutation: () => true,
        stopEvent: ({ target }) => target instanceof HTMLButtonElement,
      }
    },
  })
}

function dialogButton(label: string, run: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.setAttribute('aria-haspopup', 'dialog')
  button.addEventListener('click', (event) => {
    // The picture may be inside a link.
    event.preventDefault()
    run()
  })
  return button
}
