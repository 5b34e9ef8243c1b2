import { Store } from '#admin/base/store.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { DocumentSaver, MergedChanges, SaveOutcome, SaveType } from './document-saver.ts'
import type { Choice, DocumentStore } from './document-store.ts'

/** News about a save that the page reports to the user. */
export type News =
  | { kind: 'published' }
  /** Nothing was saved: fields have issues. */
  | { kind: 'refused'; type: SaveType }
  /** Another user or window has deleted the document. */
  | { kind: 'deleted' }
  | { kind: 'failed'; error: unknown }

/** Functions of the page that an editing session calls. */
export interface EditingPage {
  tell(news: News): void
  /** Navigates to the URL of a newly created document. */
  goTo(created: Document): Promise<void>
  /** Invalidates cached documents of the model. `document`: the current state of one of them. */
  changed(document?: Document): void
}

export interface EditingStatus {
  /** Changes by other users or windows that were merged. null: none, or the notice was dismissed. */
  merged: MergedChanges | null
  /** Whether the conflict dialog is open. */
  deciding: boolean
  /**
   * How often saving was refused since the last success. From the first refusal on, the fields with issues are listed.
   */
  refusals: number
}

/** Coordinates the editing of one document: saves, conflicts, and newer states from the server. */
export class Editing {
  readonly status = new Store<EditingStatus>({ merged: null, deciding: false, refusals: 0 })
  private readonly store: DocumentStore
  private readonly saver: DocumentSaver
  private readonly page: EditingPage

  constructor(store: DocumentStore, saver: DocumentSaver, page: EditingPage) {
    this.store = store
    this.saver = saver
    this.page = page
  }

  /** Saves or publishes the current input. Returns whether it succeeded. */
  async save(type: SaveType): Promise<boolean> {
    return this.settle(await this.saver.save(type), type)
  }

  /** Saves the input as a new document, because the original document was deleted. */
  async saveAsNew(): Promise<void> {
    await this.settle(await this.saver.saveAsNew(), 'SAVE')
  }

  /**
   * Called when the connection is back. Only saves, even if publishing was requested before: a document must not be
   * published without the user noticing.
   */
  async resume(): Promise<void> {
    const outcome = await this.saver.save('SAVE')
    if (outcome.kind !== 'failed') await this.settle(outcome, 'SAVE')
  }

  /**
   * Applies a newer state from the server, for example after the window regained the focus. Ignores states that are not
   * newer.
   */
  receive(document: Document): void {
    const known = this.store.document
    if (document._id !== known?.id || document._sys.version <= known.sys.version) return
    const fields = this.store.refresh(document)
    this.markMerged(fields.length > 0 ? { fields, authors: undefined, since: known.sys.version } : null)
  }

  /** Called when the server no longer has the document. */
  receiveGone(): void {
    this.saver.markDeleted()
  }

  /** Opens the conflict dialog. */
  ask(): void {
    this.status.patch({ deciding: true })
  }

  closeQuestion(): void {
    this.status.patch({ deciding: false })
  }

  /**
   * Applies the decisions of a conflict. If own input remains, or the user was publishing, repeats the save or
   * publication.
   */
  async decide(choices: Record<string, Choice>): Promise<void> {
    const { conflict } = this.saver.status.get()
    this.closeQuestion()
    if (!conflict) return
    this.saver.resolve(choices)
    this.dropMerged(conflict.fields)
    if (this.store.hasUnsaved() || conflict.type === 'PUBLISH') await this.save(conflict.type)
    else this.page.changed()
  }

  closeMerged(): void {
    this.status.patch({ merged: null })
  }

  private markMerged(merged: MergedChanges | null): void {
    if (merged) this.status.patch({ merged })
  }

  /** Removes fields from the notice of merged changes, because they no longer have the merged value. */
  private dropMerged(uids: readonly string[]): void {
    const { merged } = this.status.get()
    if (!merged?.fields.some((uid) => uids.includes(uid))) return
    const fields = merged.fields.filter((uid) => !uids.includes(uid))
    this.status.patch({ merged: fields.length > 0 ? { ...merged, fields } : null })
  }

  private async settle(outcome: SaveOutcome, type: SaveType): Promise<boolean> {
    switch (outcome.kind) {
      case 'saved':
        this.status.patch({ refusals: 0 })
        this.dropMerged(outcome.changed)
        this.markMerged(outcome.merged)
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
