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
  /**
   * null: the caller may not see the email address. Callers see addresses if they manage members of the space or of the
   * app, or if the space shows addresses to all members. The caller's own address is always present.
   */
  email: z.string().nullable(),
  /**
   * Whether the email address is confirmed, by mail or by the space's SSO or directory. An unconfirmed address is no
   * proof of identity. null if `email` is null.
   */
  emailVerified: z.boolean().nullable(),
  icon: accountIconSchema,
  createdAt: timeSchema,
}
export const memberSchema = z.object({
  ...person,
  roleId: roleUidSchema,
  /**
   * Time of the last recorded visit. Each process records visits at most once every ten minutes. null for callers who
   * manage neither members of the space nor members of the app.
   */
  lastSeenAt: timeSchema.nullable(),
  /** Whether a directory created the member and no person has claimed the membership yet. */
  provisioned: z.boolean(),
  /**
   * `sso`: the member is linked to the space's SSO. `scim`: the member is a user of the space's directory. Empty: the
   * member signs in with their own credentials. null for callers who do not manage members of the space.
   */
  identities: z.array(z.enum(['sso', 'scim'])).nullable(),
})
export type Member = z.infer<typeof memberSchema>

const pageQuery = {
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
}

const listQuery = z.strictObject({
  /** Keys of a member to return, separated by commas: `_id,name`. Default: all. */
  select: z
    .string()
    .max(200)
    .refine((keys) => keys.split(',').every((key) => Object.hasOwn(memberSchema.shape, key.trim())), {
      error: 'InvalidValue',
    })
    .optional(),
  search: storableText(200).optional(),
  role: roleUidSchema.optional(),
  /** `_id` of an account, to find that one member. */
  account: idSchema.optional(),
  ...pageQuery,
})
const listAnswer = z.object({
  /** With all properties, unless `select` names some of them. */
  members: z.array(memberSchema.partial()),
  total: z.int(),
  skip: z.int(),
  limit: z.int(),
})

/**
 * A member of the space who left an app on their own. `roleId`: the role that the member would get when joining the app
 * again.
 */
const leftMemberSchema = memberSchema.omit({ createdAt: true }).extend({ leftAt: timeSchema })
export type LeftMember = z.infer<typeof leftMemberSchema>

const rightSchema = z.enum([...spaceRights, ...appRights])
/**
 * A right and its source. `project`: the role in the space. `app`: the role in the app. `model`: the rights of that
 * role on one model. `anyApp`: a role in any app.
 */
const heldRightSchema = z.object({ right: rightSchema, by: z.enum(['project', 'app', 'model', 'anyApp']) })

const memberRightsSchema = z.object({
  space: z.array(heldRightSchema),
  apps: z.array(
    z.object({
      uid: z.string(),
      name: z.string(),
      /**
       * `joined`: the member has joined the app. `open`: they may join it. `bySpace`: they see it through their role in
       * the space.
       */
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
          /** Names of the fields that are read-only for the member. */
          readOnly: z.array(z.string()),
        }),
      ),
    }),
  ),
  /** Number of private apps that the caller can see and the member cannot. */
  hiddenApps: z.int(),
})
export type MemberRights = z.infer<typeof memberRightsSchema>

export const memberEndpoints = {
  listMembers: endpoint('GET /api/project/{p}/members', {
    summary: 'List members of a space in the order in which they joined',
    permission: 'space.view',
    query: listQuery,
    response: listAnswer,
  }),
  getMemberRights: endpoint('GET /api/project/{p}/member/{id}/rights', {
    summary: 'Get the rights of a member and the roles that grant them',
    description:
      'Contains the rights in the space, in its apps and in their models. Apps and models that the ' +
      'caller cannot see are left out.',
    permission: 'member.manage',
    response: z.object({ member: memberSchema, rights: memberRightsSchema }),
  }),
  leaveSpace: endpoint('POST /api/project/{p}/members/leave', {
    idempotent: { none: 'who has left is not let in any more' },
    audit: { act: 'member.leaveSpace' },
    summary: 'Leave the space and all its apps',
    description:
      '409 `OtherAdminMembersNotExist` for the last member with every right. 409 ' +
      '`SsoExemptAdminIsNeeded` for the account that is exempt from required SSO.',
    permission: 'space.view',
    response: successSchema,
  }),
  updateMember: endpoint('PUT /api/project/{p}/member/{id}', {
    audit: { act: 'member.update', of: 'member', shows: ['roleId'] },
    summary: 'Change the role of a member',
    description:
      'The caller needs all rights of the old and of the new role (400 `InvalidRoleChange`). Members ' +
      'cannot change their own role (409 `ChangingOwnRole`). The last admin cannot be demoted (409 ' +
      '`OtherAdminMembersNotExist`), nor the account that is exempt from required SSO (409 ' +
      '`SsoExemptAdminIsNeeded`).',
    permission: 'member.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  deleteMember: endpoint('DELETE /api/project/{p}/member/{id}', {
    audit: { act: 'member.remove', shows: ['roleId'] },
    summary: 'Remove a member from the space and all its apps',
    description:
      "The caller needs all rights of the member's role (400 `InvalidRoleChange`). 409 " +
      '`OtherAdminMembersNotExist` for the last admin, 409 `SsoExemptAdminIsNeeded` for the account ' +
      'that is exempt from required SSO.',
    permission: 'member.manage',
    response: successSchema,
  }),
  getCurrentAppRole: endpoint('GET /api/project/{p}/app/{a}/currentRole', {
    summary: 'Get your role in the app and the rights that it grants',
    description: 'The role is null if the caller has not joined the app.',
    permission: 'space.view',
    response: z.object({
      currentRole: z.object({
        uid: roleUidSchema.nullable(),
        /** The caller's rights on the app, including rights on only some of its models. */
        rights: z.array(z.enum(appRights)),
        /**
         * Models in which the role has other rights or read-only fields, by `_id` of the model. `readOnly`: `_id`s of
         * fields.
         */
        models: z.record(
          idSchema,
          z.object({ rights: z.array(z.enum(appRights)), readOnly: z.array(idSchema) }),
        ),
        /** Rights that the caller has in all other models. */
        elsewhere: z.array(z.enum(appRights)),
      }),
    }),
  }),
  listAppMembers: endpoint('GET /api/project/{p}/app/{a}/members', {
    summary: 'List members of an app in the order in which they joined',
    permission: 'document.read',
    query: listQuery,
    response: listAnswer,
  }),
  listLeftMembers: endpoint('GET /api/project/{p}/app/{a}/leftMembers', {
    summary: 'List members who left an app, most recent first',
    description:
      '`roleId` is the role that a member would get when rejoining. `deleteAppMember` removes that ' +
      "role. A change of the app's default role does not affect it.",
    permission: 'app.manage',
    query: z.strictObject(pageQuery),
    response: z.object({ members: z.array(leftMemberSchema), total: z.int(), skip: z.int(), limit: z.int() }),
  }),
  joinApp: endpoint('POST /api/project/{p}/app/{a}/members/join', {
    idempotent: true,
    audit: { act: 'member.join', of: 'member', shows: ['roleId'] },
    summary: 'Join an app',
    description:
      "The app must be open, or visible through the caller's role in the space (otherwise 404). Assigns " +
      'the default role, or the role that the member had when leaving. Joining twice is not an error.',
    permission: 'space.view',
    response: z.object({ member: memberSchema }),
  }),
  leaveApp: endpoint('POST /api/project/{p}/app/{a}/members/leave', {
    idempotent: true,
    audit: { act: 'member.leave' },
    summary: 'Leave an app',
    description:
      'The member gets the same role when rejoining. Leaving an app that the caller has not joined is ' +
      'not an error.',
    permission: 'space.view',
    response: successSchema,
  }),
  updateAppMember: endpoint('PATCH /api/project/{p}/app/{a}/member/{id}', {
    audit: { act: 'member.updateInApp', of: 'member', shows: ['roleId'] },
    summary: 'Change the role of a member of an app',
    description:
      'The caller needs all rights of the old and of the new role (400 `InvalidRoleChange`). Members ' +
      'cannot change their own role (409 `ChangingOwnRole`).',
    permission: 'app.manage',
    body: z.strictObject({ roleId: roleUidSchema }),
    response: z.object({ member: memberSchema }),
  }),
  deleteAppMember: endpoint('DELETE /api/project/{p}/app/{a}/member/{id}', {
    audit: { act: 'member.removeFromApp', shows: ['roleId'] },
    summary: 'Remove a member from an app without removing them from the space',
    description:
      'For a member who left the app, removes the role with which they would rejoin. The caller needs ' +
      "all rights of the member's role (400 `InvalidRoleChange`).",
    permission: 'app.manage',
    response: successSchema,
  }),
}
