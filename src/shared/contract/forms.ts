import { z } from 'zod'
import { formFieldSchema, formLimits, localizedText, refuseDuplicates, webAddress } from '../forms/fields.ts'
import { formNotificationSchema, formReplySchema, noNotification, noReply } from '../forms/mail.ts'
import { languages } from '../languages.ts'
import { idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** The public id of a form, which its address contains. */
export const formIdPattern = /^[\w-]{9}$/

/** The origin of a page, such as `https://example.com`. A URL is reduced to its origin. */
const originSchema = webAddress.transform((url) => new URL(url).origin)

const values = {
  name: nameSchema,
  /** Whether the form accepts submissions. */
  enabled: z.boolean(),
  /** Without fields, all values that are sent are stored, unchecked. */
  fields: z.array(formFieldSchema).max(formLimits.fields).superRefine(refuseDuplicates('name')),
  /** The origins whose pages may send the form. Empty: pages of every origin. */
  origins: z.array(originSchema).max(formLimits.origins),
  /** The page that a browser shows after the form was sent. null: a page of Imori with `thanksMessage`. */
  thanksUrl: webAddress.nullable(),
  thanksMessage: localizedText(2000),
  /** Days after which submissions are deleted permanently. null: never. */
  retentionDays: z.int().min(1).max(3650).nullable(),
  notification: formNotificationSchema,
  reply: formReplySchema,
}

const nothing = { ja: '', en: '' }
const create = z.strictObject({
  name: values.name,
  enabled: values.enabled.default(true),
  fields: values.fields.default([]),
  origins: values.origins.default([]),
  thanksUrl: values.thanksUrl.default(null),
  thanksMessage: values.thanksMessage.default(nothing),
  retentionDays: values.retentionDays.default(null),
  notification: values.notification.default(noNotification),
  reply: values.reply.default(noReply),
  /** The public id of a form that moves in from another service. Omitted: a new one. */
  formId: z.string().regex(formIdPattern, { error: 'InvalidFormat' }).optional(),
})
const update = z.strictObject({ ...values, version: z.int() })

export const formSchema = z.object({
  _id: idSchema,
  /** The public id. */
  formId: z.string(),
  /** The address to which pages send the form. */
  url: z.string(),
  ...values,
  fields: z.array(formFieldSchema),
  origins: z.array(z.string()),
  thanksUrl: z.string().nullable(),
  version: z.int(),
  /** Submissions in the state `new`, counted up to 1,000. null: the caller may not read submissions. */
  newSubmissions: z.int().nullable(),
  /**
   * Time of the latest submission in any state, also in the trash. null: none yet, or the caller may not read
   * submissions.
   */
  lastReceivedAt: timeSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  /** Time at which the form was moved to the trash. null: it is not in the trash. */
  deletedAt: timeSchema.nullable(),
})
export type Form = z.infer<typeof formSchema>
export type FormInput = z.input<typeof create>

const shows = ['name', 'enabled', 'fields', 'origins', 'thanksUrl', 'retentionDays', 'notification', 'reply']

const mailBody = z.strictObject({
  data: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('notification'), notification: values.notification }),
    z.strictObject({ kind: z.literal('reply'), language: z.enum(languages), reply: values.reply }),
  ]),
})

export const formEndpoints = {
  listForms: endpoint('GET /api/project/{p}/form', {
    summary: 'List the forms of a space, by name',
    permission: 'form.read',
    query: z.object({
      /** `true`: the forms in the trash. */
      trash: z.stringbool().default(false),
    }),
    response: z.object({ forms: z.array(formSchema) }),
  }),
  getForm: endpoint('GET /api/project/{p}/form/{id}', {
    summary: 'Get a form, also one in the trash',
    permission: 'form.read',
    response: z.object({ form: formSchema }),
  }),
  createForm: endpoint('POST /api/project/{p}/form', {
    idempotent: true,
    audit: { act: 'form.create', of: 'form', shows },
    summary: 'Create a form',
    description:
      'Visitors send the form to `url`, without a token. 409 `FormIdIsAlreadyInUse` if another form of the ' +
      'space has the `formId`, and `TooManyForms` if the space has 200 forms, including those in the trash. ' +
      '400 with a path such as `data.fields.2.pattern` for a field whose rules are invalid or exclude each other, ' +
      'and with `data.notification.to.0` for an address that is not the confirmed address of a member.',
    permission: 'form.manage',
    body: z.strictObject({ data: create }),
    response: z.object({ form: formSchema }),
  }),
  updateForm: endpoint('PUT /api/project/{p}/form/{id}', {
    audit: { act: 'form.update', of: 'form', shows },
    summary: 'Update a form',
    description:
      'Replaces all properties. Its submissions stay as they were sent. 409 `VersionConflict` for another ' +
      '`version` than the current one. A shorter retention deletes submissions, so that it also requires ' +
      '`submission.manage` (403 with the path `data.retentionDays`). Notifications that contain values also ' +
      'require `submission.read` (403 with the path `data.notification`), and so does another ' +
      '`reply.replyTo` (403 with the path `data.reply.replyTo`). 400 with a path such as ' +
      '`data.notification.to.0` for a new address that is not the confirmed address of a member.',
    permission: 'form.manage',
    body: z.strictObject({ data: update }),
    response: z.object({ form: formSchema }),
  }),
  deleteForm: endpoint('DELETE /api/project/{p}/form/{id}', {
    audit: { act: 'form.delete' },
    summary: 'Move a form with its submissions to the trash',
    description:
      'Its address returns 404. After 30 days, the form, its submissions and their files are deleted permanently.',
    permission: 'form.manage',
    also: ['submission.manage'],
    response: successSchema,
  }),
  restoreForm: endpoint('POST /api/project/{p}/form/{id}:restore', {
    idempotent: { none: 'restoring it again changes nothing' },
    audit: { act: 'form.restore', of: 'form' },
    summary: 'Restore a form from the trash, with its submissions',
    permission: 'form.manage',
    also: ['submission.manage'],
    response: z.object({ form: formSchema }),
  }),
  previewFormMail: endpoint('POST /api/project/{p}/form/{id}/mail:preview', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it changes nothing' },
    summary: 'Preview the mails about a submission, with example values',
    permission: 'form.manage',
    body: mailBody,
    response: z.object({ subject: z.string(), text: z.string() }),
  }),
  testFormMail: endpoint('POST /api/project/{p}/form/{id}/mail:test', {
    idempotent: { none: 'each call sends one mail' },
    audit: { act: 'form.testMail' },
    summary: 'Send such a mail with example values to the caller',
    description:
      'The mail goes to the confirmed address of the caller only (403 `EmailIsNotVerified`). 429 within 10 ' +
      'seconds of the previous test mail of the form. 409 `NoMailServer` if the installation has no mail server.',
    permission: 'form.manage',
    needsSession: true,
    body: mailBody,
    response: z.object({ to: z.string() }),
  }),
}
