import { z } from 'zod'
import { nameText } from '../fields/field-type.ts'
import { accountSchema, password } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

const code = z.string().max(64)
const recoveryCodes = z.array(secret())

/** A passkey: a credential on a device or in a password manager that signs its owner in. */
export const passkeySchema = z.object({
  _id: idSchema,
  name: z.string(),
  createdAt: timeSchema,
  usedAt: timeSchema.nullable(),
})
export type Passkey = z.infer<typeof passkeySchema>

/** Options for creating and using passkeys (WebAuthn Level 3, JSON forms). */
const options = z.record(z.string(), z.unknown())
const signed = z.looseObject({
  id: z.string().max(2000),
  response: z.record(z.string(), z.unknown()),
})

export const secondFactorEndpoints = {
  finishSignIn: endpoint('POST /api/auth/secondFactor', {
    audit: { act: 'account.login', of: 'user' },
    idempotent: { none: 'a sign-in is finished once' },
    summary: 'Finish a sign-in with an authenticator code or a recovery code',
    description:
      'For a sign-in that `login` started. Must be sent by the same browser, within five minutes and ' +
      'five attempts; otherwise 401 `SignInHasEnded`. 401 `IncorrectCode` for a wrong code. A recovery ' +
      'code can be used once.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema, code }),
    response: z.object({ user: accountSchema }),
  }),
  getSecondFactor: endpoint('GET /api/account/{id}/secondFactor', {
    summary: 'Get the second factors of your account',
    permission: 'account',
    response: z.object({
      totp: z.boolean(),
      recoveryCodesLeft: z.int(),
      passkeys: z.array(passkeySchema),
    }),
  }),
  beginPasskey: endpoint('POST /api/account/{id}/secondFactor/passkeyOptions', {
    idempotent: { none: 'takes the place of one that has shown nothing' },
    audit: { act: 'account.beginPasskey' },
    summary: 'Start adding a passkey, with your password',
    description:
      'Returns the options with which the browser creates the passkey. The same browser must finish ' +
      'within five minutes. 403 `EmailIsNotVerified` until your email address is confirmed.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ challengeId: idSchema, options }),
  }),
  addPasskey: endpoint('POST /api/account/{id}/secondFactor/passkey', {
    idempotent: { none: 'what a passkey has signed is used once' },
    audit: { act: 'account.addPasskey' },
    summary: 'Add the passkey that the browser created (`response`)',
    description:
      'The passkey is a second factor, and also signs in without a password. Returns ten recovery codes ' +
      'if the account had none, otherwise null. Ends all other sessions. 401 `SignInHasEnded` for a ' +
      'challenge that has expired, 401 `PasskeyIsNotValid`, 409 `SecondFactorIsInUse` for a passkey ' +
      'that is already registered.',
    permission: 'account',
    body: z.strictObject({ challengeId: idSchema, name: nameText(100), response: signed }),
    response: z.object({ recoveryCodes: recoveryCodes.nullable() }),
  }),
  deletePasskey: endpoint('POST /api/account/{id}/secondFactor/passkey/{passkey}/delete', {
    idempotent: { none: 'what is gone stays so' },
    audit: { act: 'account.deletePasskey' },
    summary: 'Delete a passkey, with your password',
    description:
      'Ends all other sessions. With the last second factor, the recovery codes are deleted too. An ' +
      'account that a space exempts from its required SSO must keep a second factor (409 ' +
      '`SsoExemptAdminIsNeeded`).',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  beginPasskeySignIn: endpoint('POST /api/auth/passkeyOptions', {
    idempotent: { none: 'each begins anew' },
    audit: { none: 'says who may sign in how, and signs nobody in' },
    summary: 'Start a sign-in with a passkey',
    description:
      'With `authenticatingUserId`, the passkey is the second factor of a sign-in that `login` ' +
      'started; `options` is null if the account has no passkey. Without it, the passkey replaces the ' +
      'password.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema.optional() }),
    response: z.object({ authenticatingUserId: idSchema, options: options.nullable() }),
  }),
  finishByPasskey: endpoint('POST /api/auth/passkey', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.login', of: 'user' },
    summary: "Finish a sign-in with the passkey's signature (`response`)",
    description:
      'Must be sent by the same browser, within five minutes and five attempts; otherwise 401 ' +
      '`SignInHasEnded`. 401 `PasskeyIsNotValid` for another passkey or an invalid signature. Without a ' +
      'password, the passkey must have verified the user by finger, face or PIN.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema, response: signed }),
    response: z.object({ user: accountSchema }),
  }),
  beginTotp: endpoint('POST /api/account/{id}/secondFactor/totp', {
    audit: { act: 'account.beginSecondFactor' },
    idempotent: { none: 'takes the place of one that has shown no code' },
    summary: 'Start adding an authenticator app, with your password',
    description:
      'Returns the secret (base32) and the `otpauth:` URL for a QR code. Sign-ins require codes only ' +
      'after `confirmTotp`. Replaces an app that was not confirmed. 409 `SecondFactorIsInUse` if one is ' +
      'confirmed, 403 `EmailIsNotVerified` until your email address is confirmed.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ secret: secret(), address: secret() }),
  }),
  confirmTotp: endpoint('POST /api/account/{id}/secondFactor/totp/confirm', {
    audit: { act: 'account.enableSecondFactor' },
    idempotent: { none: 'a code is used once' },
    summary: 'Confirm the authenticator app with a code',
    description:
      'Sign-ins require a code from now on. Returns ten recovery codes, which are shown only once and ' +
      'replace earlier ones. Ends all other sessions. 401 `IncorrectCode` for a wrong code, or if no ' +
      'app is being added.',
    permission: 'account',
    body: z.strictObject({ code }),
    response: z.object({ recoveryCodes }),
  }),
  renewRecoveryCodes: endpoint('POST /api/account/{id}/secondFactor/recoveryCodes', {
    audit: { act: 'account.renewRecoveryCodes' },
    idempotent: { none: 'others take their place' },
    summary: 'Replace your recovery codes with ten new ones, with your password',
    description: 'The previous codes stop working. 404 without a second factor.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ recoveryCodes }),
  }),
  getMemberFactor: endpoint('GET /api/project/{p}/member/{id}/secondFactor', {
    summary: 'Get whether a member has a second factor',
    permission: 'member.manage',
    response: z.object({ hasSecondFactor: z.boolean() }),
  }),
  askNewFactor: endpoint('POST /api/project/{p}/member/{id}/secondFactor/reset', {
    audit: { act: 'member.askNewFactor' },
    idempotent: { none: 'another mail is what is asked for' },
    summary: 'Mail a member a link to reset a lost second factor',
    description:
      'With the link (valid for 24 hours) and their password, the member removes the factor. An address ' +
      'that got six such mails in an hour gets no more. 404 if the member has no second factor. 400 ' +
      '`InvalidRoleChange` for a member with more rights than the caller. 403 `Forbidden` for an admin ' +
      'of the installation, whose factor only an admin of the installation (`resetSecondFactorByAdmin`) ' +
      'or the operator can reset.',
    permission: 'member.manage',
    response: successSchema,
  }),
  resetSecondFactor: endpoint('POST /api/auth/resetSecondFactor', {
    audit: { act: 'account.resetSecondFactor' },
    idempotent: { none: 'a link is used once' },
    summary: 'Remove your second factor with the code from a mailed link',
    description:
      'Also requires the password (401 `IncorrectPassword`). Removes the authenticator app, passkeys ' +
      'and recovery codes. Ends all sessions and starts none. 400 `LinkIsNotValid` if the link was used ' +
      'or has expired.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: z.string().max(100), password }),
    response: successSchema,
  }),
  resetSecondFactorByAdmin: endpoint('POST /api/admin/account/{id}/resetSecondFactor', {
    audit: { act: 'account.resetSecondFactor' },
    idempotent: { none: 'what is off stays so' },
    summary: "Remove the second factor of an account, with the admin's password",
    description:
      'Removes the authenticator app, passkeys and recovery codes. Ends all sessions of the account and ' +
      'notifies its owner by mail. 404 if the account has no second factor.',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  disableSecondFactor: endpoint('POST /api/account/{id}/secondFactor/disable', {
    audit: { act: 'account.disableSecondFactor' },
    idempotent: { none: 'what is off stays so' },
    summary: 'Disable your second factor, with your password',
    description:
      'Removes the authenticator app, passkeys and recovery codes: sign-ins require only the password ' +
      'from now on. Ends all other sessions. 409 `SsoExemptAdminIsNeeded` while a space exempts the ' +
      'account from its required SSO.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
