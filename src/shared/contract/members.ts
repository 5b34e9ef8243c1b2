import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { appRights, spaceRights } from '../permissions.ts'
import { accountIconSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

const person = {
  _id: idSchema,
  accountId: idSchema,
  name: z.string(),
  /** null for who may not see it: it is for those who look after members, unless the space shows it to all. One’s own is always there. */
  email: z.string().nullable(),
  icon: accountIconSchema,
  createdAt: timeSchema,
}
export const memberSchema = z.object({
  ...person,
  roleId: roleUidSchema,
  /** To ten minutes; null for who does not manage members. */
  lastSeenAt: timeSchema.nullable(),
  /** A directory has made them a member, and they have not come yet. */
  provisioned: z.boolean(),
  /**
   * Are they linked to the space's SSO, and does its directory (SCIM) know them? Who is neither signs in by means of their
   * own. null for who does not manage members.
   */
  identities: z.array(z.enum(['sso', 'scim'])).nullable(),
})
export type Member = z.infer<typeof memberSchema>

/** How lists of members are asked for. */
const listQuery = z.strictObject({
  /** Keys of a member to be answered, with commas: `_id,name`. All of them without it. */
  select: z
    .string()
    .max(200)
    .refine((keys) => keys.split(',').every((key) => Object.hasOwn(memberSchema.shape, key.trim())), {
      error: 'InvalidValue',
    })
    .optional(),
  /** In the name, or in addresses that the caller sees. */
  search: storableText(200).optional(),
  /** uid of a role. */
  role: roleUidSchema.optional(),
  /** `_id` of an account: the one member that it is. */
  account: idSchema.optional(),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})
const listAnswer = z.object({
  /** Whole, unless `select` names some of the keys. */
  members: z.array(memberSchema.partial()),
  /** How many the search finds. */
  total: z.int(),
  skip: z.int(),
  limit: z.int(),
})

const rightSchema = z.enum([...spaceRights, ...appRights])
/** Where a right comes from: the role in the space, the role in the app, or what a role says of one model. */
const heldRightSchema = z.object({ right: rightSchema, by: z.enum(['project', 'app', 'model', 'anyApp']) })

/** What a member may do, and by which role. */
const memberRightsSchema = z.object({
  space: z.array(heldRightSchema),
  apps: z.array(
    z.object({
      uid: z.string(),
      name: z.string(),
      /** Have they joined, may they join, or do they see it by their role in the space? */
      access: z.enum(['joined', 'open', 'bySpace']),
      roleId: z.string().nullable(),
      roleName: z.string(),
      rights: z.array(heldRightSchema),
      models: z.array(
        z.object({
          _id: idSchema,
          uid: z.string(),
          name: z.string(),
          rights: z.array(heldRightSchema),
          /** Names of the fields that they can only read. */
          readOnly: z.array(z.string()),
        }),
      ),
    }),
  ),
  /** Private apps that they know nothing of. */
  hiddenApps: z.int(),
})
export type MemberRights = z.infer<typeof memberRightsSchema>

export const memberEndpoints = {
  listMembers: endpoint('GET /api/project/{p}/members', {
    summary: 'The members of a space, oldest first, a page of them.',
    permission: 'space.view',
    query: listQuery,
    response: listAnswer,
  }),
  getMemberRights: endpoint('GET /api/project/{p}/member/{id}/rights', {
    summary: 'What a member may do in the space, in its apps and their models, and which role gives it.',
    permission: 'member.manage',
    response: z.object({ member: memberSchema, rights: memberRightsSchema }),
  }),
  leaveSpace: endpoint('POST /api/project/{p}/members/leave', {
    idempotent: { none: 'who has left is not let in any more' },
    audit: { act: 'member.leaveSpace' },
    summary: 'Leave the space and all its apps. Somebody who may do everything always remains.',
    permission: 'space.view',
    response: successSchema,
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
  getCurrentAppRole: endpoint('GET /api/project/{p}/app/{a}/currentRole', {
    summary: 'The caller’s role in the app (null when not joined) and the rights it gives.',
    permission: 'space.view',
    response: z.object({
      currentRole: z.object({
        uid: roleUidSchema.nullable(),
        /** Held in at least one model. */
        rights: z.array(z.enum(appRights)),
        /** Models in which it is otherwise than in most, by `_id`; `readOnly`: `_id`s of fields. */
        models: z.record(
          idSchema,
          z.object({ rights: z.array(z.enum(appRights)), readOnly: z.array(idSchema) }),
        ),
        /** Held in all other models. */
        elsewhere: z.array(z.enum(appRights)),
      }),
    }),
  }),
  listAppMembers: endpoint('GET /api/project/{p}/app/{a}/members', {
    summary: 'The members of an app in the order they joined, a page of them.',
    permission: 'document.read',
    query: listQuery,
    response: listAnswer,
  }),
  joinApp: endpoint('POST /api/project/{p}/app/{a}/members/join', {
    idempotent: true,
    audit: { act: 'member.join', of: 'member', shows: ['roleId'] },
    summary:
      'Join an open app with its default role; joining again gives back the role with which one left by oneself. Joining twice is no error.',
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
  deleteAppMember: endpoint('DELETE /api/project/{p}/app/{a}/member/{id}', {
    audit: { act: 'member.removeFromApp', shows: ['roleId'] },
    summary: 'Take a member out of the app. They stay in the space.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
