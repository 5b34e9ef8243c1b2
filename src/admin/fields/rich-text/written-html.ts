import type { Editor } from '@tiptap/core'
import { DOMSerializer, Fragment, type Node } from '@tiptap/pm/model'
import { forSites } from './kept-attributes.ts'

/** The serialised HTML of each block node. A changed block is a new node. */
const written = new WeakMap<Node, string>()

/** A detached document, so that nothing in it loads. */
let box: HTMLElement | undefined

function htmlOfBlock(node: Node, serializer: DOMSerializer): string {
  const known = written.get(node)
  if (known !== undefined) return known
  box ??= document.implementation.createHTMLDocument('').body
  box.replaceChildren()
  serializer.serializeFragment(Fragment.from(node), { document: box.ownerDocument }, box)
  forSites(box)
  const html = box.innerHTML
  box.replaceChildren()
  written.set(node, html)
  return html
}

/**
 * Returns the HTML to save: an empty text for an empty document, without trailing empty paragraphs. Blocks are cached,
 * so that a key press only serialises the block that it changes.
 */
export function writtenHtml({ isEmpty, state: { doc }, schema }: Editor): string {
  if (isEmpty) return ''
  const serializer = DOMSerializer.fromSchema(schema)
  const blocks = doc.children.map((node) => htmlOfBlock(node, serializer))
  return blocks.join('').replace(/(?:<p><\/p>)+(?=$|<section role="doc-endnotes">)/, '')
}
