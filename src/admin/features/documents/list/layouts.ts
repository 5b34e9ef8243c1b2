import type { MouseEvent } from 'react'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { useDocumentWindow } from './use-document-window.ts'

/** What a way to show the documents of a list is given. */
export interface LayoutProps {
  model: Model
  place: ModelPlace
  settings: ViewSettings
  rows: ReturnType<typeof useDocumentWindow>
  onVisible: (from: number, to: number) => void
  titleOf: (document: Document) => string
  isChosen: (id: string) => boolean
  /** `range`: all from the last one that was chosen up to here. Null: nobody may do anything with what is chosen. */
  onChoose: ((document: Document, range: boolean) => void) | null
  /** With Ctrl or ⌘, and with the middle button, in another tab. */
  onOpen: (document: Document, event?: MouseEvent) => void
}
