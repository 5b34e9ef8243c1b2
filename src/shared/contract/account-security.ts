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
    summary: 'Get the sessions of your account and its pending email change',
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
    summary: 'Send the mail that confirms your email address again',
    description: 'Sends nothing if the address is already confirmed.',
    permission: 'account',
    response: successSchema,
  }),
  sendEmailVerificationByAuth: endpoint('POST /api/auth/account/{id}/emailVerification', {
    audit: { act: 'account.verifyEmail' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'Send the mail that confirms your email address again (second path)',
    description: 'The same as `sendEmailVerification`, under another path.',
    permission: 'account',
    response: successSchema,
  }),
  confirmEmail: endpoint('POST /api/auth/confirm', {
    audit: { act: 'account.confirmEmail' },
    idempotent: { none: 'a link is used once' },
    summary: 'Confirm an email address with the code from a mailed link',
    description:
      'The code is the part of the link after `#`. A change of address must be confirmed from the new ' +
      'address, and from the present one if that was ever confirmed. `isComplete` is true when no ' +
      'confirmation is missing. `email`: the confirmed address, or the new address of a change. The ' +
      'first confirmation of an address ends all other sessions, and removes the second factors and ' +
      'linked identities that were set up before.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token }),
    response: z.object({ email: z.string(), isChange: z.boolean(), isComplete: z.boolean() }),
  }),
  confirmOwnEmail: endpoint('POST /api/account/{id}/emailConfirmation', {
    audit: { act: 'account.confirmEmail' },
    idempotent: { none: 'a confirmed address stays confirmed' },
    summary: 'Confirm your email address with your password, as an installation admin',
    description:
      'Sends no mail. Only for admins of the installation, who can read the mail with the link anyway. ' +
      '409 `MailServerIsSet` if the server sends mail. Ends sessions and removes second factors and ' +
      'identities like `confirmEmail`.',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  changeEmail: endpoint('POST /api/account/{id}/email', {
    audit: { act: 'account.changeEmail' },
    idempotent: { none: 'the newest change counts' },
    summary: 'Change your email address, with your password',
    description:
      'The change takes effect when the links mailed to the new and to the present address have been ' +
      'opened. A present address that was never confirmed gets no link.',
    permission: 'account',
    body: z.strictObject({ email, password }),
    response: successSchema,
  }),
  cancelEmailChange: endpoint('DELETE /api/account/{id}/email', {
    audit: { act: 'account.cancelEmailChange' },
    summary: 'Cancel a pending change of your email address',
    permission: 'account',
    response: successSchema,
  }),
  changePassword: endpoint('POST /api/account/{id}/password', {
    audit: { act: 'account.changePassword' },
    idempotent: { none: 'the password before does not fit any more' },
    summary: 'Change your password and end all other sessions',
    description: 'The browser continues with a new session.',
    permission: 'account',
    body: z.strictObject({ password, newPassword: password }),
    response: successSchema,
  }),
  forgotPassword: endpoint('POST /api/auth/forgotPassword', {
    audit: { act: 'account.forgotPassword' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'Send a mail with a link to choose a new password',
    description: 'The response is the same whether an account with the address exists or not.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ email }),
    response: successSchema,
  }),
  lookAtReset: endpoint('POST /api/auth/resetPassword/look', {
    audit: { none: 'it says whether a link is good for something still, and changes nothing' },
    idempotent: { none: 'it changes nothing' },
    summary: 'Get the account that a reset link belongs to',
    description:
      'The code is the part of the link after `#`. The link resets a password or a second factor. ' +
      '`LinkIsNotValid` if it was used or has expired.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token }),
    response: z.object({ email: z.string() }),
  }),
  resetPassword: endpoint('POST /api/auth/resetPassword', {
    audit: { act: 'account.resetPassword' },
    idempotent: { none: 'a link is used once' },
    summary: 'Choose a new password with the code from a mailed link',
    description:
      'Ends all sessions and starts none. The next sign-in requires the second factor as before. If ' +
      'the address was never confirmed, the link confirms it, and second factors and linked identities ' +
      'are removed (see `confirmEmail`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token, password }),
    response: successSchema,
  }),
  endSession: endpoint('DELETE /api/account/{id}/session/{session}', {
    audit: { act: 'account.endSession' },
    summary: 'End one of your sessions',
    permission: 'account',
    response: successSchema,
  }),
  endOtherSessions: endpoint('DELETE /api/account/{id}/session', {
    audit: { act: 'account.endSession' },
    summary: 'End all your sessions except this one',
    permission: 'account',
    response: successSchema,
  }),
  deleteAccount: endpoint('POST /api/account/{id}/delete', {
    audit: { act: 'account.delete' },
    idempotent: { none: 'what is deleted stays so' },
    summary: 'Delete your account, with your password',
    description:
      'Refused with `OtherAdminMembersNotExist` while a space with other members has no other admin, ' +
      'and with `OtherInstallationAdminsNotExist` for the only admin of the installation. Spaces ' +
      'without other members are deleted too.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
