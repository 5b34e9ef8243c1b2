import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import { type Store, useStore } from '#admin/base/store.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { DocumentSaver, SaveStatus } from './document-saver.ts'
import type { DocumentStore, DocumentSys } from './document-store.ts'

/** An editor's window that is open over another document. */
export interface OverPage {
  /** Number of documents open below this window. */
  layer: number
  /** Called after the document was saved. Closes the window. */
  onSaved: (id: string) => void
  onClose: () => void
  /** Set by the editor: closes the window, asking first about unsaved input. */
  askToClose: { current: () => void }
}

export interface EditorContextValue {
  model: Model
  place: ModelPlace
  store: DocumentStore
  saver: DocumentSaver
  /** The selected tab of the form. null before a tab was selected. */
  tab: Store<string | null>
  readOnly: boolean
  /** `_id`s of fields that the user's role makes read-only. */
  readOnlyFields: ReadonlySet<string>
  /** null: the editor is the page itself. */
  over: OverPage | null
}

export const EditorContext = createContext<EditorContextValue | null>(null)

/** Returns the editor of the document. Throws outside of an editor. */
export function useEditor(): EditorContextValue {
  const value = useContext(EditorContext)
  if (!value) throw new Error('Outside of a document editor')
  return value
}

/** Returns one field's value. Renders again when the value changes. */
export function useValue(uid: string): unknown {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe(`value:${uid}`, listener), [store, uid]),
    () => store.get(uid),
  )
}

/** Returns the issues of one field, with relative paths. */
export function useIssues(uid: string): readonly Issue[] {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe(`issues:${uid}`, listener), [store, uid]),
    () => store.issuesOf(uid),
  )
}

export function useAllIssues(): readonly Issue[] {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe('allIssues', listener), [store]),
    () => store.allIssues(),
  )
}

export function useHasUnsaved(): boolean {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe('dirty', listener), [store]),
    () => store.hasUnsaved(),
  )
}

/** Returns the document's state on the server. null: the document is new. */
export function useDocument(): { id: string; sys: DocumentSys } | null {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe('document', listener), [store]),
    () => store.document,
  )
}

export function useSaveStatus(): SaveStatus {
  return useStore(useEditor().saver.status)
}
