import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { tokenEndpoints } from '#shared/contract/tokens.ts'
import * as tokens from './tokens.service.ts'

const present = ({ id, ...token }: tokens.TokenView) => ({ _id: id, ...token })
const presentIssued = ({ value, ...token }: tokens.TokenView & { value: string }) => ({
  ...present(token),
  token: value,
})

export const tokenRoutes = implement(tokenEndpoints, {
  listCdnTokens: async (ctx) => ({ cdnTokens: (await tokens.listTokens(ctx, 'cdn')).map(present) }),
  createCdnToken: async (ctx, { body }) => ({
    cdnToken: presentIssued(await tokens.createToken(ctx, 'cdn', body.data)),
  }),
  updateCdnToken: async (ctx, { params, body }) => ({
    cdnToken: present(await tokens.updateToken(ctx, 'cdn', params.id, body.data)),
  }),
  deleteCdnToken: async (ctx, { params }) => {
    await tokens.deleteToken(ctx, 'cdn', params.id)
    return success
  },
  refreshCdnToken: async (ctx, { params }) => ({
    cdnToken: presentIssued(await tokens.refreshToken(ctx, 'cdn', params.id)),
  }),
  listApiTokens: async (ctx) => ({ apiTokens: (await tokens.listTokens(ctx, 'api')).map(present) }),
  createApiToken: async (ctx, { body }) => ({
    apiToken: presentIssued(await tokens.createToken(ctx, 'api', body.data)),
  }),
  updateApiToken: async (ctx, { params, body }) => ({
    apiToken: present(await tokens.updateToken(ctx, 'api', params.id, body.data)),
  }),
  deleteApiToken: async (ctx, { params }) => {
    await tokens.deleteToken(ctx, 'api', params.id)
    return success
  },
  refreshApiToken: async (ctx, { params }) => ({
    apiToken: presentIssued(await tokens.refreshToken(ctx, 'api', params.id)),
  }),
})
