import { z } from 'zod'
import { accountSchema, password } from './accounts.ts'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

const code = z.string().max(64)
const recoveryCodes = z.array(z.string())

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
    response: z.object({ totp: z.boolean(), recoveryCodesLeft: z.int() }),
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
