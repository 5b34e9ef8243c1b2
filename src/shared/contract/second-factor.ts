import { z } from 'zod'
import { nameText } from '../fields/field-type.ts'
import { accountSchema, password } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

const code = z.string().max(64)
const recoveryCodes = z.array(secret())

/** A passkey: a device or a password manager that signs its owner in. */
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
      'five attempts.',
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
      'within five minutes.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ challengeId: idSchema, options }),
  }),
  addPasskey: endpoint('POST /api/account/{id}/secondFactor/passkey', {
    idempotent: { none: 'what a passkey has signed is used once' },
    audit: { act: 'account.addPasskey' },
    summary: 'Add the passkey that the browser created (`response`)',
    description:
      'The passkey is a second factor, and also signs in without a password. Returns ten recovery ' +
      'codes if the account had none. Ends all other sessions.',
    permission: 'account',
    body: z.strictObject({ challengeId: idSchema, name: nameText(100), response: signed }),
    response: z.object({ recoveryCodes: recoveryCodes.nullable() }),
  }),
  deletePasskey: endpoint('POST /api/account/{id}/secondFactor/passkey/{passkey}/delete', {
    idempotent: { none: 'what is gone stays so' },
    audit: { act: 'account.deletePasskey' },
    summary: 'Delete a passkey, with your password',
    description: 'Ends all other sessions.',
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
    description: 'Must be sent by the same browser within five minutes.',
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
      'Returns the secret (base32) and the `otpauth:` URL for a QR code. Sign-ins require no code ' +
      'before the first one is confirmed. Replaces an app that was not confirmed; refused while one is ' +
      'in use.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ secret: secret(), address: secret() }),
  }),
  confirmTotp: endpoint('POST /api/account/{id}/secondFactor/totp/confirm', {
    audit: { act: 'account.enableSecondFactor' },
    idempotent: { none: 'a code is used once' },
    summary: 'Confirm the authenticator app with a code',
    description:
      'Sign-ins require a code from now on. Returns ten recovery codes, which are shown only once. ' +
      'Ends all other sessions.',
    permission: 'account',
    body: z.strictObject({ code }),
    response: z.object({ recoveryCodes }),
  }),
  renewRecoveryCodes: endpoint('POST /api/account/{id}/secondFactor/recoveryCodes', {
    audit: { act: 'account.renewRecoveryCodes' },
    idempotent: { none: 'others take their place' },
    summary: 'Replace your recovery codes with ten new ones, with your password',
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
      'With the link (valid for 24 hours) and their password, the member removes the factor. 404 if ' +
      'the member has no second factor. `Forbidden` for an admin of the installation, whose factor ' +
      'only an admin of the installation can reset (`resetSecondFactorByAdmin`).',
    permission: 'member.manage',
    response: successSchema,
  }),
  resetSecondFactor: endpoint('POST /api/auth/resetSecondFactor', {
    audit: { act: 'account.resetSecondFactor' },
    idempotent: { none: 'a link is used once' },
    summary: 'Remove your second factor with the code from a mailed link',
    description: 'Also requires the password. Ends all sessions and starts none.',
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
      'Ends all sessions of the account and notifies its owner by mail. 404 if the account has no ' +
      'second factor.',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  disableSecondFactor: endpoint('POST /api/account/{id}/secondFactor/disable', {
    audit: { act: 'account.disableSecondFactor' },
    idempotent: { none: 'what is off stays so' },
    summary: 'Disable your second factor, with your password',
    description: 'Sign-ins require only the password from now on. Ends all other sessions.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
