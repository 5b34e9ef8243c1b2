import type { MarkdownIt } from 'markdown-it'
import { withFootnotes } from './markdown-footnotes.ts'

/** `[ ] ` or `[x] ` at the beginning of a list item. */
const box = /^\[([ xX])\](?=\s)/

/** How deep blocks nest: a quote is one level, a list with its item two. */
const maximumLevels = 32

/**
 * GitHub's Markdown on top of CommonMark, the same for what sites receive and for the preview: addresses with a scheme
 * become links, items that begin with `[ ]` or `[x]` become check boxes, and there are footnotes. Tables and strikethrough are built in; what is
 * struck through is `<del>`, as GFM has it.
 */
export function withGitHubMarkdown(markdown: MarkdownIt): MarkdownIt {
  markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false })
  // Every line is looked at once for each quote and list around it, so these are not nested without end: what is in
  // the innermost one is text.
  markdown.block.ruler.before('table', 'nested-too-deeply', (state, startLine, endLine) => {
    if (state.level < maximumLevels) return false
    state.push('paragraph_open', 'p', 1)
    const inline = state.push('inline', '', 0)
    inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim()
    inline.children = []
    state.push('paragraph_close', 'p', -1)
    state.line = endLine
    return true
  })
  markdown.renderer.rules.s_open = () => '<del>'
  markdown.renderer.rules.s_close = () => '</del>'
  markdown.core.ruler.after('inline', 'task-list', ({ tokens, Token }) => {
    for (const [index, token] of tokens.entries()) {
      const first = token.children?.[0]
      const opensItem =
        tokens[index - 1]?.type === 'paragraph_open' && tokens[index - 2]?.type === 'list_item_open'
      const mark = opensItem && first?.type === 'text' ? box.exec(first.content) : null
      if (!mark || !first || !token.children) continue
      first.content = first.content.slice(mark[0].length)
      const input = new Token('html_inline', '', 0)
      input.content = `<input${mark[1] === ' ' ? '' : ' checked'} disabled type="checkbox">`
      token.children.unshift(input)
    }
  })
  withFootnotes(markdown)
  return markdown
}
