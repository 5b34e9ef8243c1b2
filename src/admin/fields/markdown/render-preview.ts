import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { withGitHubMarkdown } from '#shared/markdown.ts'
import { applyHtmlPolicy } from '../html-policy.ts'

// As the server renders it, raw HTML included.
const renderer = withGitHubMarkdown(
  new MarkdownIt({ html: true, breaks: true, linkify: true }).use(cjkFriendly),
)

/** What sites receive of Markdown, by the same policy. Links open beside the admin. */
export function renderPreview(source: string): DocumentFragment {
  const { content } = applyHtmlPolicy(renderer.render(source))
  for (const link of content.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank')
    link.setAttribute('rel', 'noopener noreferrer')
  }
  return content
}
