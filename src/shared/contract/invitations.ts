import { z } from 'zod'
import { joinedSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { memberSchema } from './members.ts'
import { secret } from './secret.ts'
import { roleUidSchema } from './spaces.ts'

export const invitationDays = 7

const emailText = z.string().max(254)

/**
 * Why an invitation that requires SSO cannot be accepted: SSO is not set up, or not for the domain of the email
 * address.
 */
const ssoProblem = z.enum(['notSetUp', 'domain'])
export type InvitationSsoProblem = z.infer<typeof ssoProblem>

/** An invitation as members with the right to invite see it, without its code. */
export const invitationSchema = z.object({
  _id: idSchema,
  /** null: an invitation by link, which any holder of the link can use. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  /** The app that accepting the invitation also joins, and the role in it. null: the invitation is not to an app. */
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  appRoleId: roleUidSchema.nullable(),
  useSSO: z.boolean(),
  /** null: SSO does not prevent acceptance of the invitation, or is not required. */
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

const issuedSchema = invitationSchema.extend({
  /**
   * The link of an invitation without an email address. null for an invitation to an address, because the link is in
   * the mail. Without a mail server, admins of the installation get that link too, because they can read the stored
   * mail. Admins who signed in by SSO only do not get it.
   */
  url: secret().nullable(),
  /**
   * Whether the mail server sends the link to the email address. `false` for an invitation without an address, and
   * without a mail server.
   */
  isMailed: z.boolean(),
})
export type IssuedInvitation = z.infer<typeof issuedSchema>

/** An invitation as the holder of its code sees it. */
const offerSchema = z.object({
  space: z.object({ uid: z.string(), name: z.string() }),
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  /**
   * The display name of the inviter; null if the inviter has no name or is a directory. The inviter's email address is
   * not returned, because a link can be passed on.
   */
  invitedBy: z.string().nullable(),
  /** The email address that the invitation was sent to; null for a link. Any holder of the code may accept. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  roleName: z.string(),
  /** The role in the app. null: the invitation is not to an app. */
  appRoleId: roleUidSchema.nullable(),
  /** The custom name of the role in the app; empty for a built-in role or without an app. */
  appRoleName: z.string(),
  /** Whether the invitation can only be accepted by signing in with the space’s SSO. */
  bySso: z.boolean(),
  expiresAt: timeSchema,
})
export type InvitationOffer = z.infer<typeof offerSchema>

const codeBody = z.strictObject({ code: z.string().max(200) })

export const invitationEndpoints = {
  listInvitations: endpoint('GET /api/project/{p}/invitation', {
    summary: 'List open and expired invitations to the space, newest first',
    description: 'Returns at most 500.',
    permission: 'member.manage',
    response: z.object({
      invitations: z.array(invitationSchema),
      /** Whether the space’s SSO is ready for sign-ins, so that invitations may require it (`useSSO`). */
      ssoIsReady: z.boolean(),
      /** Domains whose ownership is proven. Invitations to email addresses of these domains may require SSO. */
      ssoDomains: z.array(z.string()),
      /**
       * Number of mails of the space from the last seven days that could not be sent so far, including other mails than
       * invitations.
       */
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
    summary: 'Invite a person to the space by mail or with a link',
    description:
      'Without `email`, anyone with the link can accept. An invitation is valid for seven days. ' +
      'Replaces an earlier invitation of the same address to the same app, or to no app. The caller ' +
      'needs all rights of the assigned roles (400 `InvalidRoleChange`), and `app.manage` in the app. ' +
      '409 `InvitedAccountAlreadyExists` for the address of a member. At most 1,000 invitations can be ' +
      'open. For an address, `isMailed` is false if the server cannot send mail: an admin of the ' +
      'installation then passes the link on. With `useSSO` the invitation can only be accepted through ' +
      "the space's SSO. That SSO must be set up (404 `SsoNotSetUp`) and have the domain of the address " +
      '(409 `SsoDomainIsNotVerified`).',
    permission: 'member.manage',
    needsSession: true,
    body: z.strictObject({
      invitation: z.strictObject({
        email: emailText.optional(),
        /** Role in the space. Default: the built-in role Member. */
        roleId: roleUidSchema.optional(),
        /** uid of an app to invite to as well. */
        app: z.string().max(64).optional(),
        /** Role in that app. Default: the app's default role. */
        appRoleId: roleUidSchema.optional(),
        useSSO: z.boolean().optional(),
        /** Maximum uses of a link. Default: 10. null: unlimited. An invitation to an address can be used once. */
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
    summary: 'Send an invitation again, or create a new link for it',
    description:
      'The previous link stops working, the invitation is valid for seven more days, and the caller ' +
      'becomes the inviter. The caller needs all rights of the assigned roles (400 ' +
      '`InvalidRoleChange`). Refused like a new invitation if it requires SSO. 429 `TooManyRequests` ' +
      'within a minute of the previous mail.',
    permission: 'member.manage',
    needsSession: true,
    response: z.object({ invitation: issuedSchema }),
  }),
  revokeInvitation: endpoint('DELETE /api/project/{p}/invitation/{id}', {
    audit: { act: 'invitation.revoke' },
    summary: 'Revoke an invitation',
    permission: 'member.manage',
    response: successSchema,
  }),
  listAppInvitations: endpoint('GET /api/project/{p}/app/{a}/invitation', {
    summary: 'List open and expired invitations to an app, newest first',
    description: 'Returns at most 500.',
    permission: 'app.manage',
    response: z.object({ invitations: z.array(invitationSchema) }),
  }),
  addAppMember: endpoint('POST /api/project/{p}/app/{a}/members', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary: 'Add a member of the space to an app, or invite a person',
    description:
      'Adds a member immediately by `memberId` or by a confirmed address, and invites any other person. ' +
      'The response contains either `member` or `invitation`. 409 `MemberEmailIsNotVerified` with the ' +
      "`member` if a member's address is not confirmed, because it may belong to another person. 409 " +
      '`InvitedAccountAlreadyExists` for a member of the app. `roleId` is the role in the app. With ' +
      '`appRoleId`, that is the role in the app, and `roleId` the role of the invited person in the ' +
      'space. `useSSO` and invitations: see `createInvitation`.',
    permission: 'app.manage',
    needsSession: true,
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
    summary: 'Send an invitation to an app again',
    description: 'Like `renewInvitation`.',
    permission: 'app.manage',
    needsSession: true,
    response: z.object({ invitation: issuedSchema }),
  }),
  revokeAppInvitation: endpoint('DELETE /api/project/{p}/app/{a}/invitation/{id}', {
    audit: { act: 'invitation.revoke' },
    summary: 'Revoke an invitation to an app',
    permission: 'app.manage',
    response: successSchema,
  }),
  lookAtInvitation: endpoint('POST /api/invitation/look', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it says what an invitation is for, and changes nothing' },
    summary: 'Get an invitation by its code',
    description:
      'The code is in the body, because URLs are often logged. 400 `InvalidInvitationCode` for a code ' +
      'that is unknown, used up, expired or revoked.',
    permission: 'public',
    csrf: 'origin',
    body: codeBody,
    response: z.object({ invitation: offerSchema }),
  }),
  acceptInvitation: endpoint('POST /api/invitation/accept', {
    idempotent: { none: 'an invitation is taken once' },
    audit: { act: 'invitation.accept', shows: ['roleId', 'appRoleId'] },
    summary: 'Accept an invitation with the signed-in account',
    description:
      'An invitation that requires SSO is accepted by signing in with it (403 `SsoRequired`; 404 ' +
      '`SsoNotSetUp` if the space has no SSO at present). 400 `InvalidInvitationCode` for a code that ' +
      'is no longer valid, and if the inviter could no longer assign the roles. An account can use the ' +
      'same code only once. After it has left or was removed, it needs an invitation that was sent ' +
      'later. 409 `InvitedAccountAlreadyExists` if the account is already a member of the space and of ' +
      "the invitation's app, if it has one. Confirms the address of the account if the invitation was " +
      'mailed to it.',
    permission: 'account',
    body: codeBody,
    response: joinedSchema,
  }),
}
