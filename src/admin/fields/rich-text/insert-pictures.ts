import type { Editor } from '@tiptap/core'
import type { Transaction } from '@tiptap/pm/state'
import type { Asset } from '#shared/contract/assets.ts'
import { insertBlocks } from './insert-blocks.ts'

/**
 * Tracks a position while the text around it changes. `side` decides whether the position stays before or after text
 * that is inserted exactly at it. `stop` ends the tracking.
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
 * Inserts pictures of the library with their size, so that pages do not shift while loading. If the caret is still at
 * `at`, it moves after the pictures; otherwise it stays.
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
