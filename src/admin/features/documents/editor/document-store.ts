import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { sameValue, sentValue, type Values, valuesOf } from './values.ts'

export type DocumentSys = Document['_sys']
export type Choice = 'mine' | 'theirs'

/** What listeners can wait for: a field (`value:title`), its messages (`issues:title`), or the document as a whole. */
type Topic = `value:${string}` | `issues:${string}` | 'dirty' | 'document' | 'allIssues'

/** What a save took along: the values as they were at that moment. */
export interface Sent {
  values: Values
  version: number | null
}

const noIssues: readonly Issue[] = []

/**
 * The document on the screen, outside of React: a keystroke wakes only the listeners of its field.
 *
 * For each field there are three values: the one on the screen (`values`), the one that is known to be saved in the
 * form the screen has it (`clean`), and the one the server answered (`server`; rich text comes back sanitised, for
 * example). A field is dirty when screen and clean differ. What the server answers to a save is then on the screen;
 * answers never replace what was typed since they were asked for.
 */
export class DocumentStore {
  readonly model: Pick<Model, 'fields' | 'titleField'>
  private values: Values
  private clean: Values
  private server: Values
  private dirty = new Set<string>()
  private issues = new Map<string, readonly Issue[]>()
  private issueList: readonly Issue[] = noIssues
  private listeners = new Map<Topic, Set<() => void>>()
  /** Null until the document exists on the server. */
  document: { id: string; sys: DocumentSys } | null
  /** The version that what is on the screen was made from: the base of the next save. */
  private version: number | null
  private isDirty = false

  constructor(model: Pick<Model, 'fields' | 'titleField'>, from: Document | { defaults: Values }) {
    this.model = model
    const existing = '_sys' in from ? (from as Document) : null
    this.values = existing ? valuesOf(model, existing) : { ...(from as { defaults: Values }).defaults }
    this.clean = { ...this.values }
    this.server = { ...this.values }
    this.document = existing && { id: existing._id, sys: existing._sys }
    this.version = existing?._sys.version ?? null
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  get(uid: string): unknown {
    return this.values[uid]
  }

  /** As the server knows it, whatever was typed since. */
  serverValue(uid: string): unknown {
    return this.server[uid]
  }

  set(uid: string, value: unknown): void {
    if (this.values[uid] === value) return
    this.values[uid] = value
    this.compare(uid)
    this.notify(`value:${uid}`)
  }

  all(): Values {
    return { ...this.values }
  }

  hasUnsaved(): boolean {
    return this.isDirty
  }

  dirtyFields(): string[] {
    return this.model.fields.map((field) => field.uid).filter((uid) => this.dirty.has(uid))
  }

  /** The changed values as they are now; all values of a document that does not exist yet. */
  snapshot(): Sent {
    const uids = this.document ? this.dirtyFields() : Object.keys(this.values)
    return { values: Object.fromEntries(uids.map((uid) => [uid, this.values[uid]])), version: this.version }
  }

  /** The body of a save: fields that are left out stay as they are on the server. */
  bodyOf(sent: Sent): Record<string, unknown> {
    const body: Record<string, unknown> = {}
    for (const [uid, value] of Object.entries(sent.values)) {
      const empty = sentValue(value)
      if (empty !== null || this.document) body[uid] = empty
    }
    if (sent.version !== null) body._sys = { version: sent.version }
    return body
  }

  /**
   * The server has saved what was sent. Fields that others had changed meanwhile are taken over.
   * @returns uids of fields that were taken over from others
   */
  saved(sent: Sent, document: Document): string[] {
    const next = valuesOf(this.model, document)
    const taken: string[] = []
    let overtaken = false
    for (const { uid } of this.model.fields) {
      if (uid in sent.values || sent.version === null) {
        const untouched = uid in sent.values && sameValue(this.values[uid], sent.values[uid])
        if (uid in sent.values || this.values[uid] === undefined) this.clean[uid] = sent.values[uid]
        this.server[uid] = next[uid]
        // What is shown is what is kept, unless it was typed on meanwhile.
        if (untouched && !sameValue(sent.values[uid], next[uid])) this.take(uid, next[uid])
      } else if (!sameValue(this.server[uid], next[uid])) {
        // Somebody else's change came along in the answer.
        if (this.dirty.has(uid)) {
          // …and this field was changed here while the save was under way: its base stays the old version, so that
          // the next save is told of the conflict instead of writing over it.
          overtaken = true
        } else {
          this.take(uid, next[uid])
          taken.push(uid)
        }
      }
      this.compare(uid)
    }
    if (!overtaken) this.version = document._sys.version
    this.document = { id: document._id, sys: document._sys }
    this.notify('document')
    return taken
  }

  /**
   * A newer state of the document was read. It is taken over unless it touches what was changed here: then the next
   * save will tell.
   * @returns uids of fields that changed on the screen
   */
  refresh(document: Document): string[] {
    if (this.document && document._id !== this.document.id) return []
    if (this.document && document._sys.version < this.document.sys.version) return []
    const next = valuesOf(this.model, document)
    const changed = this.model.fields
      .map(({ uid }) => uid)
      .filter((uid) => !sameValue(this.server[uid], next[uid]))
    this.document = { id: document._id, sys: document._sys }
    if (!changed.some((uid) => this.dirty.has(uid))) {
      for (const uid of changed) {
        this.take(uid, next[uid])
        this.compare(uid)
      }
      this.version = document._sys.version
      this.notify('document')
      return changed
    }
    this.notify('document')
    return []
  }

  /** A conflict was decided field by field. What is `theirs` replaces what was typed; the rest stays to be saved. */
  resolve(document: Document, choices: Record<string, Choice>): void {
    const next = valuesOf(this.model, document)
    for (const { uid } of this.model.fields) {
      if (choices[uid] === 'mine' || (this.dirty.has(uid) && choices[uid] === undefined)) {
        this.clean[uid] = next[uid]
        this.server[uid] = next[uid]
      } else if (choices[uid] === 'theirs' || !sameValue(this.server[uid], next[uid])) {
        this.take(uid, next[uid])
      }
      this.compare(uid)
    }
    this.version = document._sys.version
    this.document = { id: document._id, sys: document._sys }
    this.notify('document')
  }

  /** What is on the screen becomes a document that does not exist yet: the one it was is gone. */
  startAnew(): void {
    this.document = null
    this.version = null
    this.clean = {}
    this.server = {}
    for (const { uid } of this.model.fields) this.compare(uid)
    this.notify('document')
  }

  /** Puts values from a copy kept in this browser on the screen, to be saved. */
  restore(values: Values, version: number | null): void {
    for (const { uid } of this.model.fields) if (uid in values) this.set(uid, values[uid])
    // Made from an older version: the server merges, or tells of the conflict.
    if (version !== null && this.version !== null && version < this.version) this.version = version
  }

  issuesOf(uid: string): readonly Issue[] {
    return this.issues.get(uid) ?? noIssues
  }

  allIssues(): readonly Issue[] {
    return this.issueList
  }

  /** Messages of one field, with paths relative to it. */
  setIssues(uid: string, issues: readonly Issue[]): void {
    if (issues.length === 0 && !this.issues.has(uid)) return
    if (issues.length > 0) this.issues.set(uid, issues)
    else this.issues.delete(uid)
    this.listIssues()
    this.notify(`issues:${uid}`)
  }

  /** Messages of all fields, with paths of the document (`tags.2`). Those of no field are answered back. */
  setAllIssues(issues: readonly Issue[]): Issue[] {
    const { byField, others } = groupIssues(this.model, issues)
    for (const { uid } of this.model.fields) this.setIssues(uid, byField.get(uid) ?? noIssues)
    return others
  }

  private listIssues(): void {
    this.issueList = this.model.fields.flatMap(({ uid }) =>
      this.issuesOf(uid).map((issue) => ({ ...issue, path: issue.path ? `${uid}.${issue.path}` : uid })),
    )
    this.notify('allIssues')
  }

  private take(uid: string, value: unknown): void {
    this.server[uid] = value
    this.clean[uid] = value
    if (sameValue(this.values[uid], value)) return
    this.values[uid] = value
    this.notify(`value:${uid}`)
  }

  private compare(uid: string): void {
    if (sameValue(this.values[uid], this.clean[uid])) this.dirty.delete(uid)
    else this.dirty.add(uid)
    const isDirty = this.dirty.size > 0
    if (isDirty === this.isDirty) return
    this.isDirty = isDirty
    this.notify('dirty')
  }

  private notify(topic: Topic): void {
    for (const listener of [...(this.listeners.get(topic) ?? [])]) listener()
  }
}

/** Issues by the field they speak of, paths relative to it. The server may name the body's part first (`doc.title`). */
export function groupIssues(
  model: Pick<Model, 'fields'>,
  issues: readonly Issue[],
): { byField: Map<string, Issue[]>; others: Issue[] } {
  const byField = new Map<string, Issue[]>()
  const others: Issue[] = []
  const uids = new Set(model.fields.map((field) => field.uid))
  for (const issue of issues) {
    const parts = issue.path.split('.')
    if (!uids.has(parts[0] ?? '') && /^(?:doc|document)$/.test(parts[0] ?? '')) parts.shift()
    const [uid = '', ...rest] = parts
    if (!uids.has(uid)) others.push(issue)
    else byField.set(uid, [...(byField.get(uid) ?? []), { ...issue, path: rest.join('.') }])
  }
  return { byField, others }
}
