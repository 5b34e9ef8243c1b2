import { LRUCache } from 'lru-cache'
import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import sanitizeHtml from 'sanitize-html'
import {
  alignedElements,
  alignments,
  allowedAttributes,
  allowedElements,
  codeClass,
  droppedWithContent,
  imageSchemes,
  linkSchemes,
} from '#shared/html-policy.ts'
import { withGitHubMarkdown } from '#shared/markdown.ts'

/** The policy in the words of the sanitiser. */
const policy: sanitizeHtml.IOptions = {
  allowedTags: [...allowedElements],
  allowedAttributes: {
    ...allowedAttributes,
    ...Object.fromEntries(
      alignedElements.map((tag) => [tag, [...(allowedAttributes[tag] ?? []), 'style']] as const),
    ),
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
  },
  allowedClasses: { code: [codeClass] },
  allowedStyles: Object.fromEntries(alignedElements.map((tag) => [tag, { 'text-align': [alignments] }])),
  allowedSchemes: [...linkSchemes],
  allowedSchemesByTag: { img: [...imageSchemes] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nonTextTags: [...droppedWithContent],
  // The box of a task list, and no other control.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
  nestingLimit: 100,
  parseStyleAttributes: true,
}

/** The parser's time grows with the square of the tags that are open at once; no editor writes this many. */
const maximumOpen = 300

/** HTML by our policy, in one pass. Markup that is nested without end is text, not markup. */
function sanitize(html: string): string {
  let open = 0
  try {
    return sanitizeHtml(html, {
      ...policy,
      onOpenTag: () => {
        if (++open > maximumOpen) throw new NestedTooDeeply()
      },
      onCloseTag: () => {
        open--
      },
    })
  } catch (error) {
    if (error instanceof NestedTooDeeply) return escapeHtml(html)
    throw error
  }
}

class NestedTooDeeply extends Error {}

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Broken markup needs a few passes at most; what is not stable by then is text, not markup. */
const maximumPasses = 8

/** HTML by our policy. Pure and idempotent: sanitising a second time changes nothing. Called on save. */
export function sanitizeRichText(html: string): string {
  // A tag that was taken away may have kept another one open or closed: go on until nothing changes.
  let clean = sanitize(html)
  for (let pass = 1; pass < maximumPasses; pass++) {
    const again = sanitize(clean)
    if (again === clean) return clean
    clean = again
  }
  return sanitizeHtml(clean, { allowedTags: [], allowedAttributes: {} })
}

/** GFM with hard breaks; emphasis works beside Japanese punctuation. */
const markdown = withGitHubMarkdown(
  new MarkdownIt({ html: true, breaks: true, linkify: true }).use(cjkFriendly),
)

const rendered = new LRUCache<string, string>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (html, source) => (html.length + source.length) * 2 + 100,
})

/** Markdown as the HTML sites receive; raw HTML inside goes through the same policy. The last 16 MB are remembered. */
export function renderMarkdown(source: string): string {
  const known = rendered.get(source)
  if (known !== undefined) return known
  const html = sanitize(markdown.render(source))
  rendered.set(source, html)
  return html
}
