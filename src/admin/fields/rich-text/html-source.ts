import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { HighlightStyle, LRLanguage, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { parser } from '@lezer/html'
import { isOutside, look, readOnlyAs, readOnlyPart } from '../code-view.ts'

// Only the grammar is used, because the full language package includes parsers for CSS and JavaScript.
const html = LRLanguage.define({ parser })

const highlighting = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--mantine-color-anchor)' },
  { tag: tags.attributeName, color: 'var(--mantine-color-dimmed)' },
  { tag: tags.attributeValue, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: [tags.comment, tags.character], color: 'var(--mantine-color-dimmed)' },
])

const codeLook = EditorView.theme({
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-content': { fontSize: '13px', minHeight: '170px' },
  '&': { maxHeight: '70vh' },
})

interface HtmlSourceOptions {
  doc: string
  readOnly: boolean
  attributes: Record<string, string>
  onChange: (text: string) => void
  onBlur: () => void
}

/** Creates a CodeMirror view for HTML. The page handles ⌘Enter (publish) and Tab (next input). */
export function createHtmlSource(options: HtmlSourceOptions): EditorView {
  return new EditorView({
    state: EditorState.create({
      doc: options.doc,
      extensions: [
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        html,
        syntaxHighlighting(highlighting),
        codeLook,
        look,
        keymap.of([...defaultKeymap.filter((binding) => binding.key !== 'Mod-Enter'), ...historyKeymap]),
        EditorView.contentAttributes.of(options.attributes),
        readOnlyPart.of(readOnlyAs(options.readOnly)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOutside(update.transactions))
            options.onChange(update.state.doc.toString())
          if (update.focusChanged && !update.view.hasFocus) options.onBlur()
        }),
      ],
    }),
  })
}
