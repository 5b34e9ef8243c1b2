import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { memberSchema } from './members.ts'
import { roleUidSchema } from './spaces.ts'

/** `_id` is the `_id` of the member who asks to join the app. */
const accessRequestSchema = z.object({
  _id: idSchema,
  name: z.string(),
  email: z.string(),
  message: z.string(),
  createdAt: timeSchema,
})
export type AccessRequest = z.infer<typeof accessRequestSchema>

export const accessRequestEndpoints = {
  askForAccess: endpoint('POST /api/project/{p}/accessRequest', {
    idempotent: true,
    audit: { act: 'app.askForAccess' },
    summary: 'Request access to an app by its uid',
    description:
      'The response is the same whether the app exists or not, so that it reveals nothing to callers ' +
      'without access. A request for a private app is stored, and mailed to at most 20 managers of the ' +
      'app. Nothing happens if the caller can already see the app, has a pending request, or was ' +
      'declined in the last seven days.',
    permission: 'space.view',
    body: z.strictObject({ app: z.string().max(64), message: storableText(500).optional() }),
    response: successSchema,
  }),
  listAccessRequests: endpoint('GET /api/project/{p}/app/{a}/accessRequest', {
    summary: 'List requests for access to an app, oldest first',
    description: 'Contains the first 100 pending requests, without declined ones.',
    permission: 'app.manage',
    response: z.object({ accessRequests: z.array(accessRequestSchema) }),
  }),
  acceptAccessRequest: endpoint('POST /api/project/{p}/app/{a}/accessRequest/{id}/accept', {
    idempotent: true,
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary: 'Accept a request for access and add the user to the app with a role',
    description:
      '`{id}` is the `_id` of the member. A member who joined the app in the meantime keeps their role. ' +
      '400 `InvalidRoleChange` for a role with more rights than the caller has.',
    permission: 'app.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  declineAccessRequest: endpoint('POST /api/project/{p}/app/{a}/accessRequest/{id}/decline', {
    idempotent: true,
    audit: { act: 'app.declineAccess' },
    summary: 'Decline a request for access without notifying the user',
    description: '`{id}` is the `_id` of the member, who cannot ask again for seven days.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
