import type { SpaceContext } from '#server/access/context.ts'
import { makeProgramKey } from '#server/access/program-keys.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { moveImportEndpoints } from '#shared/contract/move-imports.ts'
import { moveUpdateEndpoints } from '#shared/contract/move-updates.ts'
import { moveEndpoints } from '#shared/contract/moves.ts'
import * as moves from './moves.service.ts'
import * as uploads from './moves.uploads.service.ts'
import { getMove, type MoveView } from './store/open-move.ts'
import * as updates from './update/updates.service.ts'

const present = ({
  id,
  appId: _,
  jobId: _job,
  importUrl: _url,
  part: _part,
  appIds: _apps,
  ...move
}: MoveView) => ({
  _id: id,
  ...move,
})

interface OfOne {
  params: { id: string }
}

const answerMove =
  (act: (ctx: SpaceContext, id: string) => Promise<MoveView>) =>
  async (ctx: SpaceContext, { params }: OfOne) => ({ move: present(await act(ctx, params.id)) })

const succeed =
  <Input extends OfOne>(act: (ctx: SpaceContext, id: string, input: Input) => Promise<void>) =>
  async (ctx: SpaceContext, input: Input) => {
    await act(ctx, input.params.id, input)
    return success
  }

type Choices = OfOne & { body: { data: Parameters<typeof moves.chooseChanges>[2] } }
type ChangesPage = OfOne & { query: Parameters<typeof updates.listChangedDocuments>[2] }

/* Handlers shared by the moves of a space and the imports of an app. */
const one = answerMove(getMove)
const sign = (ctx: SpaceContext, { params }: OfOne) => uploads.signUpload(ctx, params.id)
const confirm = answerMove(uploads.confirmUpload)
const start = answerMove(moves.startMove)
const cancel = answerMove(moves.cancelMove)
const retry = answerMove(moves.retryMove)
const remove = succeed(moves.deleteMove)
const changes = (ctx: SpaceContext, { params }: OfOne) => updates.getChanges(ctx, params.id)
const changedDocuments = (ctx: SpaceContext, { params, query }: ChangesPage) =>
  updates.listChangedDocuments(ctx, params.id, query)
const choose = succeed<Choices>((ctx, id, { body }) => moves.chooseChanges(ctx, id, body.data))

export const moveRoutes = implement(moveEndpoints, {
  listMoves: async (ctx) => ({ moves: (await moves.listMoves(ctx)).map(present) }),
  createMove: async (ctx, { body }) => ({ move: present(await uploads.createMove(ctx, body.data)) }),
  createMoveKey: ({ space, services }, _input, { session }) =>
    makeProgramKey(services.secrets, session, space.uid),
  getMove: one,
  signMoveUpload: sign,
  confirmMoveUpload: confirm,
  getMovePlan: async (ctx, { params }) => ({ plan: await moves.getMovePlan(ctx, params.id) }),
  updateMovePlan: async (ctx, { params, body }) => ({
    plan: await moves.correctMovePlan(ctx, params.id, body.data),
  }),
  getMoveApps: (ctx, { params }) => moves.getApps(ctx, params.id),
  updateMoveApps: (ctx, { params, body }) => moves.updateApps(ctx, params.id, body.data),
  startMove: start,
  cancelMove: cancel,
  retryMove: retry,
  undoMove: answerMove(moves.undoMove),
  acceptMove: answerMove(moves.acceptMove),
  deleteMove: remove,
})

export const moveUpdateRoutes = implement(moveUpdateEndpoints, {
  getMoveChanges: changes,
  listChangedDocuments: changedDocuments,
  chooseMoveChanges: choose,
})

export const moveImportRoutes = implement(moveImportEndpoints, {
  listAppImports: async (ctx) => ({ moves: (await moves.listImports(ctx)).map(present) }),
  importApp: async (ctx, { body }) => ({ move: present(await uploads.fetchImport(ctx, body.importUrl)) }),
  planAppImport: async (ctx, { body }) => ({ move: present(await uploads.receiveImport(ctx, body)) }),
  beginAppImport: async (ctx, { body }) => ({ move: present(await uploads.beginImport(ctx, body.data)) }),
  getAppImport: one,
  signAppImportUpload: sign,
  confirmAppImportUpload: confirm,
  getAppImportChanges: changes,
  listAppImportDocuments: changedDocuments,
  chooseAppImportChanges: choose,
  startAppImport: start,
  cancelAppImport: cancel,
  retryAppImport: retry,
  deleteAppImport: remove,
})
