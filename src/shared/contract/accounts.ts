import { z } from 'zod'
import { nameText } from '../fields/field-type.ts'
import { languages } from '../languages.ts'
import { signupModes } from '../sign-up.ts'
import { uploadLimits } from './assets.ts'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * The account's picture, a square. Its address is below the installation's origin, requires a session, and changes with
 * the picture.
 */
export const accountIconSchema = z.object({ src: z.string() }).nullable()

/** The signed-in account as the admin receives it. Responses contain only these properties, so no password hash. */
export const accountSchema = z.object({
  _id: idSchema,
  email: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  /** Whether the owner has confirmed the address by a mailed link. Unchanged if the operator changes the address. */
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
    summary: 'Get who can sign up, and whether this is the first account',
    description: 'The first account becomes an admin of the installation.',
    permission: 'public',
    response: z.object({ firstAccount: z.boolean(), signup: z.enum(signupModes) }),
  }),
  signup: endpoint('POST /api/auth/signup', {
    idempotent: { none: 'an address is given to one account' },
    audit: { act: 'account.signup', of: 'account' },
    summary: 'Create an account and sign in',
    description:
      'The first account becomes an admin of the installation. An error has an `errorMessage` in the ' +
      'requested language. An invalid `invitationCode` is refused; so is a missing one if only invited ' +
      'people can sign up (`getSignupState`). A valid code joins its space or app (`joined`) and ' +
      'confirms the address that the invitation was mailed to. Any other address is confirmed by mail. ' +
      'If the installation confirms addresses before it creates accounts, the response for any other ' +
      'address is `account: null`, whether it has an account or not. The mailed link then finishes the ' +
      'sign-up (`POST /api/auth/signup/finish`). The first account is exempt from this.',
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
      'The code is the part of the link after `#`. `LinkIsNotValid` if it was used or has expired.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: linkToken }),
    response: z.object({ email: z.string() }),
  }),
  finishSignup: endpoint('POST /api/auth/signup/finish', {
    idempotent: { none: 'a link is used once' },
    audit: { act: 'account.signup', of: 'account' },
    summary: 'Finish a sign-up with the code from a mailed link and a password',
    description:
      'Creates the account and signs in. Also accepts the invitation that the sign-up was started with ' +
      '(`joined`).',
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
      'The response to an unknown address and to a wrong password is the same. If the account has a ' +
      'second factor, `user` is null and `authenticatingUserId` identifies the sign-in. The same ' +
      'browser must finish it within five minutes (`POST /api/auth/secondFactor`).',
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
    summary: 'Update your name, language, color scheme or picture',
    description: '`icon: null` removes the picture.',
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
    summary: 'Get the picture of an account by its `_id`',
    permission: 'account',
    response: { kind: 'file' },
  }),
  uploadAccountIcon: endpoint('POST /api/account/{id}/icon', {
    bySso: true,
    idempotent: { none: 'the same picture takes its own place' },
    audit: { act: 'account.update', of: 'account' },
    summary: 'Upload your picture (multipart, one part `file`)',
    description: 'The picture is cropped to a square of at most 512 pixels.',
    permission: 'account',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    response: z.object({ account: accountSchema }),
  }),
}
