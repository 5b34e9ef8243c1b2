import { Readable } from 'node:stream'
import { openExport } from '#server/features/app-exports/app-exports.service.ts'
import type { ServerDeps } from '#server/http/context.ts'
import { fileHeaders } from '#server/http/payloads.ts'
import type { PublicRoute } from './public-route.ts'

/** Download of exports: the signed address identifies the export and its expiry. */
export function exportRoutes({ services, database }: ServerDeps): PublicRoute[] {
  return [
    {
      method: 'GET',
      url: '/api/exports/:token',
      perMinute: 60,
      origin: 'own',
      async handle(request, reply) {
        const { token } = request.params as { token: string }
        const file = await openExport({ db: database.kysely, services }, token)
        return reply
          .headers(fileHeaders(file.fileName, file.size))
          .type(file.type)
          .send(Readable.from(file.bytes))
      },
    },
  ]
}
