import type { MarkdownIt } from 'markdown-it'

interface Footnotes {
  /** Note texts by label. */
  notes: Map<string, string>
  /** Numbers by label, in the order of the first references. */
  used: Map<string, number>
  /** Prefix of the ids of this text. Several texts may be shown on one page. */
  prefix: string
}

const definition = /^\[\^([^\s\]]{1,40})\]:[ \t]+(\S.*)$/
const reference = /\[\^([^\s\]]{1,40})\]/y

/**
 * Adds GitHub footnotes: `[^1]` in the text, and `[^1]: …` at the beginning of a line outside of quotes and lists.
 * References without a note stay text, notes without a reference are not shown. Footnotes of rich text have the same
 * HTML (docs/decisions/0042).
 */
export function withFootnotes(markdown: MarkdownIt): void {
  const of = (env: unknown) => (env as { footnotes?: Footnotes }).footnotes

  markdown.core.ruler.before('block', 'footnotes-begin', (state) => {
    const env = state.env as { footnotes?: Footnotes }
    env.footnotes = { notes: new Map(), used: new Map(), prefix: prefixOf(state.src) }
  })

  markdown.block.ruler.before(
    'reference',
    'footnote',
    (state, startLine, endLine, silent) => {
      const footnotes = of(state.env)
      if (state.level > 0 || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4 || !footnotes) return false
      const lineAt = (line: number) => state.getLines(line, line + 1, state.blkIndent, false).trim()
      const [, label, first] = definition.exec(lineAt(startLine)) ?? []
      if (label === undefined || first === undefined) return false
      if (silent) return true
      const lines = [first]
      let next = startLine + 1
      for (; next < endLine && !state.isEmpty(next); next++) {
        const line = lineAt(next)
        if (definition.test(line)) break
        lines.push(line)
      }
      if (!footnotes.notes.has(label)) footnotes.notes.set(label, lines.join('\n'))
      state.line = next
      return true
    },
    { alt: ['paragraph'] },
  )

  markdown.inline.ruler.before('link', 'footnote-reference', (state, silent) => {
    const footnotes = of(state.env)
    reference.lastIndex = state.pos
    const label = footnotes && reference.exec(state.src)?.[1]
    if (!label || !footnotes.notes.has(label)) return false
    if (!silent) {
      const known = footnotes.used.get(label)
      const number = known ?? footnotes.used.size + 1
      footnotes.used.set(label, number)
      const id = `${footnotes.prefix}-${number}`
      const own = known === undefined ? ` id="fnref-${id}"` : ''
      state.push('html_inline', '', 0).content =
        `<sup><a href="#fn-${id}"${own} role="doc-noteref">${number}</a></sup>`
    }
    state.pos += label.length + 3
    return true
  })

  markdown.core.ruler.after('inline', 'footnotes-end', (state) => {
    const footnotes = of(state.env)
    if (!footnotes || footnotes.used.size === 0) return
    const { tokens, Token } = state
    const addHtml = (content: string) => {
      const token = new Token('html_block', '', 0)
      token.content = content
      tokens.push(token)
    }
    addHtml('<section role="doc-endnotes">\n<ol>\n')
    // Notes may refer to further notes, which are appended.
    for (const [label, number] of footnotes.used) {
      const id = `${footnotes.prefix}-${number}`
      const words = new Token('inline', '', 0)
      words.content = footnotes.notes.get(label) ?? ''
      words.children = []
      state.md.inline.parse(words.content, state.md, state.env, words.children)
      addHtml(`<li id="fn-${id}"><span>`)
      tokens.push(words)
      addHtml(`</span><a href="#fnref-${id}" role="doc-backlink">↩</a></li>\n`)
    }
    addHtml('</ol>\n</section>\n')
  })
}

/** Returns a deterministic prefix for the text: its FNV-1a hash. */
function prefixOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
