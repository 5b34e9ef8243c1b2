import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { withGitHubMarkdown } from '#shared/markdown.ts'

// As the server renders it, but without the raw HTML in it: the preview stands in the admin's own page.
const renderer = withGitHubMarkdown(
  new MarkdownIt({ html: false, breaks: true, linkify: true }).use(cjkFriendly),
)
renderer.renderer.rules.link_open = (tokens, index, options, _environment, self) => {
  tokens[index]?.attrSet('target', '_blank')
  tokens[index]?.attrSet('rel', 'noopener noreferrer')
  return self.renderToken(tokens, index, options)
}

/** Markdown as HTML for the preview. Raw HTML comes out as text, addresses of scripts are no links. */
export function renderPreview(source: string): string {
  return renderer.render(source)
}
