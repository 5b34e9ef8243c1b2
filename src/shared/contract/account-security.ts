import { z } from 'zod'
import { email, password, linkToken as token } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const sessionSchema = z.object({
  _id: idSchema,
  /** The first 400 characters of the `User-Agent` header at sign-in; empty if the browser sent none. */
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
    description:
      'Sessions are sorted by their last use, most recent first. `emailChange` is null if no change is ' +
      'pending. `confirmedByPresent` is also true if the present address was never confirmed.',
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
    summary: 'Resend the mail with the link that confirms your email address',
    description:
      'Sends nothing if the address is already confirmed. 429 `TooManyRequests` after six requests for ' +
      'mails in an hour.',
    permission: 'account',
    response: successSchema,
  }),
  sendEmailVerificationByAuth: endpoint('POST /api/auth/account/{id}/emailVerification', {
    audit: { act: 'account.verifyEmail' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'Resend the mail that confirms your email address (second path)',
    description: 'The same as `sendEmailVerification`, under another path.',
    permission: 'account',
    response: successSchema,
  }),
  confirmEmail: endpoint('POST /api/auth/confirm', {
    audit: { act: 'account.confirmEmail' },
    idempotent: { none: 'a link is used once' },
    summary: 'Confirm an email address with the code from a mailed link',
    description:
      'The code is the part of the link after `#`. It is valid for 24 hours and can be used once; then ' +
      '400 `LinkIsNotValid`. A change of address must be confirmed from the new address, and from the ' +
      'present one if that was ever confirmed. `isComplete` is true when no confirmation is missing. ' +
      '`email`: the confirmed address, or the new address of a change. 409 `EmailIsAlreadyInUse` if ' +
      'another account has taken the new address. A completed change of address, and the first ' +
      "confirmation of an address of the account, end all sessions of the account except the caller's. " +
      'The first confirmation also removes second factors, linked identities that did not create the ' +
      'account, and a pending change of address.',
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
      '409 `MailServerIsSet` if the server sends mail. 401 `IncorrectPassword`. Ends sessions and ' +
      'removes second factors and identities like `confirmEmail`.',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  changeEmail: endpoint('POST /api/account/{id}/email', {
    audit: { act: 'account.changeEmail' },
    idempotent: { none: 'the newest change counts' },
    summary: 'Change your email address, with your password',
    description:
      'The change takes effect when the codes of the links mailed to the new and to the present address ' +
      'have been sent to `confirmEmail`. A present address that was never confirmed gets a notice ' +
      'without such a link. An address that another account uses gets no mail, and the response is the ' +
      'same. 401 `IncorrectPassword`. 429 `TooManyRequests` after six requests for mails in an hour.',
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
    description:
      'The browser continues with a new session. Cancels a pending change of the email address and ' +
      'mailed links to reset the password, and notifies the owner by mail. A new password needs at ' +
      'least 10 characters and must not be easy to guess (400 `InvalidPassword`). 401 ' +
      '`IncorrectPassword`.',
    permission: 'account',
    body: z.strictObject({ password, newPassword: password }),
    response: successSchema,
  }),
  forgotPassword: endpoint('POST /api/auth/forgotPassword', {
    audit: { act: 'account.forgotPassword' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'Send a mail with a link to choose a new password',
    description:
      'The response is the same whether an account with the address exists or not. The link is valid ' +
      'for 30 minutes. An address gets at most six mails in an hour. 429 `TooManyRequests` after 30 ' +
      'requests in an hour from one network.',
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
      'The code is the part of the link after `#`. The link resets a password or a second factor. 400 ' +
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
      '400 `LinkIsNotValid` if the link was used or has expired, 400 `InvalidPassword` for a password ' +
      'that is too short or easy to guess. Ends all sessions and starts none. The next sign-in requires ' +
      'the second factor as before. If the address was never confirmed, the link confirms it, and ' +
      'second factors and linked identities are removed (see `confirmEmail`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token, password }),
    response: successSchema,
  }),
  endSession: endpoint('DELETE /api/account/{id}/session/{session}', {
    audit: { act: 'account.endSession' },
    summary: 'End one of your sessions',
    description: '404 if your account has no session with this `_id`.',
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
      'Refused with 409 `OtherAdminMembersNotExist` while a space with other members has no other admin ' +
      '(the error lists these `spaces`). Refused with 409 `SsoExemptAdminIsNeeded` while a space ' +
      'exempts the account from its required SSO, and with 409 `OtherInstallationAdminsNotExist` for ' +
      'the only admin of the installation. Spaces without other members are deleted too. Documents in ' +
      'other spaces stay.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
