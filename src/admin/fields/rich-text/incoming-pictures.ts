import type { Editor } from '@tiptap/core'
import { isHistoryTransaction } from '@tiptap/pm/history'
import type { Asset } from '#shared/contract/assets.ts'
import { afterComposition } from '../after-composition.ts'
import { uploadPictures } from '../picture-files.ts'
import { picturesInRtf } from './pasted-pictures.ts'

/**
 * Uploads pictures of pasted text to the library. Until an upload ends, the text contains a `blob:` URL of this window
 * instead, which is displayed but not saved.
 */
export class IncomingPictures {
  private readonly waiting = new Map<string, File | URL>()
  /** Results by `blob:` URL: the asset, or null if the upload failed. */
  private readonly ended = new Map<string, Asset | null>()
  private clipboard: DataTransfer | null = null

  /** Stores the clipboard. Must be called before the pasted text is parsed. */
  begin(clipboard: DataTransfer | null): void {
    this.clipboard = clipboard
  }

  /** Returns the pictures that the clipboard contains in addition to its HTML, in order. */
  inClipboard(): File[] {
    const inText = picturesInRtf(this.clipboard?.getData('text/rtf') ?? '')
    if (inText.length > 0) return inText
    return [...(this.clipboard?.files ?? [])].filter((file) => file.type.startsWith('image/'))
  }

  /** Registers a picture and returns its temporary URL for the text. */
  take(source: File | URL): string {
    const address = URL.createObjectURL(source instanceof File ? source : new Blob())
    this.waiting.set(address, source)
    return address
  }

  /** Uploads the registered pictures to the library of space `p`. Returns the number of failures. */
  async bring(editor: Editor, p: string): Promise<number> {
    const taken = [...this.waiting]
    this.waiting.clear()
    const lost = await Promise.all(
      taken.map(async ([address, source]) => {
        const [asset] = await uploadPictures(p, [source])
        this.ended.set(address, asset ?? null)
        if (!editor.isDestroyed) afterComposition(editor.view, () => this.show(editor))
        URL.revokeObjectURL(address)
        return asset === undefined
      }),
    )
    return lost.filter((isLost) => isLost).length
  }

  /** Replaces temporary URLs after undo, redo and pasting, which can insert such URLs after their upload has ended. */
  watch(editor: Editor): void {
    editor.on('transaction', ({ transaction }) => {
      if (isHistoryTransaction(transaction) || transaction.getMeta('uiEvent') === 'paste')
        afterComposition(editor.view, () => this.show(editor))
    })
  }

  /**
   * Replaces temporary URLs whose upload has ended by the asset, or removes the picture if the upload failed. The
   * change is not an undo step.
   */
  private show(editor: Editor): void {
    if (editor.isDestroyed || this.ended.size === 0) return
    const tr = editor.state.tr.setMeta('addToHistory', false)
    editor.state.doc.descendants((node, position) => {
      const asset = node.type.name === 'image' ? this.ended.get(node.attrs.src) : undefined
      if (asset === undefined) return
      const place = tr.mapping.map(position)
      if (asset === null) tr.delete(place, place + node.nodeSize)
      else {
        const { src, width, height, altText } = asset
        const alt = node.attrs.alt || altText
        tr.setNodeMarkup(place, null, { ...node.attrs, src, width, height, alt })
      }
    })
    if (tr.docChanged) editor.view.dispatch(tr)
  }

  /**
   * Returns the HTML to save. Finished uploads have their asset's URL. Pictures whose upload is still running or has
   * failed are omitted.
   */
  settled(html: string): string {
    if (!html.includes('src="blob:')) return html
    return html.replace(/<img [^<>]*src="(blob:[^"]*)"[^<>]*>/g, (tag: string, address: string) => {
      const asset = this.ended.get(address)
      return asset ? tag.replace(address, asset.src.replace(/&/g, '&amp;')) : ''
    })
  }
}
