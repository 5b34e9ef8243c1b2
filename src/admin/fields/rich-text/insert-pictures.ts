import type { Editor } from '@tiptap/core'
import type { Transaction } from '@tiptap/pm/state'
import type { Asset } from '#shared/contract/assets.ts'

/** A place in the text that stays where it is while others write around it. Call `stop` when it is no longer needed. */
export function keepPlace(editor: Editor, start: number): { at(): number; stop(): void } {
  let place = start
  const follow = ({ transaction }: { transaction: Transaction }) => {
    place = transaction.mapping.map(place)
  }
  editor.on('transaction', follow)
  return {
    at: () => Math.min(place, editor.state.doc.content.size),
    stop: () => editor.off('transaction', follow),
  }
}

/** Puts pictures of the library into the text, with their size, so that pages do not jump when they load. */
export function insertPictures(editor: Editor, assets: readonly Asset[], at: number): void {
  const images = assets.map(({ src, altText, width, height }) => ({
    type: 'image',
    attrs: { src, alt: altText, width, height },
  }))
  if (images.length > 0) editor.chain().focus().insertContentAt(at, images).run()
}

/** Selects the picture of this address; false when there is none. */
export function selectPicture(editor: Editor, src: string): boolean {
  let found: number | undefined
  editor.state.doc.descendants((node, position) => {
    if (node.type.name === 'image' && node.attrs.src === src) found ??= position
  })
  return found !== undefined && editor.commands.setNodeSelection(found)
}
