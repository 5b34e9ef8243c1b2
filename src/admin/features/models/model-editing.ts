import { Store } from '#admin/base/store.ts'
import { ApiError, type ApiResponse } from '#admin/lib/api.ts'
import type { RepeatedValue } from '#shared/fields/convert.ts'
import { checkDraft, type Surroundings } from './check-draft.ts'
import { type Edited, inputOf, type ModelDraft } from './draft.ts'
import { type EditorAction, type EditorState, editorReducer, startEditor } from './editor-state.ts'
import { type PlacedIssue, placeIssue } from './issues.ts'

/** What a save would take from documents, as the server counts it. */
export type Loss = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['losses'][number] & {
  /** uid of the model whose documents lose something, where there are several. */
  model?: string
  /** How many documents the model has. */
  total: number
}

/** What sites are answered differently, and documents that could not be published any more. */
export type SiteChange = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['site'][number] & {
  model?: string
}
export type Blocked = ApiResponse<'PUT /api/project/{p}/app/{a}/model/{m}'>['blocked'][number] & {
  model?: string
}

/** What would come of a change. */
export interface Consequences {
  losses: Loss[]
  site: SiteChange[]
  blocked: Blocked[]
}

export const hasConsequences = ({ losses, site, blocked }: Consequences) =>
  losses.length + site.length + blocked.length > 0

/** A value that documents of the model are published with, in a field that was to be unique. */
export type Repeated = RepeatedValue & { model: string }

/** A save that waits for a decision. */
type Pending = { kind: 'consequences'; consequences: Consequences } | { kind: 'conflict'; model: Edited }

/** What can be pointed to from a field, and what is edited: names are checked by that. */
export type App = Pick<Surroundings, 'kind' | 'modelUids' | 'customTypeUids'>

/** The body of a save. */
export interface SaveBody {
  data: ReturnType<typeof inputOf> & { version: number }
  acceptLoss?: boolean
}

/** What the page around the editor does about a save. */
export interface ModelEditingPage {
  /** What would come of sending this. */
  plan(uidBefore: string, body: SaveBody): Promise<Consequences>
  /** Sends what is edited and had this uid before. */
  send(uidBefore: string, body: SaveBody): Promise<Edited>
  /** It went well; the model had this uid before. */
  saved(model: Edited, uidBefore: string): Promise<void>
  /** For a reason that is shown nowhere else. */
  failed(error: unknown): void
  /** The model of this uid as the server has it now. */
  read(uid: string): Promise<Edited>
}

export interface ModelEditingStatus {
  state: EditorState
  phase: 'idle' | 'saving' | 'failed' | 'offline' | 'conflict'
  savedAt: Date | null
  pending: Pending | null
  /** What the server refused of which draft. */
  refused: { draft: ModelDraft; issues: PlacedIssue[]; repeated: Repeated[] } | null
  /** A save was tried: everything that is wrong is said. */
  showAll: boolean
}

/** What is wrong with the draft, as far as the browser can know. */
export function findIssues({ draft, base }: EditorState, app: App): PlacedIssue[] {
  const fieldUids = new Map(base.fields.map((field) => [field._id ?? '', field.uid]))
  return checkDraft(draft, { ...app, uid: base.uid, fieldUids })
}

/** What a refused save would lose: of a model with so many `documents`, or of several `models`. */
function lossesIn(details: Record<string, unknown>): Loss[] {
  const { losses, documents, models } = details as {
    losses?: Omit<Loss, 'total'>[]
    documents?: number
    models?: { uid: string; documents: number }[]
  }
  const totals = new Map(models?.map((model) => [model.uid, model.documents]))
  return (losses ?? []).map((loss) => ({ ...loss, total: totals.get(loss.model ?? '') ?? documents ?? 0 }))
}

/** Can documents or sites notice the change? Names and the like can be saved without asking. */
const touchesDocuments = (base: ModelDraft, sent: ModelDraft) =>
  base.uid !== sent.uid || JSON.stringify(inputOf(base).fields) !== JSON.stringify(inputOf(sent).fields)

/** The work on one model: the draft and its history, and saving it, one request at a time. Drawn by its page. */
export class ModelEditing {
  readonly status: Store<ModelEditingStatus>
  /** What is around. */
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

  /** Saves what is on the screen, unless something is wrong with it. */
  async save({ accepted = false } = {}): Promise<void> {
    const { state } = this.status.get()
    if (findIssues(state, this.app).length > 0) this.status.patch({ showAll: true })
    else await this.send(state, accepted)
  }

  /** Saves what is on the screen over what another member has saved. */
  async overwrite(current: Edited): Promise<void> {
    this.dispatch({ type: 'rebase', model: current })
    await this.send(this.status.get().state)
  }

  /** Forgets what is on the screen and shows what the server has. */
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

  /** Somebody saved first: shows what the model is now. */
  private async showConflict(): Promise<void> {
    try {
      const model = await this.page.read(this.status.get().state.base.uid)
      this.status.patch({ pending: { kind: 'conflict', model } })
    } catch (error) {
      this.page.failed(error)
    }
  }
}
