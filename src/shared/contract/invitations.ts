import { z } from 'zod'
import { joinedSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { memberSchema } from './members.ts'
import { secret } from './secret.ts'
import { roleUidSchema } from './spaces.ts'

/** Number of days for which an invitation is valid. */
export const invitationDays = 7

const emailText = z.string().max(254)

/** Why an invitation that requires SSO cannot be accepted: SSO is not set up, or not for the domain of the address. */
const ssoProblem = z.enum(['notSetUp', 'domain'])
export type InvitationSsoProblem = z.infer<typeof ssoProblem>

/** An invitation as members with the right to invite see it, without its code. */
export const invitationSchema = z.object({
  _id: idSchema,
  /** null: an invitation by link, which any holder of the link can use. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  /** The app that the invitation also admits to, and the role in it. */
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  appRoleId: roleUidSchema.nullable(),
  useSSO: z.boolean(),
  /** null: the invitation can be accepted, or does not require SSO. */
  ssoProblem: ssoProblem.nullable(),
  /** Maximum number of uses; null: unlimited until it expires. */
  maximumUses: z.int().nullable(),
  uses: z.int(),
  invitedBy: z.object({ _id: idSchema, name: z.string() }),
  createdAt: timeSchema,
  sentAt: timeSchema,
  expiresAt: timeSchema,
})
export type Invitation = z.infer<typeof invitationSchema>

/** The response to creating or renewing an invitation. Only this response contains the address of a link. */
const issuedSchema = invitationSchema.extend({
  /**
   * null: the invitation is mailed to its email address. Without a mail server, admins of the installation get the
   * address, because they can read the kept mail.
   */
  url: secret().nullable(),
  /** Whether a mail with the address is queued. `false` for a link, and without a mail server. */
  isMailed: z.boolean(),
})
export type IssuedInvitation = z.infer<typeof issuedSchema>

/** An invitation as the holder of its code sees it before accepting. */
const offerSchema = z.object({
  space: z.object({ uid: z.string(), name: z.string() }),
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  /** The display name of the inviter; null if they have none. Never their address, because a link can be passed on. */
  invitedBy: z.string().nullable(),
  /** The address that the invitation was sent to; null for a link. Any holder of the code may accept. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  roleName: z.string(),
  /** The role in the app. null: the invitation is not to an app. */
  appRoleId: roleUidSchema.nullable(),
  /** The custom name of the role; empty for a built-in role. */
  appRoleName: z.string(),
  /** Whether the invitation can only be accepted by signing in with the space’s SSO. */
  bySso: z.boolean(),
  expiresAt: timeSchema,
})
export type InvitationOffer = z.infer<typeof offerSchema>

const codeBody = z.strictObject({ code: z.string().max(200) })

export const invitationEndpoints = {
  listInvitations: endpoint('GET /api/project/{p}/invitation', {
    summary:
      'The invitations into a space that can be taken or have ended untaken, newest first, 500 at most.',
    permission: 'member.manage',
    response: z.object({
      invitations: z.array(invitationSchema),
      /** Whether the space’s SSO is ready for sign-ins, so that invitations may require it (`useSSO`). */
      ssoIsReady: z.boolean(),
      /** The proven domains of addresses to which invitations may require SSO. */
      ssoDomains: z.array(z.string()),
      /** Mails of the space that could not be sent in the last seven days, of invitations and others. */
      unsentMails: z.int(),
    }),
  }),
  createInvitation: endpoint('POST /api/project/{p}/invitation', {
    idempotent: true,
    answersSecret: true,
    audit: {
      act: 'invitation.create',
      of: 'invitation',
      shows: ['email', 'roleId', 'appRoleId', 'expiresAt'],
    },
    summary:
      'Invite somebody into the space by mail, or make a link for whoever has it (no `email`). An earlier one to the same address ends. ' +
      '`isMailed` is false where the server cannot send mail: then an admin of the installation passes the link on. ' +
      '`useSSO`: it can only be accepted by the space’s SSO, which must be set up (404 `SsoNotSetUp`) and have the domain of the ' +
      'address (409 `SsoDomainIsNotVerified`).',
    permission: 'member.manage',
    body: z.strictObject({
      invitation: z.strictObject({
        email: emailText.optional(),
        /** Role in the space. Default: the member role. */
        roleId: roleUidSchema.optional(),
        /** uid of an app to invite to as well. */
        app: z.string().max(64).optional(),
        /** Role in that app. Default: the app's default role. */
        appRoleId: roleUidSchema.optional(),
        useSSO: z.boolean().optional(),
        /** Maximum uses of a link. Default: 10. null: unlimited. */
        maximumUses: z.int().min(1).max(1000).nullish(),
      }),
    }),
    response: z.object({ invitation: issuedSchema }),
  }),
  renewInvitation: endpoint('POST /api/project/{p}/invitation/{id}/resend', {
    idempotent: true,
    answersSecret: true,
    audit: {
      act: 'invitation.renew',
      of: 'invitation',
      shows: ['email', 'roleId', 'appRoleId', 'expiresAt'],
    },
    summary:
      'Send an invitation again, or make a new link of it; what was sent before ends. Refused like a new one where it requires SSO.',
    permission: 'member.manage',
    response: z.object({ invitation: issuedSchema }),
  }),
  revokeInvitation: endpoint('DELETE /api/project/{p}/invitation/{id}', {
    audit: { act: 'invitation.revoke' },
    summary: 'Take an invitation back.',
    permission: 'member.manage',
    response: successSchema,
  }),
  listAppInvitations: endpoint('GET /api/project/{p}/app/{a}/invitation', {
    summary: 'The invitations that come with an app, newest first, 500 at most.',
    permission: 'app.manage',
    response: z.object({ invitations: z.array(invitationSchema) }),
  }),
  addAppMember: endpoint('POST /api/project/{p}/app/{a}/members', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary:
      'Take a member of the space into the app at once, by `memberId` or by an address that is confirmed, or invite whoever is none. ' +
      'A member’s address that nobody has confirmed may be anybody’s: 409 `MemberEmailIsNotVerified` names the `member`. `roleId` is ' +
      'the role in the app; with `appRoleId` that is, and `roleId` the one that the invited gets in the space.',
    permission: 'app.manage',
    body: z
      .strictObject({
        email: emailText.optional(),
        /** `_id` of a member of the space, instead of an address. */
        memberId: idSchema.optional(),
        roleId: roleUidSchema.optional(),
        appRoleId: roleUidSchema.optional(),
        useSSO: z.boolean().optional(),
      })
      .refine(({ email, memberId }) => email !== undefined || memberId !== undefined, {
        error: 'Required',
        path: ['email'],
      })
      .refine(({ email, memberId }) => email === undefined || memberId === undefined, {
        error: 'InvalidValue',
        path: ['memberId'],
      }),
    response: z.object({ member: memberSchema.nullable(), invitation: issuedSchema.nullable() }),
  }),
  renewAppInvitation: endpoint('POST /api/project/{p}/app/{a}/invitation/{id}/resend', {
    idempotent: true,
    answersSecret: true,
    audit: {
      act: 'invitation.renew',
      of: 'invitation',
      shows: ['email', 'roleId', 'appRoleId', 'expiresAt'],
    },
    summary: 'Send an invitation that comes with the app again; what was sent before ends.',
    permission: 'app.manage',
    response: z.object({ invitation: issuedSchema }),
  }),
  revokeAppInvitation: endpoint('DELETE /api/project/{p}/app/{a}/invitation/{id}', {
    audit: { act: 'invitation.revoke' },
    summary: 'Take an invitation that comes with the app back.',
    permission: 'app.manage',
    response: successSchema,
  }),
  lookAtInvitation: endpoint('POST /api/invitation/look', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it says what an invitation is for, and changes nothing' },
    summary:
      'What an invitation is for, by its code. Not in the address, for those are written down in many places.',
    permission: 'public',
    csrf: 'origin',
    body: codeBody,
    response: z.object({ invitation: offerSchema }),
  }),
  acceptInvitation: endpoint('POST /api/invitation/accept', {
    idempotent: { none: 'an invitation is taken once' },
    audit: { act: 'invitation.accept', shows: ['roleId', 'appRoleId'] },
    summary:
      'Take an invitation, as whoever is signed in. One that asks for SSO is taken by signing in by it (`SsoRequired`; `SsoNotSetUp` ' +
      'where the space has none at present). Nobody comes twice by the same code, also after leaving or being taken out.',
    permission: 'account',
    body: codeBody,
    response: joinedSchema,
  }),
}
