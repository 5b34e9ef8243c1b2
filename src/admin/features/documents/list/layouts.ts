import type { MouseEvent } from 'react'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { useDocumentWindow } from './use-document-window.ts'

/** The props that the list passes to each of its layouts: table, gallery and calendar. */
export interface LayoutProps {
  model: Model
  place: ModelPlace
  settings: ViewSettings
  rows: ReturnType<typeof useDocumentWindow>
  onVisible: (from: number, to: number) => void
  titleOf: (document: Document) => string
  isChosen: (id: string) => boolean
  /**
   * Selects a document. `range`: selects all documents from the last selected one to this one. null: no bulk action is
   * allowed.
   */
  onChoose: ((document: Document, range: boolean) => void) | null
  /** Opens a document. Ctrl, ⌘ or the middle button open it in a new tab. */
  onOpen: (document: Document, event?: MouseEvent) => void
}
