import { type AnyExtension, Mark, Node } from '@tiptap/core'

/** Inline elements that nobody makes here but that texts bring along: m², ⌘, highlighted words. */
const keptElements = ['sub', 'sup', 'mark', 'small', 'ins', 'kbd', 'cite', 'q'] as const

const marks: AnyExtension[] = keptElements.map((tag) =>
  Mark.create({
    name: tag,
    // Nothing stands above and below the line at once.
    excludes: tag === 'sub' || tag === 'sup' ? 'sub sup' : tag,
    parseHTML: () => [
      { tag },
      ...(tag === 'sub' || tag === 'sup'
        ? [{ style: `vertical-align=${tag === 'sub' ? 'sub' : 'super'}` }]
        : []),
    ],
    renderHTML: () => [tag, 0],
  }),
)

/** A piece of a ruby: the name of its element, null for bare text, and its words. */
type RubyPart = readonly [name: 'rb' | 'rt' | 'rp' | null, text: string]

/** Words with their reading above them, kept as they came and moved as one. */
const Ruby = Node.create({
  name: 'ruby',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    parts: {
      default: [],
      rendered: false,
      parseHTML: (element: HTMLElement): RubyPart[] =>
        [...element.childNodes].map((child) => {
          const name = child.nodeName.toLowerCase()
          return [name === 'rb' || name === 'rt' || name === 'rp' ? name : null, child.textContent ?? '']
        }),
    },
  }),
  parseHTML: () => [{ tag: 'ruby' }],
  renderHTML: ({ node }) => ['ruby', ...partsOf(node).map(([name, text]) => (name ? [name, text] : text))],
  renderText: ({ node }) =>
    partsOf(node)
      .map(([name, text]) => (name === 'rt' ? `（${text}）` : name === 'rp' ? '' : text))
      .join(''),
})

function partsOf(node: { attrs: Record<string, unknown> }): readonly RubyPart[] {
  return node.attrs.parts as readonly RubyPart[]
}

/** What the editor keeps although it has no tool for it. */
export const keptInlineElements: AnyExtension[] = [...marks, Ruby]
