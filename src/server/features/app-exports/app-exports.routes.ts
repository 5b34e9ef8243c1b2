import type { SpaceContext } from '#server/access/context.ts'
import type { Secrets } from '#server/config.ts'
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

const answer = (ctx: SpaceContext, { secrets }: { secrets: Secrets }, found: exports.ExportView | null) => ({
  export: present(found),
  downloadUrl: exports.downloadAddress(secrets.sessionKey, ctx.scope.spaceId, found),
})

export const appExportRoutes = implement(appExportEndpoints, {
  getAppExport: async (ctx, { query }, exchange) =>
    answer(ctx, exchange, await exports.getExport(ctx, { starts: query.start !== 'false' })),
  startAppExport: async (ctx, { body }, exchange) =>
    answer(ctx, exchange, await exports.startExport(ctx, body.data)),
  getSpaceExport: async (ctx, _input, exchange) => answer(ctx, exchange, await exports.getSpaceExport(ctx)),
  startSpaceExport: async (ctx, { body }, exchange) =>
    answer(ctx, exchange, await exports.startSpaceExport(ctx, body.data)),
})
