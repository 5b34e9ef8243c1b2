import type { MarkdownIt } from 'markdown-it'
import { withFootnotes } from './markdown-footnotes.ts'
import { endingUrl, japaneseInUrl } from './written-urls.ts'

/** `[ ] ` or `[x] ` at the beginning of a list item. */
const box = /^\[([ xX])\](?=\s)/

/** The part of a URL after its scheme, up to the first character that ends the URL. */
const restOfUrl = new RegExp(String.raw`(?:[^\s${endingUrl}]|${japaneseInUrl})*`, 'uy')

/** Ends automatic links before Japanese text that follows the URL, as in rich text. */
function endUrlsBeforeJapanese({ linkify }: MarkdownIt): void {
  for (const scheme of ['http:', 'https:', 'ftp:'])
    linkify.add(scheme, {
      validate(text, pos, { re }) {
        if (!text.startsWith('//', pos)) return 0
        restOfUrl.lastIndex = pos
        const [rest = ''] = restOfUrl.exec(text) ?? []
        const url = re.get_http_validator()
        url.lastIndex = 0
        return url.exec(rest)?.[0].length ?? 0
      },
    })
}

/** Maximum nesting depth of blocks. A quote is one level, a list with its item two. */
const maximumLevels = 32

/**
 * Adds GitHub Flavored Markdown and footnotes to CommonMark, for delivery and preview. Addresses with a scheme become
 * links. Items that begin with `[ ]` or `[x]` become check boxes. Strikethrough becomes `<del>`, as in GFM.
 */
export function withGitHubMarkdown(markdown: MarkdownIt): MarkdownIt {
  markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false })
  endUrlsBeforeJapanese(markdown)
  // Each line is scanned once for every quote and list around it, so the depth is limited. Deeper content becomes text.
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
