import { implement } from '#server/http/endpoints.ts'
import { embedEndpoints } from '#shared/contract/embed.ts'
import * as embed from './embed.service.ts'

export const embedRoutes = implement(embedEndpoints, {
  getEmbeddedCode: ({ actor }, { query }, { outgoing, signal }) =>
    embed.getEmbeddedCode(
      { accountId: actor.accountId, outgoing, signal },
      { url: query.url, lazy: query.lazy === 'true', ...query.options },
    ),
  previewEmbed: (_ctx, { query }, { config }) => embed.previewPage(query.src, config.url),
})
