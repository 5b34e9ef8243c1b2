import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import { type Store, useStore } from '#admin/base/store.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { DocumentSaver, SaveStatus } from './document-saver.ts'
import type { DocumentStore, DocumentSys } from './document-store.ts'

/** The editor's own window, where it is open over another document's. */
export interface OverPage {
  /** How many documents are open below it. */
  layer: number
  /** The document was saved: the window's work is done. */
  onSaved: (id: string) => void
  onClose: () => void
  /** Set by the editor: closes the window, and asks before if something is not saved. */
  askToClose: { current: () => void }
}

export interface EditorContextValue {
  model: Model
  place: ModelPlace
  store: DocumentStore
  saver: DocumentSaver
  /** The tab of the form that was chosen; null before one was. */
  tab: Store<string | null>
  readOnly: boolean
  /** Null: it is the page. */
  over: OverPage | null
}

export const EditorContext = createContext<EditorContextValue | null>(null)

/** The document being edited. */
export function useEditor(): EditorContextValue {
  const value = useContext(EditorContext)
  if (!value) throw new Error('Outside of a document editor')
  return value
}

/** One field's value; renders again when this field changes, and only then. */
export function useValue(uid: string): unknown {
  const { store } = useEditor()
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe(`value:${uid}`, listener), [store, uid]),
    () => store.get(uid),
  )
}

/** Messages on one field, paths relative to it. */
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

/** What the server knows of the document; null while it is new. */
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
