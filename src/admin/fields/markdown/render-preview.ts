import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { withGitHubMarkdown } from '#shared/markdown.ts'
import { applyHtmlPolicy, withoutNames } from '../html-policy.ts'

// The server uses the same options, including raw HTML.
const renderer = withGitHubMarkdown(
  new MarkdownIt({ html: true, breaks: true, linkify: true }).use(cjkFriendly),
)

/**
 * Renders Markdown with the options and the HTML policy of the server. In contrast to the HTML for sites, heading ids,
 * scripts, and classes without a meaning in Imori are removed. All links except anchors open in a new tab. Frames are
 * replaced by links and not loaded.
 */
export function renderPreview(source: string): DocumentFragment {
  const { content } = applyHtmlPolicy(renderer.render(source))
  withoutNames(content)
  for (const script of content.querySelectorAll('script')) script.remove()
  for (const frame of content.querySelectorAll('iframe')) frame.replaceWith(linkTo(frame))
  for (const link of content.querySelectorAll('a[href]:not([href^="#"])')) {
    link.setAttribute('target', '_blank')
    link.setAttribute('rel', 'noopener noreferrer')
  }
  return content
}

function linkTo({ ownerDocument, src, title }: HTMLIFrameElement): HTMLElement {
  const link = ownerDocument.createElement('a')
  link.href = src
  link.dataset.frame = ''
  link.textContent = title || src
  return link
}
