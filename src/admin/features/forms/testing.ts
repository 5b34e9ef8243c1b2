import type { Submission, SubmissionDetail } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import { noNotification, noReply } from '#shared/forms/mail.ts'

/** For tests: an enabled form with a name, an e-mail address and a message. */
export const aForm = (changes: Partial<Form> = {}): Form => ({
  _id: 'f00000000000000000000001',
  formId: 'Ab3_-xYz9',
  url: 'https://acme.form.example.com/v1/Ab3_-xYz9',
  name: 'お問い合わせ',
  enabled: true,
  fields: [
    { type: 'text', name: 'name', label: { ja: 'お名前', en: 'Name' }, ...common, required: true },
    { type: 'email', name: 'email', label: { ja: 'メールアドレス', en: 'Email' }, ...common, required: true },
    { type: 'textarea', name: 'message', label: { ja: '内容', en: '' }, ...common },
  ],
  origins: [],
  thanksUrl: null,
  thanksMessage: { ja: '', en: '' },
  retentionDays: null,
  notification: noNotification,
  reply: noReply,
  version: 1,
  newSubmissions: 0,
  lastReceivedAt: null,
  createdAt: '2026-11-20T00:00:00.000Z',
  updatedAt: '2026-11-20T00:00:00.000Z',
  deletedAt: null,
  ...changes,
})

const common = { help: { ja: '', en: '' }, required: false, message: { ja: '', en: '' } }

/** For tests: a new submission. `number` is the end of its `_id`. */
export const aSubmission = (number: number, changes: Partial<Submission> = {}): Submission => ({
  _id: `a${String(number).padStart(23, '0')}`,
  state: 'new',
  email: `visitor${number}@example.com`,
  preview: [
    { name: 'name', value: `訪問者${number}` },
    { name: 'email', value: `visitor${number}@example.com` },
    { name: 'message', value: '資料を送ってください。' },
  ],
  fileCount: 0,
  receivedAt: '2026-11-20T03:04:00.000Z',
  deletedAt: null,
  ...changes,
})

/** For tests: a submission with all its values. */
export const aSubmissionDetail = (
  number: number,
  changes: Partial<SubmissionDetail> = {},
): SubmissionDetail => ({
  ...aSubmission(number),
  values: aSubmission(number).preview,
  files: [],
  page: 'https://example.com/contact',
  language: 'ja',
  replyState: null,
  updatedAt: '2026-11-20T03:04:00.000Z',
  ...changes,
})
