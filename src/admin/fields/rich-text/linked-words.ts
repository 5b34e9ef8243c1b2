import { Extension } from '@tiptap/core'
import { Mark, type Node } from '@tiptap/pm/model'
import { Plugin, TextSelection } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

/**
 * Time in milliseconds after which ProseMirror has read the last change of a composition. ProseMirror waits for 20 ms.
 */
const afterComposition = 30

/**
 * Keeps the link when the user types over linked words. Links are not inclusive: ProseMirror does not extend a link to
 * typed text, but browsers do. If ProseMirror and the browser put composed text in different places, parts of the
 * composition remain in the text.
 */
export const LinkedWords = Extension.create({
  name: 'linkedWords',
  addProseMirrorPlugins() {
    /** The link into which the user currently composes text; null outside of links. */
    let composed: Mark | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    return [
      new Plugin({
        props: {
          handleTextInput: (view, from, to, text, insertion) => {
            const link = composed ?? linkOver(view.state.doc, from, to) ?? linkIn(view.state.storedMarks)
            if (!link) return false
            const tr = insertion().addMark(from, from + text.length, link)
            // Stored marks would end the composition.
            view.dispatch(composed ? tr : tr.addStoredMark(link))
            return true
          },
          handleDOMEvents: {
            compositionstart: (view) => {
              clearTimeout(timer)
              composed = view.editable ? beginComposition(view) : null
              return false
            },
            compositionend: () => {
              // ProseMirror reads the last change after this event.
              timer = setTimeout(() => {
                composed = null
              }, afterComposition)
              return false
            },
          },
        },
      }),
    ]
  },
})

const isLink = (mark: Mark) => mark.type.spec.inclusive === false
const linkIn = (marks: readonly Mark[] | null | undefined) => marks?.find(isLink) ?? null

/** Returns the link that covers the whole range, or null. */
function linkOver(doc: Node, from: number, to: number): Mark | null {
  const links = new Set<Mark | null>()
  doc.nodesBetween(from, to, (node) => {
    if (node.isInline) links.add(linkIn(node.marks))
  })
  const [link = null, ...others] = links
  return link && others.every((other) => other?.eq(link)) ? link : null
}

/**
 * Deletes a selection that contains or follows a link, unless the link continues after the selection. The browser then
 * composes at ProseMirror's caret position. Returns the link to compose in, or null.
 */
function beginComposition(view: EditorView): Mark | null {
  const { selection, storedMarks, doc, tr } = view.state
  if (selection.empty) return linkIn(storedMarks)
  if (!(selection instanceof TextSelection)) return null
  const { $from, $to, from, to } = selection
  let meetsLink = linkIn($from.nodeBefore?.marks) !== null
  doc.nodesBetween(from, to, (node) => {
    meetsLink ||= node.marks.some(isLink)
  })
  if (!meetsLink) return null
  const link = linkOver(doc, from, to)
  // The browser composes inside a link that continues after the selection.
  if (link?.isInSet($to.nodeAfter?.marks ?? [])) return link
  const marks = $from.marksAcross($to) ?? Mark.none
  view.dispatch(tr.deleteSelection().ensureMarks(link ? link.addToSet(marks) : marks))
  return link
}
