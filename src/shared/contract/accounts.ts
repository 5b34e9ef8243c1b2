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
  /** Whether the owner has opened a link that was mailed to the address. */
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
    summary:
      'What a visitor should know before signing up: is this the first account, the installation’s admin, and may ' +
      'everybody, who is invited, or nobody sign up?',
    permission: 'public',
    response: z.object({ firstAccount: z.boolean(), signup: z.enum(signupModes) }),
  }),
  signup: endpoint('POST /api/auth/signup', {
    idempotent: { none: 'an address is given to one account' },
    audit: { act: 'account.signup', of: 'account' },
    summary:
      'Create an account and sign in. The first account is the installation’s admin. A refusal brings `errorMessage`, ' +
      'a sentence in the language asked for. An `invitationCode` that is none is refused, and so is who has none where ' +
      'only who is invited may sign up (`getSignupState`). A good one joins what it leads to (`joined`), and confirms the address ' +
      'that it was mailed to; any other address is asked by a mail to be confirmed. Where the installation confirms addresses ' +
      'before accounts are made (the first one apart), any other address is answered `account: null`, whether it has an ' +
      'account or not, and is sent a mail; its link finishes the sign-up (`POST /api/auth/signup/finish`).',
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
    summary:
      'Whose sign-up the link of a mail finishes, by the text behind its `#`. `LinkIsNotValid` for one that was used or has ended.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: linkToken }),
    response: z.object({ email: z.string() }),
  }),
  finishSignup: endpoint('POST /api/auth/signup/finish', {
    idempotent: { none: 'a link is used once' },
    audit: { act: 'account.signup', of: 'account' },
    summary:
      'Create the account of a sign-up by the link of its mail and the password that was chosen, and sign in. An invitation ' +
      'that the sign-up came with is taken (`joined`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ token: linkToken, password }),
    response: z.object({ account: accountSchema, joined: joinedSchema.nullable() }),
  }),
  login: endpoint('POST /api/auth/login', {
    idempotent: { none: 'signs in anew, which is wanted' },
    audit: { act: 'account.login', of: 'user' },
    summary:
      'Sign in. The answer to an unknown email and to a wrong password is the same. Where the account has a second ' +
      'factor, `user` is null and `authenticatingUserId` names the sign-in, to be finished by the same browser within ' +
      'five minutes (`POST /api/auth/secondFactor`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ email, password }),
    response: z.object({ user: accountSchema.nullable(), authenticatingUserId: z.string().nullable() }),
  }),
  logout: endpoint('POST /api/auth/logout', {
    bySso: true,
    idempotent: { none: 'ends what has ended without harm' },
    audit: { act: 'account.logout' },
    summary: 'End this session.',
    permission: 'account',
    response: successSchema,
  }),
  getCurrentAccount: endpoint('GET /api/auth/getCurrentAccount', {
    summary: 'The signed-in account, or null, and whether this server can send mail.',
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
    summary: 'The token this session sends as `x-csrf-token`; null without a session.',
    permission: 'public',
    response: z.object({ csrfToken: z.string().nullable() }),
  }),
  updateAccount: endpoint('PUT /api/account/{id}', {
    bySso: true,
    audit: { act: 'account.update', of: 'account', shows: ['name', 'language'] },
    summary: 'Change one’s own name, language or colour scheme; `icon: null` takes the picture away.',
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
    summary: 'Somebody’s picture, by the `_id` that its address has.',
    permission: 'account',
    response: { kind: 'file' },
  }),
  uploadAccountIcon: endpoint('POST /api/account/{id}/icon', {
    bySso: true,
    idempotent: { none: 'the same picture takes its own place' },
    audit: { act: 'account.update', of: 'account' },
    summary: 'One’s own picture (multipart, one part `file`): cut to a square of at most 512 pixels.',
    permission: 'account',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    response: z.object({ account: accountSchema }),
  }),
}
