import { z } from 'zod'
import { countWithin, formMailLimit, formReplyLimits, uncountAttempt } from '#server/access/attempts.ts'
import { requireRightIn } from '#server/access/membership.ts'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'
import { findConfirmed } from '#server/features/members/members.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineAtomicJob } from '#server/jobs/job.ts'
import type { Services } from '#server/services.ts'
import { languageOf } from '#shared/forms/localized.ts'
import { formMailLimits, isReplyAddress } from '#shared/forms/mail.ts'
import {
  countAwaiting,
  countTaken,
  delayNotification,
  lockMailedForm,
  type MailedForm,
  type MailedSubmission,
  markReplies,
  takeAwaiting,
} from './mail.repository.ts'
import { notificationValues, replyText } from './mail-texts.ts'

/** Maximum number of automatic replies in one run. Another run continues. */
const maxReplies = 20
/** Maximum number of submissions that one summary counts. Another one follows. */
const maxSummarized = 50_000

interface Mailing {
  db: Tx
  services: Pick<Services, 'config' | 'mail'>
  scope: SpaceScope
  form: MailedForm
}

/** Delays from which jobs count as late, so that they do not replace a job that runs soon. */
const lateMs = 10_000

/** Adds the job that sends the mails about new submissions of a form after `delayMs`, unless one is already waiting. */
export const enqueueFormMails = (db: Db, scope: SpaceScope, formId: string, delayMs: number) =>
  enqueue(
    db,
    mailSubmissionsJob,
    { formId },
    { scope, key: `${formId} ${delayMs < lateMs ? 'soon' : 'late'}`, runAt: new Date(Date.now() + delayMs) },
  )

/** Adds that job if submissions of a form still wait for mails. While the form is in the trash, the job skips it. */
export async function resumeFormMails(db: Db, scope: SpaceScope, formId: string): Promise<void> {
  for (const kind of ['notification', 'reply'] as const)
    if ((await countAwaiting(db, scope, formId, kind, 1)) > 0)
      return void (await enqueueFormMails(db, scope, formId, 0))
}

/**
 * Sends the notifications and automatic replies of the new submissions of a form. Sending a mail and marking its
 * submission are one transaction.
 */
export const mailSubmissionsJob = defineAtomicJob({
  name: 'forms.mail',
  audit: 'failures',
  isListed: false,
  payload: z.object({ formId: z.string() }),
  concurrencyKey: ({ formId }) => `form mails ${formId}`,
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'form.manage')
  },
  async handler({ db, scope, services, payload: { formId } }) {
    const form = scope && (await lockMailedForm(db, scope, formId))
    if (!form) return
    const mailing = { db, services, scope, form }
    await notify(mailing)
    await sendReplies(mailing)
    if ((await countAwaiting(db, scope, formId, 'reply', 1)) > 0) await enqueueFormMails(db, scope, formId, 0)
  },
})

/** Sends one notification for each submission if few arrived, and otherwise a summary. */
async function notify(mailing: Mailing): Promise<void> {
  const { db, services, scope, form } = mailing
  const count = await countAwaiting(db, scope, form.id, 'notification', formMailLimits.singleTogether + 1)
  if (count === 0) return
  if (form.waitMs > 0) {
    await enqueueFormMails(db, scope, form.id, Math.max(lateMs, form.waitMs))
    return
  }
  const { language, includesValues } = form.notification
  // Members may have left, and addresses may have changed, since the form was saved.
  const to = [...(await findConfirmed(db, scope, form.notification.to)).values()]
  const about = { form: form.name, space: form.space.name, link: inboxUrl(mailing) }
  if (count <= formMailLimits.singleTogether && (await countWithin(db, formMailLimit(form.id), count))) {
    for (const submission of await takeAwaiting(db, scope, form.id, 'notification', count)) {
      const values = includesValues ? notificationValues(submission.values, form.fields, language) : null
      const link = `${about.link}?message=${submission.id}`
      const mailed = { ...about, link, values, files: submission.fileCount }
      const answering = includesValues ? answerTo(submission) : {}
      for (const address of to)
        await services.mail.send(
          db,
          { to: address, language, template: 'formSubmission', values: mailed, ...answering },
          { scope, kind: 'bulk' },
        )
    }
    return
  }
  const total = await countTaken(db, scope, form.id, 'notification', maxSummarized)
  const pause = total === 0 ? 0 : formMailLimits.digestMinutes
  if ((await countAwaiting(db, scope, form.id, 'notification', 1)) > 0)
    await enqueueFormMails(db, scope, form.id, Math.max(lateMs, pause * 60_000))
  if (total === 0) return
  await delayNotification(db, scope, form.id, pause)
  const values = { ...about, count: total, minutes: formMailLimits.digestMinutes }
  for (const address of to)
    await services.mail.send(
      db,
      { to: address, language, template: 'formDigest', values },
      { scope, kind: 'bulk' },
    )
}

/** Staff answer a notification to the visitor. */
const answerTo = ({ email }: MailedSubmission) => (email === null ? {} : { replyTo: email })

const inboxUrl = ({ services: { config }, form }: Mailing) =>
  `${config.url}/${form.space.uid}/-/forms/${form.id}`

/** Sends automatic replies, within the limits per address and per space. */
async function sendReplies({ db, services, scope, form }: Mailing): Promise<void> {
  const submissions = await takeAwaiting(db, scope, form.id, 'reply', maxReplies)
  if (!form.reply.enabled) return
  const { queued, limited } = await countReplies(
    db,
    scope,
    submissions.flatMap(({ email, ...submission }) =>
      email !== null && isReplyAddress(email) ? [{ ...submission, email }] : [],
    ),
  )
  const { replyTo } = form.reply
  for (const { email, values: sent, language } of queued) {
    const values = replyText(form.reply, sent, form.fields, language)
    // The footer is in the language of the body.
    const shown = languageOf(form.reply.body, language)
    const mail = { to: email, language: shown, template: 'formReply', values } as const
    await services.mail.send(
      db,
      { ...mail, ...(replyTo === null ? {} : { replyTo }) },
      { scope, kind: 'bulk' },
    )
  }
  await markReplies(db, scope, idsOf(queued), 'queued')
  await markReplies(db, scope, idsOf(limited), 'limited')
}

const idsOf = (submissions: { id: string }[]) => submissions.map(({ id }) => id)

/** Counts a reply to each submission under both of its limits, or under none. Returns which replies were counted. */
async function countReplies<Replied extends { email: string }>(
  db: Tx,
  scope: SpaceScope,
  submissions: Replied[],
): Promise<{ queued: Replied[]; limited: Replied[] }> {
  const queued: Replied[] = []
  const limited: Replied[] = []
  const withLimits = submissions.map((submission) => ({
    submission,
    ...formReplyLimits(scope, submission.email),
  }))
  // Concurrent jobs lock counters in one order and the counter of the space last, so that they cannot deadlock.
  withLimits.sort((a, b) => (a.address.key < b.address.key ? -1 : 1))
  const counted: typeof withLimits = []
  for (const one of withLimits)
    if (await countWithin(db, one.address, 1)) counted.push(one)
    else limited.push(one.submission)
  for (const { submission, address, space } of counted)
    if (await countWithin(db, space, 1)) queued.push(submission)
    else {
      await uncountAttempt(db, [address])
      limited.push(submission)
    }
  return { queued, limited }
}
