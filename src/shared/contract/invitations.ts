import { z } from 'zod'
import { joinedSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { memberSchema } from './members.ts'
import { secret } from './secret.ts'
import { roleUidSchema } from './spaces.ts'

/** Days for which an invitation is good. */
export const invitationDays = 7

const emailText = z.string().max(254)

/** An invitation as those see it who may invite: never its code. */
export const invitationSchema = z.object({
  _id: idSchema,
  /** null: a link, for whoever has it. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  /** The app that comes with it, and the role there. */
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  appRoleId: roleUidSchema.nullable(),
  useSSO: z.boolean(),
  /** How many may take it; null: as many as come in time. */
  maximumUses: z.int().nullable(),
  uses: z.int(),
  invitedBy: z.object({ _id: idSchema, name: z.string() }),
  createdAt: timeSchema,
  sentAt: timeSchema,
  expiresAt: timeSchema,
})
export type Invitation = z.infer<typeof invitationSchema>

/** At the one moment that the address of a link is shown: when it was made or renewed. By mail it goes to the invited alone. */
const issuedSchema = invitationSchema.extend({ url: secret().nullable() })

/** What the one who has the code may know before they take it. */
const offerSchema = z.object({
  space: z.object({ uid: z.string(), name: z.string() }),
  app: z.object({ uid: z.string(), name: z.string() }).nullable(),
  invitedBy: z.string(),
  /** Where it was sent; null for a link. Whoever has the code may take it. */
  email: z.string().nullable(),
  roleId: roleUidSchema,
  roleName: z.string(),
  /** The role in the app; null where no app comes with it. */
  appRoleId: roleUidSchema.nullable(),
  /** What people called it; empty for a built-in role. */
  appRoleName: z.string(),
  /** It is taken by signing in by the space’s SSO, in no other way. */
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
    response: z.object({ invitations: z.array(invitationSchema) }),
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
      'Invite somebody into the space by mail, or make a link for whoever has it (no `email`). An earlier one to the same address ends.',
    permission: 'member.manage',
    body: z.strictObject({
      invitation: z.strictObject({
        email: emailText.optional(),
        /** Role in the space; that of a member without it. */
        roleId: roleUidSchema.optional(),
        /** uid of an app that comes with it. */
        app: z.string().max(64).optional(),
        /** Role in that app; its default role without it. */
        appRoleId: roleUidSchema.optional(),
        useSSO: z.boolean().optional(),
        /** Of a link: so many may take it, 10 unless told otherwise, as many as come with null. */
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
    summary: 'Send an invitation again, or make a new link of it; what was sent before ends.',
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
    audit: { act: 'member.addToApp', of: 'member', shows: ['roleId'] },
    summary:
      'Take a member of the space into the app at once, or invite whoever is none. `roleId` is the role in the app; with `appRoleId` that is, and `roleId` the one that the invited gets in the space.',
    permission: 'app.manage',
    body: z.strictObject({
      email: emailText,
      roleId: roleUidSchema.optional(),
      appRoleId: roleUidSchema.optional(),
      useSSO: z.boolean().optional(),
    }),
    response: z.object({ member: memberSchema.nullable(), invitation: invitationSchema.nullable() }),
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
