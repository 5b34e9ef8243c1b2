import { loadScript } from '#admin/base/reload-guard.ts'
import { Store } from '#admin/base/store.ts'
import { ApiError, api } from '#admin/lib/api.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { customTypesChanged, knownCustomTypes, type ModelPlace } from '../documents.queries.ts'
import { Creation } from './creation.ts'
import { type Choice, type DocumentStore, groupIssues } from './document-store.ts'

export type SaveType = 'SAVE' | 'PUBLISH'

/** Two people changed the same fields. */
export interface Conflict {
  /** The document as it is now. */
  current: Document
  /** uids of the fields that both changed. */
  fields: string[]
  /** Who changed them; null when that is not known. */
  by: { id: string | null; name: string } | null
  at: string | null
  type: SaveType
}

export type SaveOutcome =
  | { kind: 'saved'; document: Document; created: boolean; taken: string[] }
  | { kind: 'invalid'; others: Issue[] }
  | { kind: 'conflict' }
  | { kind: 'deleted' }
  | { kind: 'failed'; error: unknown }

export interface SaveStatus {
  phase: 'idle' | 'saving' | 'offline' | 'conflict' | 'deleted' | 'removed' | 'failed'
  savedAt: Date | null
  conflict: Conflict | null
  error: unknown
}

/**
 * Saves one document, one request at a time: a save that is asked for while another is under way follows it with
 * what is then on the screen. Whatever fails, the store keeps all that was typed.
 */
export class DocumentSaver {
  readonly model: Model
  readonly place: ModelPlace
  readonly store: DocumentStore
  readonly status: Store<SaveStatus>
  private running: Promise<SaveOutcome> | null = null
  private readonly creation = new Creation<ReturnType<DocumentStore['snapshot']>>()
  /** The document was made, and no outcome has said so yet. */
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

  /** Saves what is on the screen. Never throws: the outcome says what happened. */
  async save(type: SaveType): Promise<SaveOutcome> {
    while (this.running) await this.running
    this.running = this.run(type)
    try {
      return await this.running
    } finally {
      this.running = null
    }
  }

  /** Decides a conflict. What is kept of mine is to be saved again. */
  resolve(choices: Record<string, Choice>): void {
    const { conflict } = this.status.get()
    if (!conflict) return
    this.store.resolve(conflict.current, choices)
    this.status.patch({ phase: 'idle', conflict: null, error: null })
  }

  /** The document is in the trash, or gone: nothing can be saved to it. */
  markDeleted(): void {
    if (this.status.get().phase !== 'saving') this.status.patch({ phase: 'deleted' })
  }

  /** The document is back from the trash as it is now; what was typed is still to be saved. */
  markRestored(document: Document): void {
    this.store.refresh(document)
    this.status.patch({ phase: 'idle', error: null })
  }

  /** Saves what is on the screen as another document. */
  saveAsNew(): Promise<SaveOutcome> {
    this.store.startAnew()
    this.status.patch({ phase: 'idle', error: null, conflict: null, savedAt: null })
    return this.save('SAVE')
  }

  private async run(type: SaveType): Promise<SaveOutcome> {
    if (await this.isBlocked(type)) return { kind: 'invalid', others: [] }
    const sent = this.store.snapshot()
    const body = this.store.bodyOf(sent)
    const existing = this.store.document
    this.status.patch({ phase: 'saving', error: null })
    try {
      const { document, sent: stored } = existing
        ? { sent, ...(await this.update(existing.id, body, type)) }
        : await this.creation.send(this.place, { sent, body, type })
      const taken = this.store.saved(stored, document)
      this.isNew ||= !existing
      // The document was made by an earlier request, whose answer was lost: what is on the screen now follows.
      if (stored !== sent) return await this.run(type)
      const created = this.isNew
      this.isNew = false
      if (type === 'PUBLISH') this.store.setAllIssues([])
      this.status.patch({ phase: 'idle', savedAt: new Date(), conflict: null })
      return { kind: 'saved', document, created, taken }
    } catch (error) {
      return this.failed(error, type)
    }
  }

  private update(id: string, doc: Record<string, unknown>, type: SaveType) {
    return api('PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
      params: { ...this.place, id },
      body: { doc, type },
    })
  }

  /** Marks the fields that keep the document from being saved or published, if there are any. */
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
      // A draft may break the other rules: what was said about them stays on the screen.
      const { byField } = groupIssues(this.model, saveIssues(this.model, values, types))
      for (const [uid, issues] of byField) this.store.setIssues(uid, issues)
      return byField.size > 0
    } catch {
      // The rules could not be downloaded (the connection is gone): the server knows them too.
      return false
    }
  }

  private async failed(error: unknown, type: SaveType): Promise<SaveOutcome> {
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
      const others = this.store.setAllIssues(error.issues)
      if (error.issues.some(({ code }) => code === 'UnknownField' || code === 'NonExistentFieldType'))
        void customTypesChanged(this.place)
      this.status.patch({ phase: 'idle' })
      return { kind: 'invalid', others }
    }
    if (await this.isShutOut(error)) {
      this.status.patch({ phase: 'removed', error })
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

  /** Was the refusal of the whole app, not of the document? Then whoever writes is no member any more. */
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

  private async readConflict(error: ApiError, type: SaveType, id: string): Promise<Conflict> {
    const { document } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
      params: { ...this.place, id },
    })
    const { fields, by, at } = error.details
    // A path may lead into a value: the choice is made for the field.
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
