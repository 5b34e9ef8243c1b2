import { z } from 'zod'
import { appRights, spaceRights } from '../permissions.ts'
import { accountIconSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

const person = {
  _id: idSchema,
  accountId: idSchema,
  name: z.string(),
  email: z.string(),
  icon: accountIconSchema,
  createdAt: timeSchema,
}
export const memberSchema = z.object({ ...person, roleId: roleUidSchema })
export type Member = z.infer<typeof memberSchema>

const roleSchema = z.object({
  uid: z.string(),
  /** Given by people; '' for built-in roles, which have words in every language. */
  name: z.string(),
  target: z.enum(['project', 'app']),
  builtIn: z.boolean(),
  rights: z.array(z.enum([...spaceRights, ...appRights])),
})

export type Role = z.infer<typeof roleSchema>

export const memberEndpoints = {
  listMembers: endpoint('GET /api/project/{p}/members', {
    summary: 'The members of a space.',
    permission: 'space.view',
    response: z.object({ members: z.array(memberSchema) }),
  }),
  updateMember: endpoint('PUT /api/project/{p}/member/{id}', {
    audit: { act: 'member.update', of: 'member', shows: ['roleId'] },
    summary: 'Give a member another role. One’s own role cannot be changed, and an admin always remains.',
    permission: 'member.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  deleteMember: endpoint('DELETE /api/project/{p}/member/{id}', {
    audit: { act: 'member.remove', shows: ['roleId'] },
    summary: 'Take a member out of the space and all its apps.',
    permission: 'member.manage',
    response: successSchema,
  }),
  listRoles: endpoint('GET /api/project/{p}/role', {
    summary: 'The roles of a space.',
    permission: 'space.view',
    response: z.object({ roles: z.array(roleSchema) }),
  }),
  listAppRoles: endpoint('GET /api/project/{p}/app/{a}/role', {
    summary: 'The roles of an app.',
    permission: 'space.view',
    response: z.object({ roles: z.array(roleSchema) }),
  }),
  getCurrentAppRole: endpoint('GET /api/project/{p}/app/{a}/currentRole', {
    summary: 'The caller’s role in the app (null when not joined) and the rights it gives.',
    permission: 'space.view',
    response: z.object({
      currentRole: z.object({ uid: roleUidSchema.nullable(), rights: z.array(z.enum(appRights)) }),
    }),
  }),
  listAppMembers: endpoint('GET /api/project/{p}/app/{a}/members', {
    summary: 'The members of an app.',
    permission: 'document.read',
    response: z.object({ members: z.array(memberSchema) }),
  }),
  addAppMember: endpoint('POST /api/project/{p}/app/{a}/members', {
    idempotent: true,
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary: 'Take a member of the space into the app.',
    permission: 'app.manage',
    body: z.strictObject({ email: z.string().max(254), roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  joinApp: endpoint('POST /api/project/{p}/app/{a}/members/join', {
    idempotent: true,
    audit: { act: 'member.join', of: 'member', shows: ['roleId'] },
    summary:
      'Join an open app with its default role; joining again gives back the role one left with. Joining twice is no error.',
    permission: 'space.view',
    response: z.object({ member: memberSchema }),
  }),
  leaveApp: endpoint('POST /api/project/{p}/app/{a}/members/leave', {
    idempotent: true,
    audit: { act: 'member.leave' },
    summary: 'Leave an app.',
    permission: 'space.view',
    response: successSchema,
  }),
  updateAppMember: endpoint('PATCH /api/project/{p}/app/{a}/member/{id}', {
    audit: { act: 'member.updateInApp', of: 'member', shows: ['roleId'] },
    summary: 'Give a member of the app another role.',
    permission: 'app.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
}
