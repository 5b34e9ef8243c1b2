import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { ApiToken, Token } from '#shared/contract/tokens.ts'

export const tokenKinds = ['cdn', 'api'] as const
/** `cdn`: reads published documents, cached. `api`: also reads drafts, and may write. */
export type TokenKind = (typeof tokenKinds)[number]
/** A token of either kind. */
export type AnyToken = Token & Partial<Pick<ApiToken, 'writes'>>
export type IssuedToken = AnyToken & { token: string }

export interface TokenInput {
  name: string
  /** uids of the apps that the token may read. null: all apps. */
  apps: string[] | null
  /** Expiry as an ISO timestamp. null: never. undefined: unchanged. */
  expiresAt?: string | null
}
export interface ApiTokenInput extends TokenInput {
  /** Whether the token may also write. Ignored for CDN tokens. */
  writes: boolean
}

const readingOnly = ({ writes: _writes, ...data }: ApiTokenInput): TokenInput => data

/** Both kinds have equivalent calls on different paths. This object unifies them. */
const calls = {
  cdn: {
    list: async (p: string): Promise<AnyToken[]> =>
      (await api('GET /api/project/{p}/cdnToken', { params: { p } })).cdnTokens,
    create: async (p: string, data: ApiTokenInput): Promise<IssuedToken> =>
      (await api('POST /api/project/{p}/cdnToken', { params: { p }, body: { data: readingOnly(data) } }))
        .cdnToken,
    update: (p: string, id: string, data: ApiTokenInput): Promise<unknown> =>
      api('PUT /api/project/{p}/cdnToken/{id}', { params: { p, id }, body: { data: readingOnly(data) } }),
    refresh: async (p: string, id: string): Promise<IssuedToken> =>
      (await api('POST /api/project/{p}/cdnToken/{id}/refresh', { params: { p, id } })).cdnToken,
    remove: (p: string, id: string): Promise<unknown> =>
      api('DELETE /api/project/{p}/cdnToken/{id}', { params: { p, id } }),
  },
  api: {
    list: async (p: string): Promise<AnyToken[]> =>
      (await api('GET /api/project/{p}/apiToken', { params: { p } })).apiTokens,
    create: async (p: string, data: ApiTokenInput): Promise<IssuedToken> =>
      (await api('POST /api/project/{p}/apiToken', { params: { p }, body: { data } })).apiToken,
    update: (p: string, id: string, data: ApiTokenInput): Promise<unknown> =>
      api('PUT /api/project/{p}/apiToken/{id}', { params: { p, id }, body: { data } }),
    refresh: async (p: string, id: string): Promise<IssuedToken> =>
      (await api('POST /api/project/{p}/apiToken/{id}/refresh', { params: { p, id } })).apiToken,
    remove: (p: string, id: string): Promise<unknown> =>
      api('DELETE /api/project/{p}/apiToken/{id}', { params: { p, id } }),
  },
}

export function tokenCalls(kind: TokenKind) {
  return calls[kind]
}

export const tokensQuery = (p: string, kind: TokenKind) =>
  queryOptions({
    queryKey: ['space', p, 'tokens', kind],
    queryFn: () => calls[kind].list(p),
  })
