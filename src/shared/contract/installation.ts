import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { languages } from '../languages.ts'
import { signupConfirmations, signupModes, spaceCreations } from '../sign-up.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const installationSettingsSchema = z.object({
  signup: z.enum(signupModes),
  /** Whether the operator has set `signup` in the environment, so that it cannot be changed here. */
  signupIsFixed: z.boolean(),
  signupConfirmation: z.enum(signupConfirmations),
  signupConfirmationIsFixed: z.boolean(),
  /** Users who may create spaces. Without a setting: everyone if `signup` is `open`, otherwise admins. */
  spaceCreation: z.enum(spaceCreations),
  spaceCreationIsFixed: z.boolean(),
})
export type InstallationSettings = z.infer<typeof installationSettingsSchema>

export const keptMailSchema = z.object({
  _id: idSchema,
  to: z.string(),
  language: z.enum(languages),
  subject: z.string(),
  text: z.string(),
  createdAt: timeSchema,
})
export type KeptMail = z.infer<typeof keptMailSchema>

/**
 * An error of the mail server: its code, such as `MailRefused`, and the response of the server. The response contains
 * no email addresses and has at most 300 UTF-16 units.
 */
const mailProblemSchema = z.object({ code: z.string(), message: z.string() })

/** A space as listed for admins of the installation, who need not be its members. */
export const listedSpaceSchema = z.object({
  uid: z.string(),
  name: z.string(),
  createdAt: timeSchema,
  memberCount: z.int(),
  /**
   * At most three members with all rights, in the order in which they joined. Neither this list nor `adminCount`
   * includes provisioned members that no person has claimed.
   */
  admins: z.array(z.object({ name: z.string(), email: z.string() })),
  adminCount: z.int(),
  appCount: z.int(),
  /** Number of documents, without documents in the trash. */
  documentCount: z.int(),
  /** Size of the files of the media library in bytes, including files in the trash. */
  fileBytes: z.int(),
})
export type ListedSpace = z.infer<typeof listedSpaceSchema>

export const listedAccountSchema = z.object({
  _id: idSchema,
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  isAdmin: z.boolean(),
  hasSecondFactor: z.boolean(),
  /** Whether the directory of a space created the account and no person has claimed it yet. */
  provisioned: z.boolean(),
  createdAt: timeSchema,
  spaceCount: z.int(),
  /**
   * Time of the last recorded use of a session or a space. The actual last use is at most ten minutes later. null: not
   * known.
   */
  lastSeenAt: timeSchema.nullable(),
})
export type ListedAccount = z.infer<typeof listedAccountSchema>

const listQuery = z.strictObject({
  search: storableText(200).optional(),
  sort: z.enum(['newest', 'name']).default('newest'),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type InstallationListQuery = z.infer<typeof listQuery>

export const installationEndpoints = {
  listAllSpaces: endpoint('GET /api/admin/spaces', {
    summary: 'List all spaces of the installation with their sizes and admins',
    description: '`search` searches names and uids.',
    permission: 'admin',
    query: listQuery,
    response: z.object({
      spaces: z.array(listedSpaceSchema),
      total: z.int(),
    }),
  }),
  listAllAccounts: endpoint('GET /api/admin/accounts', {
    summary: 'List all accounts of the installation',
    description: '`search` searches names and addresses.',
    permission: 'admin',
    query: listQuery,
    response: z.object({
      accounts: z.array(listedAccountSchema),
      total: z.int(),
    }),
  }),
  getInstallationSettings: endpoint('GET /api/admin/settings', {
    summary: 'Get the settings of the installation',
    permission: 'admin',
    response: z.object({ settings: installationSettingsSchema }),
  }),
  updateInstallationSettings: endpoint('PUT /api/admin/settings', {
    audit: {
      act: 'account.signupMode',
      of: 'settings',
      shows: ['signup', 'signupConfirmation', 'spaceCreation'],
    },
    summary: 'Update who can sign up and who can create spaces',
    description:
      '`signupConfirmation` sets when the addresses of new accounts are confirmed. 409 `SettingIsFixed` ' +
      'for a setting that the operator set in the environment.',
    permission: 'admin',
    body: z.strictObject({
      data: z.strictObject({
        signup: z.enum(signupModes).optional(),
        signupConfirmation: z.enum(signupConfirmations).optional(),
        spaceCreation: z.enum(spaceCreations).optional(),
      }),
    }),
    response: z.object({ settings: installationSettingsSchema }),
  }),
  listKeptMails: endpoint('GET /api/admin/mails', {
    summary: 'List mails that were not sent because no mail server is set up',
    description:
      'Contains at most 200 mails of the last seven days, newest first. With a mail server (`isSent`) ' +
      'the list is empty. `troubles` then has the numbers of mails of the last seven days that could ' +
      'not be sent and are retried (`waiting`) or not (`givenUp`), and the error of the newest of them. ' +
      '`troubles` is null if there are no such mails, and without a mail server.',
    permission: 'admin',
    response: z.object({
      isSent: z.boolean(),
      mails: z.array(keptMailSchema),
      troubles: z
        .object({ waiting: z.int(), givenUp: z.int(), error: mailProblemSchema.nullable() })
        .nullable(),
    }),
  }),
  sendTestMail: endpoint('POST /api/admin/mails/test', {
    idempotent: { none: 'another mail is what is asked for' },
    audit: { act: 'account.testMail' },
    summary: 'Send a test mail to your own address',
    description:
      '`problem` is the error of the mail server; null: the mail was accepted. 404 without a mail ' +
      'server. At most five per minute.',
    permission: 'admin',
    response: z.object({ to: z.string(), problem: mailProblemSchema.nullable() }),
  }),
  deleteKeptMail: endpoint('DELETE /api/admin/mails/{id}', {
    audit: { act: 'account.deleteMail' },
    summary: 'Delete a mail that was not sent',
    permission: 'admin',
    response: successSchema,
  }),
}
