import type { Editor } from '@tiptap/core'
import type { Transaction } from '@tiptap/pm/state'
import type { Asset } from '#shared/contract/assets.ts'
import { insertBlocks } from './insert-blocks.ts'

/**
 * A place in the text that stays where it is while others write around it: `before` what is written at the place itself,
 * or behind it. Call `stop` when it is no longer needed.
 */
export function keepPlace(
  editor: Editor,
  start: number,
  side: 'before' | 'behind',
): { at(): number; stop(): void } {
  let place = start
  const follow = ({ transaction }: { transaction: Transaction }) => {
    place = transaction.mapping.map(place, side === 'before' ? -1 : 1)
  }
  editor.on('transaction', follow)
  return {
    at: () => Math.min(place, editor.state.doc.content.size),
    stop: () => editor.off('transaction', follow),
  }
}

/**
 * Puts pictures of the library into the text, with their size, so that pages do not jump when they load. The caret goes
 * behind them if it is still there, and stays with what somebody is writing elsewhere by now.
 */
export function insertPictures(
  editor: Editor,
  assets: readonly Pick<Asset, 'src' | 'altText' | 'width' | 'height'>[],
  at: number,
): void {
  const { schema, selection } = editor.state
  const pictures = assets.map(({ src, altText, width, height }) =>
    schema.node('image', { src, alt: altText, width, height }),
  )
  insertBlocks(editor, pictures, { from: at, to: at }, selection.to === at ? 'behind' : 'stays')
}

/** Selects the picture of this address; false when there is none. */
export function selectPicture(editor: Editor, src: string): boolean {
  let found: number | undefined
  editor.state.doc.descendants((node, position) => {
    if (node.type.name === 'image' && node.attrs.src === src) found ??= position
  })
  return found !== undefined && editor.commands.setNodeSelection(found)
}
