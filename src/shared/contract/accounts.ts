import { z } from 'zod'
import { nameText } from '../fields/field-type.ts'
import { languages } from '../languages.ts'
import { signupModes } from '../sign-up.ts'
import { uploadLimits } from './assets.ts'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * The picture of an account, a square. `src`: a path on the installation's origin, which requires a session. A new
 * picture gets a new path. null: no picture.
 */
export const accountIconSchema = z.object({ src: z.string() }).nullable()

export const accountSchema = z.object({
  _id: idSchema,
  email: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  /**
   * Whether the email address is confirmed, usually by a mailed link. Stays unchanged if the operator changes the
   * address.
   */
  emailVerified: z.boolean(),
  language: z.enum(languages),
  colorScheme: z.enum(['auto', 'light', 'dark']),
  icon: accountIconSchema,
})
export type Account = z.infer<typeof accountSchema>

/** The space and app that an accepted invitation leads to. */
export const joinedSchema = z.object({
  project: z.object({ uid: z.string() }),
  app: z.object({ uid: z.string() }).nullable(),
})

export const email = z.string().max(254)
export const password = z.string().max(1024)
/** The token after the `#` of a link in a mail. */
export const linkToken = z.string().max(100)

export const accountEndpoints = {
  getSignupState: endpoint('GET /api/auth/signupState', {
    summary: 'Get who can sign up, and whether the installation has an account yet',
    description:
      '`firstAccount` is true while the installation has no account; `signup` is then `open`. The first ' +
      'account becomes an admin of the installation.',
    permission: 'public',
    response: z.object({ firstAccount: z.boolean(), signup: z.enum(signupModes) }),
  }),
  signup: endpoint('POST /api/auth/signup', {
    idempotent: { none: 'an address is given to one account' },
    audit: { act: 'account.signup', of: 'account' },
    summary: 'Create an account and sign in',
    description:
      'The first account becomes an admin of the installation. Refusals, except of a malformed body, ' +
      'have an `errorMessage` in the requested language. 403 `SignupIsClosed` if nobody can sign up, ' +
      '403 `InvitationRequired` without an `invitationCode` if only invited people can ' +
      '(`getSignupState`), 400 `InvalidInvitationCode` for an invalid one. A valid code joins its space ' +
      'or app (`joined`), and confirms the address if the invitation was mailed to it. Any other ' +
      'address is confirmed by mail. If the installation confirms addresses before it creates accounts, ' +
      'the response for any other address is `account: null`, whether it has an account or not. The ' +
      'mailed link then finishes the sign-up (`POST /api/auth/signup/finish`). The first account is ' +
      'exempt from this. Otherwise an address in use is refused with 409 `EmailIsAlreadyInUse`. A ' +
      'password needs at least 10 characters and must not be easy to guess (400 `InvalidPassword`). 429 ' +
      '`TooManyRequests` after 20 sign-ups in an hour from one IP address or IPv6 network.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({
      email,
      password,
      name: nameText(100).optional(),
      language: z.enum(languages).optional(),
      invitationCode: z.string().max(200).optional(),
    }),
    response: z.object({
      account: accountSchema.nullable(),
      joined: joinedSchema.nullable(),
      errorMessage: z.string().nullable(),
    }),
  }),
  lookAtSignup: endpoint('POST /api/auth/signup/look', {
    audit: { none: 'it says whether a link is good for something still, and changes nothing' },
    idempotent: { none: 'it changes nothing' },
    summary: 'Get the address that a mailed sign-up link belongs to',
    description:
      'The code is the part of the link after `#`. 400 `LinkIsNotValid` if it was used or has expired ' +
      '(after 24 hours).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: linkToken }),
    response: z.object({ email: z.string() }),
  }),
  finishSignup: endpoint('POST /api/auth/signup/finish', {
    idempotent: { none: 'a link is used once' },
    audit: { act: 'account.signup', of: 'account' },
    summary: 'Finish a sign-up with the code from a mailed link and the chosen password',
    description:
      'Creates the account and signs in. The password must be that of the sign-up (401 ' +
      '`IncorrectPassword`). 400 `LinkIsNotValid` if the link was used or has expired. Also accepts the ' +
      'invitation that the sign-up was started with (`joined`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: linkToken, password }),
    response: z.object({ account: accountSchema, joined: joinedSchema.nullable() }),
  }),
  login: endpoint('POST /api/auth/login', {
    idempotent: { none: 'signs in anew, which is wanted' },
    audit: { act: 'account.login', of: 'user' },
    summary: 'Sign in with email address and password',
    description:
      'The response to an unknown address and to a wrong password is the same (401 ' +
      '`IncorrectPassword`). 429 `TooManyRequests` after too many failed attempts. If the account has a ' +
      'second factor, `user` is null and `authenticatingUserId` identifies the sign-in. The same ' +
      'browser must finish it within five minutes (`POST /api/auth/secondFactor` or `POST ' +
      '/api/auth/passkey`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ email, password }),
    response: z.object({ user: accountSchema.nullable(), authenticatingUserId: z.string().nullable() }),
  }),
  logout: endpoint('POST /api/auth/logout', {
    bySso: true,
    idempotent: { none: 'ends what has ended without harm' },
    audit: { act: 'account.logout' },
    summary: 'Sign out and end this session',
    permission: 'account',
    response: successSchema,
  }),
  getCurrentAccount: endpoint('GET /api/auth/getCurrentAccount', {
    summary: 'Get the signed-in account, and whether this server can send mail',
    description: 'The account is null without a session.',
    permission: 'public',
    response: z.object({
      currentAccount: accountSchema.nullable(),
      /**
       * Whether a mail server is configured. Otherwise mails are kept for the installation’s admins (`GET
       * /api/admin/mails`).
       */
      sendsMail: z.boolean(),
    }),
  }),
  getCsrfToken: endpoint('GET /api/auth/csrfToken', {
    summary: 'Get the token that this session sends as `x-csrf-token`',
    description: 'Null without a session.',
    permission: 'public',
    response: z.object({ csrfToken: z.string().nullable() }),
  }),
  updateAccount: endpoint('PUT /api/account/{id}', {
    bySso: true,
    audit: { act: 'account.update', of: 'account', shows: ['name', 'language'] },
    summary: 'Update your name, language or color scheme, or remove your picture',
    description: '`icon: null` removes the picture; `uploadAccountIcon` sets one.',
    permission: 'account',
    body: z.strictObject({
      data: z.strictObject({
        name: nameText(100).optional(),
        language: z.enum(languages).optional(),
        colorScheme: z.enum(['auto', 'light', 'dark']).optional(),
        icon: z.null().optional(),
      }),
    }),
    response: z.object({ account: accountSchema }),
  }),
  getAccountIcon: endpoint('GET /api/account/{id}/icon/{icon}', {
    bySso: true,
    summary: 'Get the picture of an account',
    description:
      "`{icon}` is part of the `src` of the account's `icon`. 404 if the picture was replaced or " +
      'removed.',
    permission: 'account',
    response: { kind: 'file' },
  }),
  uploadAccountIcon: endpoint('POST /api/account/{id}/icon', {
    bySso: true,
    idempotent: { none: 'the same picture takes its own place' },
    audit: { act: 'account.update', of: 'account' },
    summary: 'Upload your picture (multipart, one part `file`)',
    description:
      'The picture is cropped to a square of at most 512 pixels. 413 for a file of more than 20 MiB, ' +
      '415 for a file that is not a picture.',
    permission: 'account',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    response: z.object({ account: accountSchema }),
  }),
}
