import type { Editor } from '@tiptap/core'
import type { Asset } from '#shared/contract/assets.ts'
import { afterComposition } from '../after-composition.ts'
import { uploadPictures } from '../picture-files.ts'
import { picturesInRtf } from './pasted-pictures.ts'

/**
 * Pictures that came with a pasted text and go to the library. Until they are there, an address of this window stands
 * for each: it is shown, and never kept.
 */
export class IncomingPictures {
  private readonly waiting = new Map<string, File | URL>()
  private readonly arrived = new Map<string, Asset>()
  /** The pictures of the clipboard that is being pasted. */
  private clipboard: DataTransfer | null = null

  /** Call it before the text of a paste is read. */
  begin(clipboard: DataTransfer | null): void {
    this.clipboard = clipboard
  }

  /** The pictures of the clipboard beside its HTML, in their order. */
  inClipboard(): File[] {
    const inText = picturesInRtf(this.clipboard?.getData('text/rtf') ?? '')
    if (inText.length > 0) return inText
    return [...(this.clipboard?.files ?? [])].filter((file) => file.type.startsWith('image/'))
  }

  /** A place in the text for a picture. */
  take(source: File | URL): string {
    const address = URL.createObjectURL(source instanceof File ? source : new Blob())
    this.waiting.set(address, source)
    return address
  }

  /** Brings what has been taken into the library of space `p`; answers how many pictures did not get there. */
  async bring(editor: Editor, p: string): Promise<number> {
    const taken = [...this.waiting]
    this.waiting.clear()
    const lost = await Promise.all(
      taken.map(async ([address, source]) => {
        const [asset] = await uploadPictures(p, [source])
        if (asset) this.arrived.set(address, asset)
        if (!editor.isDestroyed) afterComposition(editor.view, () => this.show(editor, address, asset))
        URL.revokeObjectURL(address)
        return asset === undefined
      }),
    )
    return lost.filter((isLost) => isLost).length
  }

  /** The picture of the library in its place, or nothing; not as a step of its own to be undone. */
  private show(editor: Editor, address: string, asset: Asset | undefined): void {
    if (editor.isDestroyed) return
    const tr = editor.state.tr.setMeta('addToHistory', false)
    const places: number[] = []
    editor.state.doc.descendants((node, position) => {
      if (node.type.name === 'image' && node.attrs.src === address) places.push(position)
    })
    for (const position of places.reverse()) {
      const node = tr.doc.nodeAt(position)
      if (!node) continue
      if (!asset) tr.delete(position, position + node.nodeSize)
      else {
        const { src, width, height, altText } = asset
        tr.setNodeMarkup(position, null, {
          ...node.attrs,
          src,
          width,
          height,
          alt: node.attrs.alt || altText,
        })
      }
    }
    editor.view.dispatch(tr)
  }

  /** HTML as it may be kept: with pictures that are in the library, without those that are not there yet. */
  settled(html: string): string {
    if (!html.includes('src="blob:')) return html
    return html.replace(/<img [^<>]*src="(blob:[^"]*)"[^<>]*>/g, (tag: string, address: string) => {
      const asset = this.arrived.get(address)
      return asset ? tag.replace(address, asset.src.replace(/&/g, '&amp;')) : ''
    })
  }
}
