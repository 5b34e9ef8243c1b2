import { implement } from '#server/http/endpoints.ts'
import { appExportEndpoints } from '#shared/contract/app-exports.ts'
import * as exports from './app-exports.service.ts'

function present(found: exports.ExportView | null) {
  if (!found) return null
  const { id, options, progress, secondsLeft, ...rest } = found
  const job = rest.state === 'writing' ? { progress, secondsLeft } : null
  return { _id: id, ...options, ...rest, job }
}

export const appExportRoutes = implement(appExportEndpoints, {
  getAppExport: async (ctx, _input, { secrets }) => {
    const found = await exports.getExport(ctx)
    const downloadUrl = exports.downloadAddress(secrets.sessionKey, ctx.scope.spaceId, found)
    return { export: present(found), downloadUrl }
  },
  startAppExport: async (ctx, { body }, { secrets }) => {
    const found = await exports.startExport(ctx, body.data)
    const downloadUrl = exports.downloadAddress(secrets.sessionKey, ctx.scope.spaceId, found)
    return { export: present(found), downloadUrl }
  },
})
