import { Store } from '#admin/base/store.ts'
import { ApiError, type ApiResponse } from '#admin/lib/api.ts'
import type { RepeatedValue } from '#shared/fields/convert.ts'
import { checkDraft, type Surroundings } from './check-draft.ts'
import { type Edited, inputOf, type ModelDraft } from './draft.ts'
import { type EditorAction, type EditorState, editorReducer, startEditor } from './editor-state.ts'
import { type PlacedIssue, placeIssue } from './issues.ts'

/** Values that a save would remove from documents, as counted by the server. */
export type Loss = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['losses'][number] & {
  /** The uid of the model whose documents lose values. Set if a custom type is edited. */
  model?: string
  /** The number of documents of the model. */
  total: number
}

/**
 * A change in responses to sites (`SiteChange`), and a reason why documents could no longer be published (`Blocked`).
 */
export type SiteChange = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['site'][number] & {
  model?: string
}
export type Blocked = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['blocked'][number] & {
  model?: string
}

/**
 * The consequences of a save or revert: lost values, changed responses to sites, and reasons why documents could no
 * longer be published.
 */
export interface Consequences {
  losses: Loss[]
  site: SiteChange[]
  blocked: Blocked[]
}

export const hasConsequences = ({ losses, site, blocked }: Consequences) =>
  losses.length + site.length + blocked.length > 0

/** A value that several published documents have in a field that must be unique after the save. */
export type Repeated = RepeatedValue & { model: string }

/** The decision that the user must make before a save continues. */
type Pending = { kind: 'consequences'; consequences: Consequences } | { kind: 'conflict'; model: Edited }

/** The kind of the edited object, and the uids of the app's models and custom types. */
export type App = Pick<Surroundings, 'kind' | 'modelUids' | 'customTypeUids'>

/** The body of a save request. `acceptLoss`: the user has accepted the consequences. */
export interface SaveBody {
  data: ReturnType<typeof inputOf> & { version: number }
  acceptLoss?: boolean
}

/** Functions of the page that an editing session calls. */
export interface ModelEditingPage {
  /** Returns the consequences of sending this body. */
  plan(uidBefore: string, body: SaveBody): Promise<Consequences>
  /** Saves the model or custom type. `uidBefore`: its uid on the server, before the change. */
  send(uidBefore: string, body: SaveBody): Promise<Edited>
  /** Called after a successful save. `uidBefore`: the former uid. */
  saved(model: Edited, uidBefore: string): Promise<void>
  /** Called with an error that is not shown elsewhere. */
  failed(error: unknown): void
  /** Reads the current state of the model with this uid. */
  read(uid: string): Promise<Edited>
}

export interface ModelEditingStatus {
  state: EditorState
  phase: 'idle' | 'saving' | 'failed' | 'offline' | 'conflict'
  savedAt: Date | null
  pending: Pending | null
  /** The issues that the server reported, with the draft that was sent. */
  refused: { draft: ModelDraft; issues: PlacedIssue[]; repeated: Repeated[] } | null
  /** Whether a save failed because of issues, so that all issues are shown. */
  showAll: boolean
}

/** Returns the issues of the draft that the browser can find. */
export function findIssues({ draft, base }: EditorState, app: App): PlacedIssue[] {
  const fieldUids = new Map(base.fields.map((field) => [field._id ?? '', field.uid]))
  return checkDraft(draft, { ...app, uid: base.uid, fieldUids })
}

/**
 * Returns the losses in a refused save. `documents`: the number of documents of the edited model. `models`: for a
 * custom type, the numbers of documents of the models that use it.
 */
function lossesIn(details: Record<string, unknown>): Loss[] {
  const { losses, documents, models } = details as {
    losses?: Omit<Loss, 'total'>[]
    documents?: number
    models?: { uid: string; documents: number }[]
  }
  const totals = new Map(models?.map((model) => [model.uid, model.documents]))
  return (losses ?? []).map((loss) => ({ ...loss, total: totals.get(loss.model ?? '') ?? documents ?? 0 }))
}

/** Returns whether the uid or a field changed, which may affect documents or sites. */
const touchesDocuments = (base: ModelDraft, sent: ModelDraft) =>
  base.uid !== sent.uid || JSON.stringify(inputOf(base).fields) !== JSON.stringify(inputOf(sent).fields)

/** The editing session of one model: draft, history, and saving, one request at a time. */
export class ModelEditing {
  readonly status: Store<ModelEditingStatus>
  app: App
  private readonly page: ModelEditingPage
  private saving = false

  constructor(model: Edited, app: App, page: ModelEditingPage) {
    this.app = app
    this.page = page
    this.status = new Store<ModelEditingStatus>({
      state: startEditor(model),
      phase: 'idle',
      savedAt: null,
      pending: null,
      refused: null,
      showAll: false,
    })
  }

  dispatch(action: EditorAction): void {
    const { state, phase } = this.status.get()
    this.status.patch({ state: editorReducer(state, action), phase: phase === 'failed' ? 'idle' : phase })
  }

  /**
   * Saves the draft. If the draft has issues, shows them instead. `accepted`: the user has accepted the consequences.
   */
  async save({ accepted = false } = {}): Promise<void> {
    const { state } = this.status.get()
    if (findIssues(state, this.app).length > 0) this.status.patch({ showAll: true })
    else await this.send(state, accepted)
  }

  /** Saves the draft over `current`, the state that was saved elsewhere. */
  async overwrite(current: Edited): Promise<void> {
    this.dispatch({ type: 'rebase', model: current })
    await this.send(this.status.get().state)
  }

  /** Discards the draft and loads the server's state. */
  load(model: Edited): void {
    this.status.patch({ state: startEditor(model), pending: null, phase: 'idle', showAll: false })
  }

  closePending(): void {
    const { phase } = this.status.get()
    this.status.patch({ pending: null, phase: phase === 'conflict' ? 'idle' : phase })
  }

  private async send({ draft: sent, base, version }: EditorState, accepted = false): Promise<void> {
    if (this.saving) return
    this.saving = true
    this.status.patch({ phase: 'saving', pending: null })
    try {
      const body = { data: { ...inputOf(sent, base.uid), version } }
      if (!accepted && touchesDocuments(base, sent)) {
        const consequences = await this.page.plan(base.uid, body)
        if (hasConsequences(consequences)) {
          this.status.patch({ phase: 'idle', pending: { kind: 'consequences', consequences } })
          return
        }
      }
      const model = await this.page.send(base.uid, { ...body, ...(accepted ? { acceptLoss: true } : {}) })
      this.dispatch({ type: 'saved', model, sent })
      this.status.patch({ phase: 'idle', savedAt: new Date(), refused: null, showAll: false })
      await this.page.saved(model, base.uid)
    } catch (error) {
      await this.fail(error, sent)
    } finally {
      this.saving = false
    }
  }

  private async fail(error: unknown, sent: ModelDraft): Promise<void> {
    this.status.patch({ phase: 'failed' })
    if (!(error instanceof ApiError)) throw error
    const losses = lossesIn(error.details)
    if (losses.length > 0) {
      const consequences = { losses, site: [], blocked: [] }
      this.status.patch({ phase: 'idle', pending: { kind: 'consequences', consequences } })
      return
    }
    if (error.code === 'VersionConflict') {
      this.status.patch({ phase: 'conflict' })
      return this.showConflict()
    }
    if (error.code === 'NetworkError') this.status.patch({ phase: 'offline' })
    const issues = error.issues.map((issue) => placeIssue(issue, sent))
    const isTaken = error.code === 'ModelUidIsAlreadyInUse' || error.code === 'CustomFieldTypeIsAlreadyInUse'
    if (isTaken && issues.length === 0) issues.push({ key: null, property: 'uid', code: 'DuplicatedValue' })
    if (issues.length === 0) this.page.failed(error)
    else {
      const { repeated = [] } = error.details as { repeated?: Repeated[] }
      this.status.patch({ refused: { draft: sent, issues, repeated }, showAll: true })
    }
  }

  /** Reads the current model and opens the conflict dialog, because the model was saved elsewhere in the meantime. */
  private async showConflict(): Promise<void> {
    try {
      const model = await this.page.read(this.status.get().state.base.uid)
      this.status.patch({ pending: { kind: 'conflict', model } })
    } catch (error) {
      this.page.failed(error)
    }
  }
}
