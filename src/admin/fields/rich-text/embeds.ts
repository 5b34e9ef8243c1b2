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
 * What another service is shown by, as one block: its HTML is kept as it came. Those that are made here stand in a
 * `figure` that names the address which they were made from; texts bring along frames, markup and scripts without one.
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
    // Before React has the editor, nothing may stand for it: the frame itself would load.
    return (props) => (isShown(props.editor) ? card(props) : { dom: document.createElement('div') })
  },
})

/** Has React the editor? */
export const isShown = (editor: Editor) =>
  Boolean((editor as Editor & { contentComponent?: unknown }).contentComponent)

/** In a document of its own: nothing of it loads or runs. */
export function elementOf(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  return (body.firstElementChild as HTMLElement | null) ?? body.ownerDocument.createElement('figure')
}

/** The block of an embed code; null when our policy leaves nothing of it. `url` is what it was made from. */
export function embedHtml(code: string, url: string): string | null {
  const { content } = applyHtmlPolicy(`<figure data-embed="">${code}</figure>`)
  const figure = content.firstElementChild
  if (!figure?.querySelector('iframe, img, blockquote, script, a')) return null
  if (/^https?:/i.test(url) && URL.canParse(url)) figure.setAttribute('data-embed', new URL(url).href)
  return figure.outerHTML
}

/** Puts an embed in the place of what lies between two positions, and the caret behind it if it was there. */
export function insertEmbed(editor: Editor, html: string, range: { from: number; to: number }): void {
  const { schema, selection } = editor.state
  const wasThere = selection.to >= range.from && selection.to <= range.to
  insertBlocks(editor, [schema.node('embed', { html })], range, wasThere ? 'behind' : 'stays')
}

/** The address of a page that is likely to be embedded; null for every other text. */
export function embeddableAddress(text: string): string | null {
  const address = text.trim()
  if (!/^https:\/\/\S+$/.test(address) || !URL.canParse(address)) return null
  const { host, pathname } = new URL(address)
  return embedHosts.includes(host) && pathname !== '/' ? address : null
}
