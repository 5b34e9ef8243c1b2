import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { memo, useEffect } from 'react'
import type { Place } from '../field-props.ts'
import { documentLinksIn, type LinkState, showLinkStates } from './linked-documents.ts'
import { useLinked } from './use-linked.ts'

/** Maximum number of links per text whose documents are checked. */
const maximumLinks = 200

/**
 * Fetches the documents that the text links to, and marks links to documents that are not published or do not exist.
 */
export const LinkedDocuments = memo(function LinkedDocuments({
  editor,
  place,
}: {
  editor: Editor
  place: Place
}): null {
  const links = useEditorState({ editor, selector: ({ editor }) => linkedIn(editor) })
  const pairs = links === '' ? [] : links.split(' ').map((pair) => pair.split('/'))
  const found = useLinked(
    place,
    pairs.map(([model = '', document = '']) => ({ model, document })),
  )
  const states = found
    .map(({ document, isError }) => {
      if (document === null && !isError) return 'missing'
      return document?._sys.status === 'draft' ? 'draft' : ''
    })
    .join(' ')
  useEffect(() => {
    if (links === '') return
    const known = states.split(' ')
    const unseen = links.split(' ').flatMap((pair, index) => {
      const state = known[index]
      return state ? [[pair.split('/')[1] ?? '', state as LinkState] as const] : []
    })
    showLinkStates(editor, new Map(unseen))
  }, [editor, links, states])
  return null
})

/** Returns the model and `_id` of each link, joined into one string, which changes only when the links change. */
function linkedIn(editor: Editor): string {
  const pairs = documentLinksIn(editor.state.doc).map(
    ({ value: { model, document } }) => `${model ?? ''}/${document}`,
  )
  return [...new Set(pairs)].slice(0, maximumLinks).join(' ')
}
