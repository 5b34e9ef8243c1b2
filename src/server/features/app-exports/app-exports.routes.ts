import type { SpaceContext } from '#server/access/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { appExportEndpoints } from '#shared/contract/app-exports.ts'
import * as exports from './app-exports.service.ts'

function present(found: exports.ExportView | null) {
  if (!found) return null
  const { id, options, progress, secondsLeft, jobId, jobError, failures, cancelRequested, ...rest } = found
  const job =
    rest.state === 'writing' && jobId !== null
      ? {
          _id: jobId,
          progress,
          secondsLeft,
          cancelRequested: cancelRequested === true,
          failures: failures ?? 0,
          error: jobError,
        }
      : null
  return { _id: id, ...options, ...rest, job }
}

const answer = (ctx: SpaceContext, found: exports.ExportView | null) => ({
  export: present(found),
  downloadUrl: exports.downloadAddress(ctx, found),
})

export const appExportRoutes = implement(appExportEndpoints, {
  getAppExport: async (ctx, { query }) =>
    answer(ctx, await exports.getExport(ctx, { starts: query.start !== 'false' })),
  startAppExport: async (ctx, { body }) => answer(ctx, await exports.startExport(ctx, body.data)),
  getAppExportFile: exports.openExport,
  getSpaceExport: async (ctx) => answer(ctx, await exports.getSpaceExport(ctx)),
  startSpaceExport: async (ctx, { body }) => answer(ctx, await exports.startSpaceExport(ctx, body.data)),
  getSpaceExportFile: exports.openExport,
})
