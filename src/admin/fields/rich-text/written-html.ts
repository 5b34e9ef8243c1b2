import type { Editor } from '@tiptap/core'
import { DOMSerializer, Fragment, type Node } from '@tiptap/pm/model'
import { forSites } from './kept-attributes.ts'

/** Of every block that was written once. A block that changes is another node. */
const written = new WeakMap<Node, string>()

/** Nothing in it is loaded. */
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
 * The text as it is kept: nothing for an empty one, without the empty paragraph that waits for the next line. With a
 * key, only the block is written again that it changes.
 */
export function writtenHtml({ isEmpty, state: { doc }, schema }: Editor): string {
  if (isEmpty) return ''
  const serializer = DOMSerializer.fromSchema(schema)
  const blocks = doc.children.map((node) => htmlOfBlock(node, serializer))
  return blocks.join('').replace(/(?:<p><\/p>)+(?=$|<section role="doc-endnotes">)/, '')
}
