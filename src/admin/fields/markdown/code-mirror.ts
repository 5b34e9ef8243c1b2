import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { HighlightStyle, LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Asset } from '#shared/contract/assets.ts'
import { isOutside, look, readOnlyAs, readOnlyPart } from '../code-view.ts'
import { pictureFiles } from '../picture-files.ts'
import { uncover } from '../visible-part.ts'

// `markdown()` itself would add parsers for HTML, CSS and JavaScript. The Enter binding for lists must run before all
// other bindings.
const markdown = new LanguageSupport(markdownLanguage, [Prec.high(keymap.of(markdownKeymap))])

const highlighting = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.link, color: 'var(--mantine-color-anchor)' },
  { tag: tags.url, color: 'var(--mantine-color-anchor)' },
  { tag: tags.monospace, fontFamily: 'var(--mantine-font-family-monospace)' },
  { tag: tags.quote, color: 'var(--mantine-color-dimmed)' },
  { tag: tags.processingInstruction, color: 'var(--mantine-color-dimmed)' },
])

interface EditorOptions {
  doc: string
  readOnly: boolean
  placeholder: string
  attributes: Record<string, string>
  onChange: (text: string) => void
  onBlur: () => void
  /** Called with pictures that were pasted or dropped as files, and their position. */
  onPictures: (files: File[], place: KeptPlace) => void
  /** Returns the lowest sticky bar at the top of the page. */
  bar: () => HTMLElement | null
  /** Returns the notice, which is sticky at the bottom of the page. */
  foot: () => HTMLElement | null
}

/**
 * A position in the text that is updated when the text changes. Text inserted exactly at the position comes after it.
 */
export interface KeptPlace {
  at: number
}

/** Creates a CodeMirror view for Markdown. The page handles ⌘Enter, which publishes. */
export function createMarkdownView(options: EditorOptions): EditorView {
  const places: KeptPlace[] = []
  function takeFiles(event: Event, data: DataTransfer | null, at: number): boolean {
    const files = pictureFiles(data)
    if (files.length === 0) return false
    event.preventDefault()
    const place = { at }
    places.push(place)
    options.onPictures(files, place)
    return true
  }
  return new EditorView({
    state: EditorState.create({
      doc: options.doc,
      extensions: [
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        markdown,
        syntaxHighlighting(highlighting),
        look,
        placeholder(options.placeholder),
        keymap.of([
          { key: 'Mod-b', run: (view) => toggleAround(view, '**') },
          { key: 'Mod-i', run: (view) => toggleAround(view, '*') },
          {
            key: 'Mod-k',
            run: (view) => {
              insertLink(view)
              return true
            },
          },
          ...defaultKeymap.filter((binding) => binding.key !== 'Mod-Enter'),
          ...historyKeymap,
        ]),
        // CodeMirror scrolls only its own box. This handler also scrolls the page to the caret.
        EditorView.scrollHandler.of((view, range) => {
          view.requestMeasure({
            key: 'uncover',
            read: () => view.coordsAtPos(range.head),
            write: (place) => place && uncover(place, options.bar(), options.foot()),
          })
          return false
        }),
        EditorView.domEventHandlers({
          paste: (event, view) => takeFiles(event, event.clipboardData, view.state.selection.main.to),
          drop: (event, view) => {
            if (pictureFiles(event.dataTransfer).length === 0) return false
            const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
            // The caret moves to the drop position, so that typing continues after the pictures.
            if (at !== null) view.dispatch({ selection: { anchor: at } })
            view.focus()
            return takeFiles(event, event.dataTransfer, at ?? view.state.selection.main.to)
          },
        }),
        EditorView.contentAttributes.of(options.attributes),
        readOnlyPart.of(readOnlyAs(options.readOnly)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) for (const place of places) place.at = update.changes.mapPos(place.at, -1)
          if (update.docChanged && !isOutside(update.transactions))
            options.onChange(update.state.doc.toString())
          if (update.focusChanged && !update.view.hasFocus) options.onBlur()
        }),
      ],
    }),
  })
}

/** Adds delimiters around the selection, or removes them if they are there. Returns true, as a CodeMirror command. */
export function toggleAround(view: EditorView, open: string, close = open): boolean {
  const { from, to } = view.state.selection.main
  const { doc } = view.state
  const inside =
    doc.sliceString(from - open.length, from) === open && doc.sliceString(to, to + close.length) === close
  view.dispatch(
    inside
      ? {
          changes: [
            { from: from - open.length, to: from },
            { from: to, to: to + close.length },
          ],
          userEvent: 'input',
        }
      : {
          changes: [
            { from, insert: open },
            { from: to, insert: close },
          ],
          selection: { anchor: from + open.length, head: to + open.length },
          userEvent: 'input',
        },
  )
  view.focus()
  return true
}

/**
 * Wraps the selected text in ruby markup and moves the caret to the position of the reading. Without a selection, the
 * caret moves to the base text.
 */
export function insertRuby(view: EditorView): void {
  const { from, to } = view.state.selection.main
  const before = `<ruby>${view.state.doc.sliceString(from, to)}<rp>（</rp><rt>`
  view.dispatch({
    changes: { from, to, insert: `${before}</rt><rp>）</rp></ruby>` },
    selection: { anchor: from + (from === to ? '<ruby>'.length : before.length) },
    userEvent: 'input',
  })
  view.focus()
}

/** Inserts a footnote reference after the selection and an empty note at the end. Moves the caret into the note. */
export function insertFootnote(view: EditorView): void {
  const { doc, selection } = view.state
  const text = doc.toString()
  const known = Array.from(text.matchAll(/\[\^(\d{1,6})\]/g), ([, label]) => Number(label))
  const label = `[^${known.reduce((most, one) => Math.max(most, one), 0) + 1}]`
  // No blank line separates consecutive footnotes.
  const gap = /(?:^|\n)\[\^[^\s\]]+\]:[^\n]*\n*$/.test(text) ? '\n' : '\n\n'
  const note = `${text.endsWith(gap) ? '' : text.endsWith('\n') ? gap.slice(1) : gap}${label}: `
  view.dispatch({
    changes: [
      { from: selection.main.to, insert: label },
      { from: doc.length, insert: note },
    ],
    selection: { anchor: doc.length + label.length + note.length },
    scrollIntoView: true,
    userEvent: 'input',
  })
  view.focus()
}

/** Adds a prefix to each selected line, or removes it if all have it. */
export function toggleLines(view: EditorView, mark: string): void {
  const { from, to } = view.state.selection.main
  const { doc } = view.state
  const lines = []
  for (let at = doc.lineAt(from).number; at <= doc.lineAt(to).number; at++) lines.push(doc.line(at))
  const all = lines.every((line) => line.text.startsWith(mark))
  view.dispatch({
    changes: lines.map((line) =>
      all ? { from: line.from, to: line.from + mark.length } : { from: line.from, insert: mark },
    ),
    userEvent: 'input',
  })
  view.focus()
}

/**
 * Inserts pictures of the library, one per line, as one undo step. If the caret is still at `at`, it moves after the
 * pictures; otherwise it stays.
 */
export function insertPictures(view: EditorView, assets: readonly Asset[], at: number): void {
  if (assets.length === 0) return
  const from = Math.min(at, view.state.doc.length)
  const marks = assets.map(
    ({ altText, src }) => `![${altText.replace(/[\\[\]]/g, '\\$&')}](${addressOf(src)})`,
  )
  const insert = marks.join('\n')
  view.dispatch({
    changes: { from, insert },
    ...(view.state.selection.main.to === from ? { selection: { anchor: from + insert.length } } : {}),
    userEvent: 'input',
    annotations: isolateHistory.of('full'),
  })
}

/**
 * Moves the caret into the empty alternative text of a picture. Does nothing if the text no longer contains the picture
 * without alternative text.
 */
export function goToDescription(view: EditorView, { src }: Asset): void {
  const found = view.state.doc.toString().indexOf(`![](${addressOf(src)})`)
  if (found < 0) return
  view.dispatch({ selection: { anchor: found + 2 }, scrollIntoView: true })
  view.focus()
}

const addressOf = (src: string) => src.replaceAll('(', '%28').replaceAll(')', '%29')

/** Inserts `[selected text](https://)` and selects the URL. */
export function insertLink(view: EditorView): void {
  const { from, to } = view.state.selection.main
  const text = view.state.doc.sliceString(from, to)
  const insert = `[${text}](https://)`
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + text.length + 3, head: from + insert.length - 1 },
    userEvent: 'input',
  })
  view.focus()
}
