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
    summary:
      'Finish a sign-in that `login` began, with a code of the authenticator app or one of the recovery codes, in the ' +
      'same browser within five minutes and five tries.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema, code }),
    response: z.object({ user: accountSchema }),
  }),
  getSecondFactor: endpoint('GET /api/account/{id}/secondFactor', {
    summary: 'Which second factors one’s own account has.',
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
    summary:
      'Begin with a passkey, with one’s password: what the browser makes it with, in the same browser within five minutes.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ challengeId: idSchema, options }),
  }),
  addPasskey: endpoint('POST /api/account/{id}/secondFactor/passkey', {
    idempotent: { none: 'what a passkey has signed is used once' },
    audit: { act: 'account.addPasskey' },
    summary:
      'Take the passkey into use that the browser has made (`response`). It is a second factor, and signs in without a password. ' +
      'Answers ten recovery codes where there were none. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ challengeId: idSchema, name: nameText(100), response: signed }),
    response: z.object({ recoveryCodes: recoveryCodes.nullable() }),
  }),
  deletePasskey: endpoint('POST /api/account/{id}/secondFactor/passkey/{passkey}/delete', {
    idempotent: { none: 'what is gone stays so' },
    audit: { act: 'account.deletePasskey' },
    summary: 'Take a passkey away, with one’s password. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  beginPasskeySignIn: endpoint('POST /api/auth/passkeyOptions', {
    idempotent: { none: 'each begins anew' },
    audit: { none: 'says who may sign in how, and signs nobody in' },
    summary:
      'What the browser signs in with by a passkey: as the second factor of a sign-in that `login` began ' +
      '(`authenticatingUserId`; `options` null where the account has no passkey), or, without one, instead of a password.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema.optional() }),
    response: z.object({ authenticatingUserId: idSchema, options: options.nullable() }),
  }),
  finishByPasskey: endpoint('POST /api/auth/passkey', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.login', of: 'user' },
    summary:
      'Finish a sign-in by what the passkey has signed (`response`), in the same browser within five minutes.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema, response: signed }),
    response: z.object({ user: accountSchema }),
  }),
  beginTotp: endpoint('POST /api/account/{id}/secondFactor/totp', {
    audit: { act: 'account.beginSecondFactor' },
    idempotent: { none: 'takes the place of one that has shown no code' },
    summary:
      'Begin with an authenticator app, with one’s password: its secret (base32), and the `otpauth:` address for a QR code. ' +
      'Nothing is asked for at sign-in until it has shown a code. Replaces one that has not; refused while one is in use.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ secret: secret(), address: secret() }),
  }),
  confirmTotp: endpoint('POST /api/account/{id}/secondFactor/totp/confirm', {
    audit: { act: 'account.enableSecondFactor' },
    idempotent: { none: 'a code is used once' },
    summary:
      'Show a code of the app: from now on sign-ins ask for one. Answers ten recovery codes, which are shown this once. All ' +
      'other sessions end.',
    permission: 'account',
    body: z.strictObject({ code }),
    response: z.object({ recoveryCodes }),
  }),
  renewRecoveryCodes: endpoint('POST /api/account/{id}/secondFactor/recoveryCodes', {
    audit: { act: 'account.renewRecoveryCodes' },
    idempotent: { none: 'others take their place' },
    summary: 'Ten new recovery codes in place of those before, with one’s password.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ recoveryCodes }),
  }),
  getMemberFactor: endpoint('GET /api/project/{p}/member/{id}/secondFactor', {
    summary: 'Whether a member has a second factor.',
    permission: 'member.manage',
    response: z.object({ hasSecondFactor: z.boolean() }),
  }),
  askNewFactor: endpoint('POST /api/project/{p}/member/{id}/secondFactor/reset', {
    audit: { act: 'member.askNewFactor' },
    idempotent: { none: 'another mail is what is asked for' },
    summary:
      'Mail a member who has lost their second factor a link (24 hours) by which they remove it, with their password, and set up a ' +
      'new one. 404 for who has none; an admin of the installation is reset by another of them (`Forbidden`).',
    permission: 'member.manage',
    response: successSchema,
  }),
  resetSecondFactor: endpoint('POST /api/auth/resetSecondFactor', {
    audit: { act: 'account.resetSecondFactor' },
    idempotent: { none: 'a link is used once' },
    summary:
      'Remove the second factor of one’s account by the link of a mail and the password. All sessions end, and none begins.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: z.string().max(100), password }),
    response: successSchema,
  }),
  resetSecondFactorByAdmin: endpoint('POST /api/admin/account/{id}/resetSecondFactor', {
    audit: { act: 'account.resetSecondFactor' },
    idempotent: { none: 'what is off stays so' },
    summary:
      'Remove the second factor of an account that has lost it, with the admin’s own password. All its sessions end, and its owner is ' +
      'told by mail. 404 for an account that has none.',
    permission: 'admin',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  disableSecondFactor: endpoint('POST /api/account/{id}/secondFactor/disable', {
    audit: { act: 'account.disableSecondFactor' },
    idempotent: { none: 'what is off stays so' },
    summary: 'Sign in with the password alone from now on; with one’s password. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
