import { makeProgramKey } from '#server/access/program-keys.ts'
import { implement } from '#server/http/endpoints.ts'
import { incomingPlace } from '#server/http/incoming-place.ts'
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
  listMoves: async (ctx, _input, { config }) => ({
    moves: (await moves.listMoves(ctx, config.dataDir)).map(present),
  }),
  createMove: async (ctx, { body }, { config }) => ({
    move: present(await uploads.createMove(ctx, config.dataDir, body.data)),
  }),
  createMoveKey: ({ space }, _input, { secrets, session }) => makeProgramKey(secrets, session, space.uid),
  getMove: async (ctx, { params }, { config }) => ({
    move: present(await getMove(ctx, config.dataDir, params.id)),
  }),
  signMoveUpload: (ctx, { params }, { config, secrets }) =>
    uploads.signUpload(ctx, { dataDir: config.dataDir, key: secrets.sessionKey }, params.id),
  confirmMoveUpload: async (ctx, { params }, { config }) => ({
    move: present(await uploads.confirmUpload(ctx, config.dataDir, params.id)),
  }),
  getMovePlan: async (ctx, { params }) => ({ plan: await moves.getPlan(ctx, params.id) }),
  updateMovePlan: async (ctx, { params, body }) => ({
    plan: await moves.correctPlan(ctx, params.id, body.data),
  }),
  getMoveApps: (ctx, { params }) => moves.getApps(ctx, params.id),
  updateMoveApps: (ctx, { params, body }) => moves.updateApps(ctx, params.id, body.data),
  startMove: async (ctx, { params }, { config }) => ({
    move: present(await moves.startMove(ctx, config.dataDir, params.id)),
  }),
  cancelMove: async (ctx, { params }, { config }) => ({
    move: present(await moves.cancelMove(ctx, config.dataDir, params.id)),
  }),
  retryMove: async (ctx, { params }, { config }) => ({
    move: present(await moves.retryMove(ctx, config.dataDir, params.id)),
  }),
  undoMove: async (ctx, { params }, { config }) => ({
    move: present(await moves.undoMove(ctx, config.dataDir, params.id)),
  }),
  acceptMove: async (ctx, { params }, { config }) => ({
    move: present(await moves.acceptMove(ctx, config.dataDir, params.id)),
  }),
  deleteMove: async (ctx, { params }, { config }) => {
    await moves.deleteMove(ctx, config.dataDir, params.id)
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
  listAppImports: async (ctx, _input, { config }) => ({
    moves: (await moves.listImports(ctx, config.dataDir)).map(present),
  }),
  importApp: async (ctx, { body }, { config }) => ({
    move: present(await uploads.fetchImport(ctx, config.dataDir, body.importUrl)),
  }),
  planAppImport: async (ctx, { body }, exchange) => ({
    move: present(await uploads.receiveImport(ctx, incomingPlace(exchange), body)),
  }),
  beginAppImport: async (ctx, { body }, { config }) => ({
    move: present(await uploads.beginImport(ctx, config.dataDir, body.data)),
  }),
  getAppImport: async (ctx, { params }, { config }) => ({
    move: present(await getMove(ctx, config.dataDir, params.id)),
  }),
  signAppImportUpload: (ctx, { params }, { config, secrets }) =>
    uploads.signUpload(ctx, { dataDir: config.dataDir, key: secrets.sessionKey }, params.id),
  confirmAppImportUpload: async (ctx, { params }, { config }) => ({
    move: present(await uploads.confirmUpload(ctx, config.dataDir, params.id)),
  }),
  getAppImportChanges: (ctx, { params }) => updates.getChanges(ctx, params.id),
  listAppImportDocuments: (ctx, { params, query }) => updates.listChangedDocuments(ctx, params.id, query),
  chooseAppImportChanges: async (ctx, { params, body }) => {
    await updates.chooseChanges(ctx, params.id, body.data)
    return success
  },
  startAppImport: async (ctx, { params }, { config }) => ({
    move: present(await moves.startMove(ctx, config.dataDir, params.id)),
  }),
  cancelAppImport: async (ctx, { params }, { config }) => ({
    move: present(await moves.cancelMove(ctx, config.dataDir, params.id)),
  }),
  retryAppImport: async (ctx, { params }, { config }) => ({
    move: present(await moves.retryMove(ctx, config.dataDir, params.id)),
  }),
  deleteAppImport: async (ctx, { params }, { config }) => {
    await moves.deleteMove(ctx, config.dataDir, params.id)
    return success
  },
})
