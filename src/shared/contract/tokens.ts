import { z } from 'zod'
import { idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

/** A delivery token without its value. */
export const tokenSchema = z.object({
  _id: idSchema,
  name: z.string(),
  /** The last four characters, which distinguish tokens in lists. */
  last4: z.string(),
  /**
   * uids of the apps that the token may read, without deleted apps and apps that the caller cannot see. null: every app
   * of the space.
   */
  apps: z.array(z.string()).nullable(),
  /** Expiry time. null: the token does not expire. */
  expiresAt: timeSchema.nullable(),
  createdAt: timeSchema,
  /** The account with which the current value was created, so its owner has seen the value. null: unknown. */
  createdBy: z
    .object({
      _id: idSchema,
      /** The name of the account, or the email address if the name is empty. null: the account was deleted. */
      name: z.string().nullable(),
      isMember: z.boolean(),
    })
    .nullable(),
  lastUsedAt: timeSchema.nullable(),
})
export type Token = z.infer<typeof tokenSchema>

/** An API token without its value. */
export const apiTokenSchema = tokenSchema.extend({
  /**
   * Whether programs may also write with the token: documents of its apps, and uploads to the media library, by the
   * endpoints of this API that accept API tokens.
   */
  writes: z.boolean(),
})
export type ApiToken = z.infer<typeof apiTokenSchema>

/** The response to creating or refreshing a token. Only this response contains its value. */
export const issuedTokenSchema = tokenSchema.extend({ token: secret() })
export const issuedApiTokenSchema = apiTokenSchema.extend({ token: secret() })

const apps = z.array(z.string().max(64)).max(1000).nullish()
/** A future time, ISO 8601 with any offset. null: never. */
const expiresAt = z.iso.datetime({ offset: true, error: 'InvalidFormat' }).nullish()

const create = z.strictObject({
  data: z.strictObject({ name: nameSchema, apps, expiresAt }),
})
const update = z.strictObject({
  data: z.strictObject({
    name: nameSchema.optional(),
    apps,
    expiresAt,
  }),
})

const createApi = z.strictObject({ data: create.shape.data.extend({ writes: z.boolean().optional() }) })
const updateApi = z.strictObject({ data: update.shape.data.extend({ writes: z.boolean().optional() }) })

/**
 * The endpoints of both kinds of tokens. CDN tokens read published documents, API tokens also read drafts and may write
 * if they are created so. A member could read or write content through the value of a token, so apps in which the
 * caller cannot do the same are refused with 403 `Forbidden`. The path of the issue is `data.apps.0`, or `data.apps`
 * for a token for all apps.
 */
export const tokenEndpoints = {
  listCdnTokens: endpoint('GET /api/project/{p}/cdnToken', {
    summary: 'List the CDN tokens of a space, newest first',
    permission: 'token.manage',
    response: z.object({ cdnTokens: z.array(tokenSchema) }),
  }),
  createCdnToken: endpoint('POST /api/project/{p}/cdnToken', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'token.create', of: 'cdnToken', shows: ['name', 'apps', 'expiresAt'] },
    summary: 'Create a CDN token',
    description:
      'Only this response contains the value of the token. Without `apps`, it reads every app of the ' +
      'space. 403 `Forbidden` for apps that the caller cannot read in full; the issues have their paths ' +
      '(`data.apps.0`, or `data.apps` for a token of every app).',
    permission: 'token.manage',
    body: create,
    response: z.object({ cdnToken: issuedTokenSchema }),
  }),
  updateCdnToken: endpoint('PUT /api/project/{p}/cdnToken/{id}', {
    audit: { act: 'token.update', of: 'cdnToken', shows: ['name', 'apps', 'expiresAt'] },
    summary: 'Update the name, apps or expiry of a CDN token',
    description:
      'Omitted properties stay. 403 `Forbidden` for additional apps that the caller cannot read in ' +
      'full. A later expiry requires the right to read everything that the token reads.',
    permission: 'token.manage',
    body: update,
    response: z.object({ cdnToken: tokenSchema }),
  }),
  deleteCdnToken: endpoint('DELETE /api/project/{p}/cdnToken/{id}', {
    audit: { act: 'token.delete' },
    summary: 'Delete a CDN token, so that sites can no longer read with it',
    permission: 'token.manage',
    response: successSchema,
  }),
  refreshCdnToken: endpoint('POST /api/project/{p}/cdnToken/{id}/refresh', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'token.refresh', of: 'cdnToken' },
    summary: 'Replace the value of a CDN token',
    description:
      'The old value stops working immediately. Requires the right to read everything that the token ' +
      'reads.',
    permission: 'token.manage',
    response: z.object({ cdnToken: issuedTokenSchema }),
  }),
  listApiTokens: endpoint('GET /api/project/{p}/apiToken', {
    summary: 'List the API tokens of a space, newest first',
    permission: 'token.manage',
    response: z.object({ apiTokens: z.array(apiTokenSchema) }),
  }),
  createApiToken: endpoint('POST /api/project/{p}/apiToken', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'token.create', of: 'apiToken', shows: ['name', 'apps', 'expiresAt', 'writes'] },
    summary: 'Create an API token, which can also read drafts, and write if `writes` is set',
    description:
      'Only this response contains the value of the token. Without `apps`, it is valid for every app of the ' +
      'space. 403 `Forbidden` for apps that the caller cannot read in full, or with `writes`, in which the ' +
      'caller cannot write all documents; the issues have their paths (`data.apps.0`, or `data.apps` for a ' +
      'token of every app). 403 with the path `data.writes` for a caller who cannot upload files.',
    permission: 'token.manage',
    body: createApi,
    response: z.object({ apiToken: issuedApiTokenSchema }),
  }),
  updateApiToken: endpoint('PUT /api/project/{p}/apiToken/{id}', {
    audit: { act: 'token.update', of: 'apiToken', shows: ['name', 'apps', 'expiresAt', 'writes'] },
    summary: 'Update the name, apps or expiry of an API token',
    description:
      'Omitted properties stay. 403 `Forbidden` for additional apps in which the caller cannot do what the ' +
      'token can. A later expiry requires the rights of the token in all of its apps. `writes` can be turned ' +
      'off, but not on (400): members who may not write may know the value.',
    permission: 'token.manage',
    body: updateApi,
    response: z.object({ apiToken: apiTokenSchema }),
  }),
  deleteApiToken: endpoint('DELETE /api/project/{p}/apiToken/{id}', {
    audit: { act: 'token.delete' },
    summary: 'Delete an API token',
    permission: 'token.manage',
    response: successSchema,
  }),
  refreshApiToken: endpoint('POST /api/project/{p}/apiToken/{id}/refresh', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'token.refresh', of: 'apiToken' },
    summary: 'Replace the value of an API token',
    description:
      'The old value stops working immediately. Requires the rights of the token in all of its apps.',
    permission: 'token.manage',
    response: z.object({ apiToken: issuedApiTokenSchema }),
  }),
}
