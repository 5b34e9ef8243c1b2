import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { memberSchema } from './members.ts'
import { roleUidSchema } from './spaces.ts'

/** A member of the space who asks to join an app. `_id` is the `_id` of the member. */
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
    summary:
      'Ask to be let into an app by its uid. The answer is the same whether there is such an app or not: who may not see it learns nothing. Nothing is ' +
      'requested for a caller who has access.',
    permission: 'space.view',
    body: z.strictObject({ app: z.string().max(64), message: storableText(500).optional() }),
    response: successSchema,
  }),
  listAccessRequests: endpoint('GET /api/project/{p}/app/{a}/accessRequest', {
    summary: 'Who asks to be let into the app, oldest first.',
    permission: 'app.manage',
    response: z.object({ accessRequests: z.array(accessRequestSchema) }),
  }),
  acceptAccessRequest: endpoint('POST /api/project/{p}/app/{a}/accessRequest/{id}/accept', {
    idempotent: true,
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary: 'Let somebody into the app who asked for it, with that role.',
    permission: 'app.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  declineAccessRequest: endpoint('POST /api/project/{p}/app/{a}/accessRequest/{id}/decline', {
    idempotent: true,
    audit: { act: 'app.declineAccess' },
    summary: 'Do not let somebody into the app who asked for it. They are not told.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
