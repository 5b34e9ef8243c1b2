import { z } from 'zod'
import { successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

/** The connection of a directory to the space, without its token. */
const connectionSchema = z.object({
  /** The base URI of the service (RFC 7644) to configure in the directory. */
  url: z.string(),
  last4: z.string(),
  /** Whether new members are notified by mail. Not needed if all members sign in by SSO. */
  sendsMail: z.boolean(),
  createdAt: timeSchema,
  /** Time of the last replacement of the token. null: never. */
  renewedAt: timeSchema.nullable(),
  lastUsedAt: timeSchema.nullable(),
})
export type ScimConnection = z.infer<typeof connectionSchema>

/** The response to creating the connection or replacing its token. Only this response contains the token. */
const issuedSchema = connectionSchema.extend({ token: secret() })

const settings = z.strictObject({ data: z.strictObject({ sendsMail: z.boolean().optional() }) })

/** The endpoints that manage the SCIM 2.0 connection. The directory itself calls `/scim/v2/{p}`. */
export const scimEndpoints = {
  getScim: endpoint('GET /api/project/{p}/scim', {
    summary: 'Get the SCIM 2.0 connection that provisions members of the space',
    description: '`scim` is null without a connection.',
    permission: 'security.manage',
    response: z.object({ scim: connectionSchema.nullable() }),
  }),
  createScim: endpoint('POST /api/project/{p}/scim', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'scim.create', of: 'scim', shows: ['sendsMail'] },
    summary: 'Create the SCIM connection, or replace its token',
    description:
      'The old token stops working immediately. Only this response contains the token. The directory ' +
      'can create and end every membership except those of the last admin and of the SSO-exempt ' +
      'admin, so only members with every right can create a connection (otherwise 403).',
    permission: 'security.manage',
    body: settings,
    response: z.object({ scim: issuedSchema }),
  }),
  updateScim: endpoint('PUT /api/project/{p}/scim', {
    audit: { act: 'scim.update', of: 'scim', shows: ['sendsMail'] },
    summary: 'Update whether provisioned people are notified by mail',
    description: '404 without a connection.',
    permission: 'security.manage',
    body: settings,
    response: z.object({ scim: connectionSchema }),
  }),
  deleteScim: endpoint('DELETE /api/project/{p}/scim', {
    audit: { act: 'scim.delete' },
    summary: 'Delete the SCIM connection',
    description:
      'Its token stops working immediately, and the data of the directory about people and groups is ' +
      'deleted. Members stay members.',
    permission: 'security.manage',
    response: successSchema,
  }),
}
