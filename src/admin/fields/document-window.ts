import { createContext, useContext } from 'react'

/** A document to open in a window above the current one. `id` null: a new document of the model. */
export interface WantedDocument {
  modelUid: string
  id: string | null
  /** Called when the document was saved in the window, with its `_id`. */
  onSaved: (id: string) => void
}

export interface DocumentWindow {
  open(wanted: WantedDocument): void
  /** Returns whether the document is already open, in this window or in one below it. */
  isOpen(id: string): boolean
}

/**
 * Null if no window can be opened: outside the document editor, for example in the settings of a model, or when the
 * maximum number of windows is open.
 */
export const DocumentWindowContext = createContext<DocumentWindow | null>(null)

export const useDocumentWindow = (): DocumentWindow | null => useContext(DocumentWindowContext)
