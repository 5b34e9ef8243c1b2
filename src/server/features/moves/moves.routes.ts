import { makeProgramKey } from '#server/access/program-keys.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { moveImportEndpoints } from '#shared/contract/move-imports.ts'
import { moveUpdateEndpoints } from '#shared/contract/move-updates.ts'
import { moveEndpoints } from '#shared/contract/moves.ts'
import * as moves from './moves.service.ts'
import { getMove, type MoveView } from './moves.states.ts'
import * as updates from './moves.updates.service.ts'
import * as uploads from './moves.uploads.service.ts'

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

export const moveRoutes = implement(moveEndpoints, {
  listMoves: async (ctx) => ({
    moves: (await moves.listMoves(ctx)).map(present),
  }),
  createMove: async (ctx, { body }) => ({
    move: present(await uploads.createMove(ctx, body.data)),
  }),
  createMoveKey: ({ space, services }, _input, { session }) =>
    makeProgramKey(services.secrets, session, space.uid),
  getMove: async (ctx, { params }) => ({
    move: present(await getMove(ctx, params.id)),
  }),
  signMoveUpload: (ctx, { params }) => uploads.signUpload(ctx, params.id),
  confirmMoveUpload: async (ctx, { params }) => ({
    move: present(await uploads.confirmUpload(ctx, params.id)),
  }),
  getMovePlan: async (ctx, { params }) => ({ plan: await moves.getPlan(ctx, params.id) }),
  updateMovePlan: async (ctx, { params, body }) => ({
    plan: await moves.correctPlan(ctx, params.id, body.data),
  }),
  getMoveApps: (ctx, { params }) => moves.getApps(ctx, params.id),
  updateMoveApps: (ctx, { params, body }) => moves.updateApps(ctx, params.id, body.data),
  startMove: async (ctx, { params }) => ({
    move: present(await moves.startMove(ctx, params.id)),
  }),
  cancelMove: async (ctx, { params }) => ({
    move: present(await moves.cancelMove(ctx, params.id)),
  }),
  retryMove: async (ctx, { params }) => ({
    move: present(await moves.retryMove(ctx, params.id)),
  }),
  undoMove: async (ctx, { params }) => ({
    move: present(await moves.undoMove(ctx, params.id)),
  }),
  acceptMove: async (ctx, { params }) => ({
    move: present(await moves.acceptMove(ctx, params.id)),
  }),
  deleteMove: async (ctx, { params }) => {
    await moves.deleteMove(ctx, params.id)
    return success
  },
})

export const moveUpdateRoutes = implement(moveUpdateEndpoints, {
  getMoveChanges: (ctx, { params }) => updates.getChanges(ctx, params.id),
  listChangedDocuments: (ctx, { params, query }) => updates.listChangedDocuments(ctx, params.id, query),
  chooseMoveChanges: async (ctx, { params, body }) => {
    await updates.chooseChanges(ctx, params.id, body.data)
    return success
  },
})

export const moveImportRoutes = implement(moveImportEndpoints, {
  listAppImports: async (ctx) => ({
    moves: (await moves.listImports(ctx)).map(present),
  }),
  importApp: async (ctx, { body }) => ({
    move: present(await uploads.fetchImport(ctx, body.importUrl)),
  }),
  planAppImport: async (ctx, { body }) => ({
    move: present(await uploads.receiveImport(ctx, body)),
  }),
  beginAppImport: async (ctx, { body }) => ({
    move: present(await uploads.beginImport(ctx, body.data)),
  }),
  getAppImport: async (ctx, { params }) => ({
    move: present(await getMove(ctx, params.id)),
  }),
  signAppImportUpload: (ctx, { params }) => uploads.signUpload(ctx, params.id),
  confirmAppImportUpload: async (ctx, { params }) => ({
    move: present(await uploads.confirmUpload(ctx, params.id)),
  }),
  getAppImportChanges: (ctx, { params }) => updates.getChanges(ctx, params.id),
  listAppImportDocuments: (ctx, { params, query }) => updates.listChangedDocuments(ctx, params.id, query),
  chooseAppImportChanges: async (ctx, { params, body }) => {
    await updates.chooseChanges(ctx, params.id, body.data)
    return success
  },
  startAppImport: async (ctx, { params }) => ({
    move: present(await moves.startMove(ctx, params.id)),
  }),
  cancelAppImport: async (ctx, { params }) => ({
    move: present(await moves.cancelMove(ctx, params.id)),
  }),
  retryAppImport: async (ctx, { params }) => ({
    move: present(await moves.retryMove(ctx, params.id)),
  }),
  deleteAppImport: async (ctx, { params }) => {
    await moves.deleteMove(ctx, params.id)
    return success
  },
})
