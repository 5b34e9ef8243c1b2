import { z } from 'zod'
import { email, password, linkToken as token } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** A session of the account: one signed-in browser. */
export const sessionSchema = z.object({
  _id: idSchema,
  /** The `User-Agent` header at sign-in; empty if the browser sent none. */
  userAgent: z.string(),
  ip: z.string(),
  createdAt: timeSchema,
  lastSeenAt: timeSchema,
  isCurrent: z.boolean(),
})
export type AccountSession = z.infer<typeof sessionSchema>

export const accountSecurityEndpoints = {
  getAccountSecurity: endpoint('GET /api/account/{id}/security', {
    summary: 'Where one’s own account is signed in, and the change of its email address that is under way.',
    permission: 'account',
    response: z.object({
      sessions: z.array(sessionSchema),
      emailChange: z
        .object({ email: z.string(), confirmedByNew: z.boolean(), confirmedByPresent: z.boolean() })
        .nullable(),
    }),
  }),
  sendEmailVerification: endpoint('POST /api/account/{id}/emailVerification', {
    audit: { act: 'account.verifyEmail' },
    idempotent: { none: 'another mail is what is asked for' },
    summary:
      'Mail the link that confirms one’s own email address once more. A confirmed one is sent nothing.',
    permission: 'account',
    response: successSchema,
  }),
  sendEmailVerificationByAuth: endpoint('POST /api/auth/account/{id}/emailVerification', {
    audit: { act: 'account.verifyEmail' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'The same at another address.',
    permission: 'account',
    response: successSchema,
  }),
  confirmEmail: endpoint('POST /api/auth/confirm', {
    audit: { act: 'account.confirmEmail' },
    idempotent: { none: 'a link is used once' },
    summary:
      'Use the link of a mail that confirms an address, by the text behind its `#`. Of a change both addresses have to ' +
      'confirm: `isComplete` tells whether nothing is missing any more. `email` is the address it is about. When an address is ' +
      'confirmed for the first time, all other sessions end, and second factors and linked identities from before are removed.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token }),
    response: z.object({ email: z.string(), isChange: z.boolean(), isComplete: z.boolean() }),
  }),
  confirmOwnEmail: endpoint('POST /api/account/{id}/emailConfirmation', {
    audit: { act: 'account.confirmEmail' },
    idempotent: { none: 'a confirmed address stays confirmed' },
    summary:
      'Confirms the caller’s email address with the password and without a mail, for admins of the installation, who can read ' +
      'the mail with the link anyway. 409 `MailServerIsSet` where the server sends mail. Removes the same as the link (`confirmEmail`).',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  changeEmail: endpoint('POST /api/account/{id}/email', {
    audit: { act: 'account.changeEmail' },
    idempotent: { none: 'the newest change counts' },
    summary:
      'Have the email address changed, with one’s password. It is once both the present address (unless it was never ' +
      'confirmed) and the new one have followed the links that they are mailed.',
    permission: 'account',
    body: z.strictObject({ email, password }),
    response: successSchema,
  }),
  cancelEmailChange: endpoint('DELETE /api/account/{id}/email', {
    audit: { act: 'account.cancelEmailChange' },
    summary: 'Take a change of the email address back that is not complete.',
    permission: 'account',
    response: successSchema,
  }),
  changePassword: endpoint('POST /api/account/{id}/password', {
    audit: { act: 'account.changePassword' },
    idempotent: { none: 'the password before does not fit any more' },
    summary: 'Change one’s password. All other sessions end; this one goes on under a new cookie.',
    permission: 'account',
    body: z.strictObject({ password, newPassword: password }),
    response: successSchema,
  }),
  forgotPassword: endpoint('POST /api/auth/forgotPassword', {
    audit: { act: 'account.forgotPassword' },
    idempotent: { none: 'another mail is what is asked for' },
    summary:
      'Mail a link to choose a new password. The answer is the same whether an account has the address or not.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ email }),
    response: successSchema,
  }),
  lookAtReset: endpoint('POST /api/auth/resetPassword/look', {
    audit: { none: 'it says whether a link is good for something still, and changes nothing' },
    idempotent: { none: 'it changes nothing' },
    summary:
      'Whose password (or second factor) the link of a mail resets, by the text behind its `#`, before anything is typed. `LinkIsNotValid` for one ' +
      'that was used or has ended.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token }),
    response: z.object({ email: z.string() }),
  }),
  resetPassword: endpoint('POST /api/auth/resetPassword', {
    audit: { act: 'account.resetPassword' },
    idempotent: { none: 'a link is used once' },
    summary:
      'Choose a new password by the link of a mail. All sessions end, and none begins: a second factor is asked for as ever, unless ' +
      'the address is shown to be its owner’s for the first time: then everything goes that was set up before.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token, password }),
    response: successSchema,
  }),
  endSession: endpoint('DELETE /api/account/{id}/session/{session}', {
    audit: { act: 'account.endSession' },
    summary: 'End one of one’s own sessions.',
    permission: 'account',
    response: successSchema,
  }),
  endOtherSessions: endpoint('DELETE /api/account/{id}/session', {
    audit: { act: 'account.endSession' },
    summary: 'End all of one’s own sessions but this one.',
    permission: 'account',
    response: successSchema,
  }),
  deleteAccount: endpoint('POST /api/account/{id}/delete', {
    audit: { act: 'account.delete' },
    idempotent: { none: 'what is deleted stays so' },
    summary:
      'Delete one’s own account, with one’s password. Refused (`OtherAdminMembersNotExist`) while a space with other ' +
      'members has no other admin; spaces without other members are deleted with it.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
