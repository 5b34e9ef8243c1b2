import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { accountSchema, password } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

const code = z.string().max(64)
const recoveryCodes = z.array(z.string())

/** A passkey: a device or a password manager that signs its owner in. */
export const passkeySchema = z.object({
  _id: idSchema,
  name: z.string(),
  createdAt: timeSchema,
  usedAt: timeSchema.nullable(),
})
export type Passkey = z.infer<typeof passkeySchema>

/** What browsers make passkeys with and sign with (WebAuthn Level 3, JSON forms). */
const options = z.record(z.string(), z.unknown())
const signed = z.looseObject({
  id: z.string().max(2000),
  response: z.record(z.string(), z.unknown()),
})

export const secondFactorEndpoints = {
  finishSignIn: endpoint('POST /api/auth/secondFactor', {
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
    summary:
      'Begin with a passkey, with one’s password: what the browser makes it with, in the same browser within five minutes.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ challengeId: idSchema, options }),
  }),
  addPasskey: endpoint('POST /api/account/{id}/secondFactor/passkey', {
    summary:
      'Take the passkey into use that the browser has made (`response`). It is a second factor, and signs in without a password. ' +
      'Answers ten recovery codes where there were none. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ challengeId: idSchema, name: storableText(100), response: signed }),
    response: z.object({ recoveryCodes: recoveryCodes.nullable() }),
  }),
  deletePasskey: endpoint('POST /api/account/{id}/secondFactor/passkey/{passkey}/delete', {
    summary: 'Take a passkey away, with one’s password. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
  beginPasskeySignIn: endpoint('POST /api/auth/passkeyOptions', {
    summary:
      'What the browser signs in with by a passkey: as the second factor of a sign-in that `login` began ' +
      '(`authenticatingUserId`; `options` null where the account has no passkey), or, without one, instead of a password.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema.optional() }),
    response: z.object({ authenticatingUserId: idSchema, options: options.nullable() }),
  }),
  finishByPasskey: endpoint('POST /api/auth/passkey', {
    summary:
      'Finish a sign-in by what the passkey has signed (`response`), in the same browser within five minutes.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ authenticatingUserId: idSchema, response: signed }),
    response: z.object({ user: accountSchema }),
  }),
  beginTotp: endpoint('POST /api/account/{id}/secondFactor/totp', {
    summary:
      'Begin with an authenticator app, with one’s password: its secret (base32), and the `otpauth:` address for a QR code. ' +
      'Nothing is asked for at sign-in until it has shown a code. Replaces one that has not; refused while one is in use.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ secret: z.string(), address: z.string() }),
  }),
  confirmTotp: endpoint('POST /api/account/{id}/secondFactor/totp/confirm', {
    summary:
      'Show a code of the app: from now on sign-ins ask for one. Answers ten recovery codes, which are shown this once. All ' +
      'other sessions end.',
    permission: 'account',
    body: z.strictObject({ code }),
    response: z.object({ recoveryCodes }),
  }),
  renewRecoveryCodes: endpoint('POST /api/account/{id}/secondFactor/recoveryCodes', {
    summary: 'Ten new recovery codes in place of those before, with one’s password.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: z.object({ recoveryCodes }),
  }),
  disableSecondFactor: endpoint('POST /api/account/{id}/secondFactor/disable', {
    summary: 'Sign in with the password alone from now on; with one’s password. All other sessions end.',
    permission: 'account',
    body: z.strictObject({ password }),
    response: successSchema,
  }),
}
