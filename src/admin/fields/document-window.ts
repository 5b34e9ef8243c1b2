import { createContext, useContext } from 'react'

/** A document to be opened over the one that is being edited; `id` null: a new one of the model. */
export interface WantedDocument {
  modelUid: string
  id: string | null
  /** It was saved there, under this `_id`. */
  onSaved: (id: string) => void
}

/** How an input opens other documents without leaving its own. */
export interface DocumentWindow {
  open(wanted: WantedDocument): void
  /** Is the document being edited already, in this window or below it? */
  isOpen(id: string): boolean
}

/** Null where no window can be opened: among the settings of a model, and over too many others. */
export const DocumentWindowContext = createContext<DocumentWindow | null>(null)

export const useDocumentWindow = (): DocumentWindow | null => useContext(DocumentWindowContext)
