import { type Editor, Node } from '@tiptap/core'
import { ReactNodeViewRenderer } from '@tiptap/react'
import { embedHosts } from '#shared/embed-policy.ts'
import { beginsEmbed } from '#shared/html-policy.ts'
import { applyHtmlPolicy, attributesIn } from '../html-policy.ts'
import { EmbedView } from './embed-view.tsx'
import { insertBlocks } from './insert-blocks.ts'

const isEmbed = (element: HTMLElement) =>
  beginsEmbed(element.localName, attributesIn(element)) ? null : false

/**
 * An embed as one block, whose HTML is kept unchanged. Embeds created in Imori are in a `figure` with their source URL,
 * if it is known. Imported texts may contain bare frames, markup and scripts.
 */
export const Embed = Node.create({
  name: 'embed',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    html: { default: '', rendered: false, parseHTML: (element: HTMLElement) => element.outerHTML },
  }),
  parseHTML: () => [
    ...['figure[data-embed]', 'blockquote[class]', 'div[class]', 'section[class]', 'iframe', 'script'].map(
      (tag) => ({ tag, priority: 60, getAttrs: isEmbed }),
    ),
  ],
  renderHTML: ({ node }) => elementOf(String(node.attrs.html)),
  renderText: () => '',
  addNodeView: () => {
    const card = ReactNodeViewRenderer(EmbedView)
    // An empty element is used until React has mounted the editor. Otherwise the frame itself would load.
    return (props) => (isShown(props.editor) ? card(props) : { dom: document.createElement('div') })
  },
})

/** Returns whether React has mounted the editor. */
export const isShown = (editor: Editor) =>
  Boolean((editor as Editor & { contentComponent?: unknown }).contentComponent)

/**
 * Returns the first element of the HTML, or an empty `figure`. The HTML is parsed in a separate document, where nothing
 * loads or runs.
 */
export function elementOf(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  return (body.firstElementChild as HTMLElement | null) ?? body.ownerDocument.createElement('figure')
}

/**
 * Returns the block HTML of an embed code; null if the HTML policy leaves no content. `url` is the source URL, or `''`.
 */
export function embedHtml(code: string, url: string): string | null {
  const { content } = applyHtmlPolicy(`<figure data-embed="">${code}</figure>`)
  const figure = content.firstElementChild
  if (!figure?.querySelector('iframe, img, blockquote, script, a')) return null
  if (/^https?:/i.test(url) && URL.canParse(url)) figure.setAttribute('data-embed', new URL(url).href)
  return figure.outerHTML
}

/** Replaces a range with an embed. If the caret was in the range, it moves after the embed. */
export function insertEmbed(editor: Editor, html: string, range: { from: number; to: number }): void {
  const { schema, selection } = editor.state
  const wasThere = selection.to >= range.from && selection.to <= range.to
  insertBlocks(editor, [schema.node('embed', { html })], range, wasThere ? 'behind' : 'stays')
}

/** Returns the trimmed URL if its service supports embedding; otherwise null. */
export function embeddableAddress(text: string): string | null {
  const address = text.trim()
  if (!/^https:\/\/\S+$/.test(address) || !URL.canParse(address)) return null
  const { host, pathname } = new URL(address)
  return embedHosts.includes(host) && pathname !== '/' ? address : null
}
