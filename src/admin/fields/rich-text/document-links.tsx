import { useQueries } from '@tanstack/react-query'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { useEffect } from 'react'
import { ApiError } from '#admin/lib/api.ts'
import type { Place } from '../field-props.ts'
import { targetQuery } from '../reference/reference-queries.ts'
import { documentLinksIn, type LinkState, showLinkStates } from './linked-documents.ts'

/** More links than this in one text are not looked after. */
const maximumLinks = 200

/** Asks for the documents that the text links to, and marks the links whose documents readers cannot see. */
export function LinkedDocuments({ editor, place }: { editor: Editor; place: Place }): null {
  const links = useEditorState({ editor, selector: ({ editor }) => linkedIn(editor) })
  const pairs = links === '' ? [] : links.split(' ').map((pair) => pair.split('/') as [string, string])
  const states = useQueries({
    queries: pairs.map(([model, id]) => targetQuery(place, model, id)),
    combine: (results) =>
      results.map(({ data, error }) => {
        // No such model (any more) is no such document.
        if (data === null || (error instanceof ApiError && error.status === 404)) return 'missing'
        return data?._sys.status === 'draft' ? 'draft' : ''
      }),
  }).join(' ')
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
}

/** Model and `_id` of each, in a text that is the same as long as the links are. */
function linkedIn(editor: Editor): string {
  const pairs = documentLinksIn(editor.state.doc).flatMap(({ value: { model, document } }) =>
    model ? [`${model}/${document}`] : [],
  )
  return [...new Set(pairs)].slice(0, maximumLinks).join(' ')
}
