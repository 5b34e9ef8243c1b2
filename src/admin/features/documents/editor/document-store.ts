import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { sameValue, sentValue, type Values, valuesOf } from './values.ts'

export type DocumentSys = Document['_sys']
export type Choice = 'mine' | 'theirs'

/**
 * The topics of listeners: a field's value (`value:title`) or issues (`issues:title`), whether there is unsaved input
 * (`dirty`), the server's state (`document`), and the issues of all fields.
 */
type Topic = `value:${string}` | `issues:${string}` | 'dirty' | 'document' | 'allIssues'

/** A snapshot of the values that a save sends, with the version that they are based on. */
export interface Sent {
  values: Values
  version: number | null
}

const noIssues: readonly Issue[] = []

/**
 * The state of the edited document, outside of React: a keystroke does not notify the listeners of other fields. Each
 * field has three values: the current input (`values`), the input last known to be saved (`clean`), and the server's
 * value (`server`). The last two can differ, because the server sanitises rich text. A field is dirty if `values` and
 * `clean` differ. The response of a save replaces the input, except input changed since the request.
 */
export class DocumentStore {
  readonly model: Pick<Model, 'fields' | 'titleField'>
  private values: Values
  private clean: Values
  private server: Values
  private dirty = new Set<string>()
  private issues = new Map<string, readonly Issue[]>()
  /** Issues that the server found, with the value that it checked. */
  private serverIssues = new Map<string, { value: unknown; issues: readonly Issue[] }>()
  private issueList: readonly Issue[] = noIssues
  private listeners = new Map<Topic, Set<() => void>>()
  /** null until the document exists on the server. */
  document: { id: string; sys: DocumentSys } | null
  /** The version that the input is based on, and the base of the next save. */
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

  /** Returns the server's value of a field, regardless of later input. */
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

  /** Returns the current values of changed fields, or all values of a document that does not exist yet. */
  snapshot(): Sent {
    const uids = this.document ? this.dirtyFields() : Object.keys(this.values)
    return { values: Object.fromEntries(uids.map((uid) => [uid, this.values[uid]])), version: this.version }
  }

  /** Returns the request body of a save. Omitted fields stay unchanged on the server. */
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
   * Applies the response of a save, including fields that other users changed meanwhile.
   * @returns uids of the fields taken over from other users' changes
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
        // The input shows the stored value, unless the field was changed meanwhile.
        if (untouched && !sameValue(sent.values[uid], next[uid])) this.take(uid, next[uid])
      } else if (!sameValue(this.server[uid], next[uid])) {
        // The response contains a change of another user.
        if (this.dirty.has(uid)) {
          // This field was also changed here during the save. The base version stays old, so that the next save reports
          // the conflict instead of overwriting the other change.
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
   * Applies a newer state of the document, unless it changes a field with unsaved input. If it does, all input stays,
   * and the next save reports the conflict. Restored input keeps its older base version: with a newer one, a save would
   * overwrite changes made in between.
   * @returns uids of the fields that changed on the server. Empty if the state was not applied.
   */
  refresh(document: Document): string[] {
    if (this.document && document._id !== this.document.id) return []
    if (this.document && document._sys.version < this.document.sys.version) return []
    const next = valuesOf(this.model, document)
    const changed = this.model.fields
      .map(({ uid }) => uid)
      .filter((uid) => !sameValue(this.server[uid], next[uid]))
    const isBehind = this.isDirty && this.document !== null && (this.version ?? 0) < this.document.sys.version
    this.document = { id: document._id, sys: document._sys }
    if (!changed.some((uid) => this.dirty.has(uid))) {
      for (const uid of changed) {
        this.take(uid, next[uid])
        this.compare(uid)
      }
      if (!isBehind) this.version = document._sys.version
      this.notify('document')
      return changed
    }
    this.notify('document')
    return []
  }

  /** Applies decisions per field: `theirs` replaces the input; other input remains to be saved. */
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

  /** Turns the input into a new, unsaved document, because the original document was deleted. */
  startAnew(): void {
    this.document = null
    this.version = null
    this.clean = {}
    this.server = {}
    for (const { uid } of this.model.fields) this.compare(uid)
    this.notify('document')
  }

  /** Restores values from a copy in this browser as unsaved input. */
  restore(values: Values, version: number | null): void {
    for (const { uid } of this.model.fields) if (uid in values) this.set(uid, values[uid])
    // If the copy is based on an older version, the server merges the changes or reports a conflict.
    if (version !== null && this.version !== null && version < this.version) this.version = version
  }

  /**
   * Reverts {@link restore}: sets the fields to the input that it replaced. The next save is based on `version`, the
   * version on which that input was typed.
   */
  undoRestore(values: Values, version: number | null): void {
    for (const { uid } of this.model.fields) if (uid in values) this.set(uid, values[uid])
    // Input of a new document has no version. If the document was saved since, its version stays.
    if (version !== null) this.version = version
  }

  issuesOf(uid: string): readonly Issue[] {
    return this.issues.get(uid) ?? noIssues
  }

  allIssues(): readonly Issue[] {
    return this.issueList
  }

  /**
   * Sets the issues of one field, with paths relative to it. `checked`: the value in which the server found them.
   * Without `checked`, the client's rules found them, and issues of the server stay while the value is unchanged.
   */
  setIssues(uid: string, newIssues: readonly Issue[], checked?: { value: unknown }): void {
    if (checked) this.serverIssues.set(uid, { ...checked, issues: newIssues })
    const issues = checked ? newIssues : this.withServerIssues(uid, newIssues)
    if (issues.length === 0 && !this.issues.has(uid)) return
    if (issues.length > 0) this.issues.set(uid, issues)
    else this.issues.delete(uid)
    this.listIssues()
    this.notify(`issues:${uid}`)
  }

  /**
   * Sets the issues of all fields, with document paths (`tags.2`). `checked`: the values in which the server found
   * them. Returns the issues that belong to no field.
   */
  setAllIssues(issues: readonly Issue[], checked?: Values): Issue[] {
    const { byField, others } = groupIssues(this.model, issues)
    for (const { uid } of this.model.fields)
      this.setIssues(uid, byField.get(uid) ?? noIssues, checked && { value: checked[uid] })
    return others
  }

  private withServerIssues(uid: string, newIssues: readonly Issue[]): readonly Issue[] {
    const known = this.serverIssues.get(uid)
    if (!known || !sameValue(known.value, this.values[uid])) return newIssues
    const isKnown = ({ path, code }: Issue) =>
      known.issues.some((issue) => issue.path === path && issue.code === code)
    return [...known.issues, ...newIssues.filter((issue) => !isKnown(issue))]
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

/** Groups issues by field, with relative paths. The server may prefix paths with a part of the body (`doc.title`). */
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
