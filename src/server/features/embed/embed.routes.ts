import { implement } from '#server/http/endpoints.ts'
import { embedEndpoints } from '#shared/contract/embed.ts'
import * as embed from './embed.service.ts'

export const embedRoutes = implement(embedEndpoints, {
  getEmbeddedCode: (ctx, { query }, { signal }) =>
    embed.getEmbeddedCode(
      { ...ctx, signal },
      { url: query.url, lazy: query.lazy === 'true', ...query.options },
    ),
  previewEmbed: ({ services }, { query }) => embed.previewPage(query.src, services.config.url),
})
