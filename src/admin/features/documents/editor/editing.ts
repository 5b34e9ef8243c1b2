import { Store } from '#admin/base/store.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { DocumentSaver, SaveOutcome, SaveType } from './document-saver.ts'
import type { Choice, DocumentStore } from './document-store.ts'

/** What the page says of a save. */
export type News =
  | { kind: 'published' }
  /** Nothing was sent or kept: fields are broken. */
  | { kind: 'refused'; type: SaveType }
  /** Somebody has deleted the document. */
  | { kind: 'deleted' }
  | { kind: 'failed'; error: unknown }

/** What the page around the editor does about a save. */
export interface EditingPage {
  tell(news: News): void
  /** Shows a document that was made now at its own address. */
  goTo(created: Document): Promise<void>
  /** What is known of the model's documents is old; `document` is one of them as it is now. */
  changed(document?: Document): void
}

export interface EditingStatus {
  /** uids of the fields that were taken over from others, until somebody has read so. */
  taken: readonly string[]
  /** A conflict is being decided. */
  deciding: boolean
  /** How often saving was refused since it last went well; from the first time on the broken fields are listed. */
  refusals: number
}

/** The work on one document from the first keystroke to the last save, whatever comes between: drawn by its page. */
export class Editing {
  readonly status = new Store<EditingStatus>({ taken: [], deciding: false, refusals: 0 })
  private readonly store: DocumentStore
  private readonly saver: DocumentSaver
  private readonly page: EditingPage

  constructor(store: DocumentStore, saver: DocumentSaver, page: EditingPage) {
    this.store = store
    this.saver = saver
    this.page = page
  }

  /** Saves what is on the screen; true when all went well. */
  async save(type: SaveType): Promise<boolean> {
    return this.settle(await this.saver.save(type), type)
  }

  /** Saves it as another document: the one it was is gone. */
  async saveAsNew(): Promise<void> {
    await this.settle(await this.saver.saveAsNew(), 'SAVE')
  }

  /**
   * The connection is back. Only saved, whatever was asked for before it was gone: nothing is published behind somebody's
   * back.
   */
  async resume(): Promise<void> {
    const outcome = await this.saver.save('SAVE')
    if (outcome.kind !== 'failed') await this.settle(outcome, 'SAVE')
  }

  /** A newer state came from the server, for example when the window was looked at again. */
  receive(document: Document): void {
    const known = this.store.document
    if (document._id !== known?.id || document._sys.version <= known.sys.version) return
    this.markTaken(this.store.refresh(document))
  }

  /** The server was asked again and no longer has the document. */
  receiveGone(): void {
    this.saver.markDeleted()
  }

  /** Asks for the decision of a conflict. */
  ask(): void {
    this.status.patch({ deciding: true })
  }

  closeQuestion(): void {
    this.status.patch({ deciding: false })
  }

  /** A conflict was decided field by field; what is kept of one's own is saved at once. */
  async decide(choices: Record<string, Choice>): Promise<void> {
    const { conflict } = this.saver.status.get()
    this.closeQuestion()
    if (!conflict) return
    this.saver.resolve(choices)
    if (this.store.hasUnsaved() || conflict.type === 'PUBLISH') await this.save(conflict.type)
    else this.page.changed()
  }

  closeTaken(): void {
    this.status.patch({ taken: [] })
  }

  private markTaken(taken: readonly string[]): void {
    if (taken.length > 0) this.status.patch({ taken })
  }

  private async settle(outcome: SaveOutcome, type: SaveType): Promise<boolean> {
    switch (outcome.kind) {
      case 'saved':
        this.status.patch({ refusals: 0 })
        this.markTaken(outcome.taken)
        if (type === 'PUBLISH') this.page.tell({ kind: 'published' })
        this.page.changed(outcome.document)
        if (outcome.created) await this.page.goTo(outcome.document)
        return true
      case 'invalid':
        this.page.tell({ kind: 'refused', type })
        this.status.patch({ refusals: this.status.get().refusals + 1 })
        return false
      case 'conflict':
        this.ask()
        return false
      case 'deleted':
        this.page.tell({ kind: 'deleted' })
        return false
      case 'failed':
        this.page.tell(outcome)
        return false
    }
  }
}
