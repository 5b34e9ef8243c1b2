import type { Editor } from '@tiptap/core'
import type { Asset } from '#shared/contract/assets.ts'
import { elementOf } from './embeds.ts'

type Replacement = Pick<Asset, 'src' | 'altText' | 'width' | 'height'>

/**
 * Replaces the selected picture by another file. If a block such as a figure is selected, replaces its pictures whose
 * URL is `inside`. Title, caption and link stay, and so does the alternative text unless it is empty. The width also
 * stays, unless the new file is narrower.
 */
export function replacePicture(editor: Editor, asset: Replacement, inside: string | null): void {
  const chain = editor.chain().focus()
  if (editor.isActive('keptHtml')) {
    const html = replacedIn(String(editor.getAttributes('keptHtml').html), asset, inside)
    chain.updateAttributes('keptHtml', { html }).run()
    return
  }
  const { alt, width } = editor.getAttributes('image')
  // `srcset` lists resized versions of the previous file.
  const attributes = { src: asset.src, alt: alt || asset.altText, srcset: null, sizes: null }
  chain.updateAttributes('image', { ...attributes, ...sizeOf(asset, width) }).run()
}

interface Size {
  width?: number
  /** Null: the previous height does not fit the new file. */
  height: number | null
}

/**
 * Returns the size for a picture that had the width `before`; null if it had none. The width stays if it is in percent
 * or if the size of the new file is unknown.
 */
function sizeOf({ width, height }: Replacement, before: unknown): Size | null {
  const text = String(before ?? '').trim()
  if (text === '') return null
  const shown = /^\d+$/.test(text) ? Number(text) : 0
  if (width === null || height === null || shown === 0) return { height: null }
  const now = Math.min(shown, width)
  return { width: now, height: Math.round((now * height) / width) }
}

function replacedIn(html: string, asset: Replacement, address: string | null): string {
  const block = elementOf(html)
  for (const picture of [block, ...block.querySelectorAll('*')]) {
    if (!(picture instanceof HTMLImageElement) || picture.getAttribute('src') !== address) continue
    const size = sizeOf(asset, picture.getAttribute('width'))
    picture.setAttribute('src', asset.src)
    if (!picture.alt) picture.alt = asset.altText
    for (const [name, value] of Object.entries(size ?? {}))
      if (value === null) picture.removeAttribute(name)
      else picture.setAttribute(name, String(value))
    for (const name of ['srcset', 'sizes']) picture.removeAttribute(name)
    for (const source of picture.closest('picture')?.querySelectorAll('source') ?? []) source.remove()
  }
  return block.outerHTML
}
