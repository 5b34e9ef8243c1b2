import { loadScript } from '#admin/base/reload-guard.ts'
import { Store } from '#admin/base/store.ts'
import { ApiError, api } from '#admin/lib/api.ts'
import type { Document, Person } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { formMayHaveChanged, knownCustomTypes, type ModelPlace } from '../documents.queries.ts'
import { Creation } from './creation.ts'
import { type Choice, type DocumentStore, groupIssues } from './document-store.ts'
import type { Values } from './values.ts'

export type SaveType = 'SAVE' | 'PUBLISH'

/** A conflict: the same fields were changed here and by another user or window. */
export interface Conflict {
  /** The document's current state on the server. */
  current: Document
  /** uids of the fields that were changed on both sides. */
  fields: string[]
  /** The user who changed them. null: unknown. */
  by: { id: string | null; name: string } | null
  at: string | null
  type: SaveType
}

/** Changes made by other users or windows that the editor has taken over. */
export interface MergedChanges {
  /** uids of the fields. */
  fields: readonly string[]
  /** The accounts that changed the fields, null for an unknown account. undefined: not loaded yet. */
  authors: readonly (Person | null)[] | undefined
  /** The latest version without these changes: the version that the save was based on, or the version shown before. */
  since: number
}

export type SaveOutcome =
  | {
      kind: 'saved'
      document: Document
      created: boolean
      /** uids of the fields that the save sent. */
      changed: string[]
      merged: MergedChanges | null
    }
  | { kind: 'invalid'; others: Issue[] }
  | { kind: 'conflict' }
  | { kind: 'deleted' }
  | { kind: 'failed'; error: unknown }

export interface SaveStatus {
  phase: 'idle' | 'saving' | 'offline' | 'conflict' | 'deleted' | 'removed' | 'modelGone' | 'failed'
  savedAt: Date | null
  conflict: Conflict | null
  error: unknown
}

/**
 * Saves one document, one request at a time. A save requested during another one runs afterwards, and sends the input
 * as it is then. The store keeps all input when a save fails.
 */
export class DocumentSaver {
  readonly model: Model
  readonly place: ModelPlace
  readonly store: DocumentStore
  readonly status: Store<SaveStatus>
  private running: Promise<SaveOutcome> | null = null
  private readonly creation = new Creation<ReturnType<DocumentStore['snapshot']>>()
  /** Whether the document was created but no outcome has reported it yet. */
  private isNew = false

  constructor(model: Model, place: ModelPlace, store: DocumentStore) {
    this.model = model
    this.place = place
    this.store = store
    this.status = new Store<SaveStatus>({
      phase: 'idle',
      savedAt: store.document ? new Date(store.document.sys.updatedAt) : null,
      conflict: null,
      error: null,
    })
  }

  /** Saves the current input. Never throws: errors are part of the outcome. */
  async save(type: SaveType): Promise<SaveOutcome> {
    while (this.running) await this.running
    this.running = this.run(type)
    try {
      return await this.running
    } finally {
      this.running = null
    }
  }

  /** Applies the decisions of a conflict. Fields decided as `mine` still have to be saved. */
  resolve(choices: Record<string, Choice>): void {
    const { conflict } = this.status.get()
    if (!conflict) return
    this.store.resolve(conflict.current, choices)
    this.status.patch({ phase: 'idle', conflict: null, error: null })
  }

  /** Marks the document as deleted. Ignored while a save runs. */
  markDeleted(): void {
    if (this.status.get().phase !== 'saving') this.status.patch({ phase: 'deleted' })
  }

  /** Called after the document was restored from the trash. Unsaved input is kept. */
  markRestored(document: Document): void {
    this.store.refresh(document)
    this.status.patch({ phase: 'idle', error: null })
  }

  /** Saves the current input as a new document. */
  saveAsNew(): Promise<SaveOutcome> {
    this.store.startAnew()
    this.status.patch({ phase: 'idle', error: null, conflict: null, savedAt: null })
    return this.save('SAVE')
  }

  private async run(type: SaveType): Promise<SaveOutcome> {
    if (await this.isBlocked(type)) return { kind: 'invalid', others: [] }
    const sent = this.store.snapshot()
    const values = this.store.all()
    const body = this.store.bodyOf(sent)
    const existing = this.store.document
    this.status.patch({ phase: 'saving', error: null })
    try {
      const {
        document,
        sent: stored,
        mergedFrom,
      } = existing
        ? { sent, ...(await this.update(existing.id, body, type)) }
        : { mergedFrom: undefined, ...(await this.creation.send(this.place, { sent, body, type })) }
      const fields = this.store.saved(stored, document)
      this.isNew ||= !existing
      // The document was created from the older input of an earlier attempt, so the current input is saved now.
      if (stored !== sent) return await this.run(type)
      const created = this.isNew
      this.isNew = false
      if (type === 'PUBLISH') this.store.setAllIssues([], values)
      this.status.patch({ phase: 'idle', savedAt: new Date(), conflict: null })
      const merged = fields.length > 0 ? { fields, authors: mergedFrom, since: sent.version ?? 1 } : null
      return { kind: 'saved', document, created, changed: Object.keys(stored.values), merged }
    } catch (error) {
      return this.failed(error, type, values)
    }
  }

  private update(id: string, doc: Record<string, unknown>, type: SaveType) {
    return api('PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
      params: { ...this.place, id },
      body: { doc, type },
    })
  }

  /** Marks the fields that prevent saving or publishing. Returns whether there are any. */
  private async isBlocked(type: SaveType): Promise<boolean> {
    try {
      const { publishIssues, saveIssues } = await loadScript(() => import('./validation.ts'))
      const values = this.store.all()
      const types = knownCustomTypes(this.place)
      if (type === 'PUBLISH') {
        const issues = publishIssues(this.model, values, types)
        this.store.setAllIssues(issues)
        return issues.length > 0
      }
      // A draft may violate other rules, so the messages of other fields stay.
      const { byField } = groupIssues(this.model, saveIssues(this.model, values, types))
      for (const [uid, issues] of byField) this.store.setIssues(uid, issues)
      return byField.size > 0
    } catch {
      // The rules could not be downloaded (offline). The server checks them anyway.
      return false
    }
  }

  private async failed(error: unknown, type: SaveType, sent: Values): Promise<SaveOutcome> {
    if (error instanceof ApiError && error.code === 'VersionConflict' && this.store.document) {
      try {
        const conflict = await this.readConflict(error, type, this.store.document.id)
        this.status.patch({ phase: 'conflict', conflict, error: null })
        return { kind: 'conflict' }
      } catch (second) {
        this.status.patch({ phase: 'failed', error: second })
        return { kind: 'failed', error: second }
      }
    }
    if (error instanceof ApiError && error.code === 'ValidationFailed' && error.issues.length > 0) {
      const others = this.store.setAllIssues(error.issues, sent)
      // The model may have been changed, so the form may be outdated: see `useFormChange`.
      void formMayHaveChanged(this.place)
      this.status.patch({ phase: 'idle' })
      return { kind: 'invalid', others }
    }
    if (await this.isShutOut(error)) {
      this.status.patch({ phase: 'removed', error })
      return { kind: 'failed', error }
    }
    if (await this.isModelGone(error)) {
      this.status.patch({ phase: 'modelGone', error })
      return { kind: 'failed', error }
    }
    if (error instanceof ApiError && error.code === 'NotFound' && this.store.document) {
      this.status.patch({ phase: 'deleted', error })
      return { kind: 'deleted' }
    }
    const offline = error instanceof ApiError && error.status === 0
    this.status.patch({ phase: offline ? 'offline' : 'failed', error })
    return { kind: 'failed', error }
  }

  /**
   * Returns whether the error concerns the whole app instead of this document: the user can no longer access the app.
   */
  private async isShutOut(error: unknown): Promise<boolean> {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 403)) return false
    const { p, a } = this.place
    try {
      const { currentRole } = await api('GET /api/project/{p}/app/{a}/currentRole', { params: { p, a } })
      return currentRole.rights.length === 0
    } catch (second) {
      return second instanceof ApiError && second.status === 404
    }
  }

  /** Returns whether the model was deleted or its uid was changed. */
  private async isModelGone(error: unknown): Promise<boolean> {
    if (!(error instanceof ApiError) || error.status !== 404) return false
    try {
      await api('GET /api/project/{p}/app/{a}/model/{m}', { params: { ...this.place } })
      return false
    } catch (second) {
      return second instanceof ApiError && second.status === 404
    }
  }

  private async readConflict(error: ApiError, type: SaveType, id: string): Promise<Conflict> {
    const { document } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
      params: { ...this.place, id },
    })
    const { fields, by, at } = error.details
    // A path may lead into a value, but users choose per field.
    const named = Array.isArray(fields) ? fields.map((path) => String(path).split('.')[0]) : []
    const dirty = this.store.dirtyFields()
    return {
      current: document,
      fields: dirty.filter((uid) => named.length === 0 || named.includes(uid)),
      by: personOf(by) ?? personOf(document._sys.updatedBy),
      at: typeof at === 'string' ? at : document._sys.updatedAt,
      type,
    }
  }
}

function personOf(person: unknown): Conflict['by'] {
  const { _id: id, name } = (person ?? {}) as { _id?: unknown; name?: unknown }
  return typeof name === 'string' ? { id: typeof id === 'string' ? id : null, name } : null
}
