import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { addressKey } from '#server/access/known-as.ts'
import { lockSpace } from '#server/access/membership.ts'
import { findConfirmed } from '#server/features/members/members.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { compiles } from '#server/lib/patterns.ts'
import { AppError } from '#shared/errors.ts'
import { formAddress } from '#shared/form-address.ts'
import { formFieldIssues } from '#shared/forms/field-issues.ts'
import { type FormField, formLimits } from '#shared/forms/fields.ts'
import { type FormNotification, noNotification, noReply } from '#shared/forms/mail.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { resumeFormMails } from '../mail/form-mails.jobs.ts'
import type { FormRow, FormValues, ListedForm } from './definition.repository.ts'
import * as forms from './definition.repository.ts'
import { newFormKey } from './form-key.ts'

export type { FormRow } from './definition.repository.ts'

/** A form in the form of API responses. */
export type FormView = ReturnType<typeof view>

/** Returns the forms of the space by name. `trash`: those in the trash. */
export async function listForms(ctx: SpaceContext, { trash }: { trash: boolean }): Promise<FormView[]> {
  const found = await forms.listForms(ctx.db, ctx.scope, { trash, ...readingOf(ctx) })
  return found.map((form) => view(ctx, form))
}

/** Returns a form, also one in the trash. Throws 404. */
export async function getForm(ctx: SpaceContext, id: string): Promise<FormView> {
  const form = idPattern.test(id) ? await forms.findForm(ctx.db, ctx.scope, id, readingOf(ctx)) : undefined
  if (!form) throw new AppError('NotFound')
  return view(ctx, form)
}

/**
 * Creates a form. `formId`: its public id; undefined: a new one. Throws 400 with the path of the invalid field, 409
 * `TooManyForms` and `FormIdIsAlreadyInUse`. Throws 403 like {@link requireMayNotify}, and 400 like {@link
 * requireMembers}.
 */
export async function createForm(
  ctx: SpaceContext,
  { formId, ...values }: FormValues & { formId?: string | undefined },
): Promise<FormView> {
  requireValidFields(values.fields)
  requireMayNotify(ctx, values, { notification: noNotification, reply: noReply })
  await requireMembers(ctx, values.notification, noNotification)
  await lockSpace(ctx, 'form.manage')
  if ((await forms.countForms(ctx.db, ctx.scope)) >= formLimits.perSpace) throw new AppError('TooManyForms')
  const id = newId()
  const inserts = (key: string) => forms.insertForm(ctx.db, ctx.scope, { id, key, ...values })
  if (formId === undefined) while (!(await inserts(newFormKey())));
  else if (!(await inserts(formId)))
    throw new AppError('FormIdIsAlreadyInUse', {
      issues: [{ path: 'data.formId', code: 'DuplicatedValue' }],
    })
  await record(ctx, 'form.created', id)
  return getForm(ctx, id)
}

/**
 * Replaces the properties of a form. Throws 400 with the path of the invalid field, 404 also for a form in the trash,
 * and 409 `VersionConflict` if the current version is not the given one. Throws 403 for a shorter retention by a caller
 * without `submission.manage`, because it deletes submissions, and like {@link requireMayNotify}. Throws 400 like
 * {@link requireMembers}.
 */
export async function updateForm(
  ctx: SpaceContext,
  id: string,
  { version, ...values }: FormValues & { version: number },
): Promise<FormView> {
  requireValidFields(values.fields)
  const before = await lockForm(ctx, id)
  if (before.deletedAt) throw new AppError('NotFound')
  if (version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })
  if (isShorter(values.retentionDays, before.retentionDays) && !can(ctx.grants, 'submission.manage'))
    throw new AppError('Forbidden', { issues: [{ path: 'data.retentionDays', code: 'NotAllowed' }] })
  requireMayNotify(ctx, values, before)
  await requireMembers(ctx, values.notification, before.notification)
  noteAudit(ctx, { before })
  await forms.updateForm(ctx.db, ctx.scope, id, values)
  await record(ctx, 'form.updated', id)
  return getForm(ctx, id)
}

/** Moves a form with its submissions to the trash. Throws 404 also for a form in the trash. */
export async function deleteForm(ctx: SpaceContext, id: string): Promise<void> {
  const form = await lockForm(ctx, id)
  if (form.deletedAt) throw new AppError('NotFound')
  noteAudit(ctx, { objectName: form.name })
  await forms.setFormTrashed(ctx.db, ctx.scope, id, true)
  await record(ctx, 'form.deleted', id)
}

/** Restores a form from the trash. Returns a form that is not in the trash unchanged. Throws 404. */
export async function restoreForm(ctx: SpaceContext, id: string): Promise<FormView> {
  const form = await lockForm(ctx, id)
  if (form.deletedAt) {
    await forms.setFormTrashed(ctx.db, ctx.scope, id, false)
    await resumeFormMails(ctx.db, ctx.scope, id)
    await record(ctx, 'form.restored', id)
  }
  return getForm(ctx, id)
}

/** Returns a form that is not in the trash. Throws 404. */
export async function requireForm(ctx: SpaceContext, id: string): Promise<FormRow> {
  const form = idPattern.test(id)
    ? await forms.findForm(ctx.db, ctx.scope, id, { readsSubmissions: false })
    : undefined
  if (!form || form.deletedAt) throw new AppError('NotFound')
  return form
}

async function lockForm(ctx: SpaceContext, id: string): Promise<FormRow> {
  const form = idPattern.test(id) ? await forms.lockForm(ctx.db, ctx.scope, id) : undefined
  if (!form) throw new AppError('NotFound')
  return form
}

function requireValidFields(fields: readonly FormField[]): void {
  const issues = formFieldIssues(fields, { compiles }).map((issue) => ({
    ...issue,
    path: issue.path === '' ? 'data.fields' : `data.fields.${issue.path}`,
  }))
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

/**
 * Throws 403 if new settings send the values of submissions, or the answers to replies, to other addresses or to more
 * of them, and the caller may not read submissions.
 */
function requireMayNotify(ctx: SpaceContext, next: MailSettings, before: MailSettings): void {
  if (can(ctx.grants, 'submission.read')) return
  const paths = [
    ...(sendsToOthers(next.notification, before.notification) ? ['data.notification'] : []),
    ...(next.reply.replyTo !== null && next.reply.replyTo !== before.reply.replyTo
      ? ['data.reply.replyTo']
      : []),
  ]
  if (paths.length > 0)
    throw new AppError('Forbidden', { issues: paths.map((path) => ({ path, code: 'NotAllowed' as const })) })
}

type MailSettings = Pick<FormRow, 'notification' | 'reply'>

function sendsToOthers(next: FormNotification, before: FormNotification): boolean {
  const known = before.includesValues ? before.to : []
  return next.includesValues && !next.to.every((address) => known.includes(address))
}

/**
 * Throws 400 for new addresses that are not confirmed addresses of members, because only members have agreed to such
 * mails.
 */
async function requireMembers(
  { db, scope }: SpaceContext,
  { to }: FormNotification,
  before: FormNotification,
): Promise<void> {
  const known = new Set(before.to.map(addressKey))
  const isNew = (address: string) => !known.has(addressKey(address))
  const confirmed = await findConfirmed(db, scope, to.filter(isNew))
  const issues = to.flatMap((address, index) =>
    isNew(address) && !confirmed.has(address)
      ? [{ path: `data.notification.to.${index}`, code: 'NotAMember' as const }]
      : [],
  )
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

/** Returns whether submissions are deleted earlier. null: they are not deleted by age. */
const isShorter = (days: number | null, before: number | null): boolean =>
  days !== null && (before === null || days < before)

const readingOf = ({ grants }: SpaceContext) => ({ readsSubmissions: can(grants, 'submission.read') })

const view = ({ services: { config }, space }: SpaceContext, { id, key, ...form }: ListedForm) => ({
  ...form,
  _id: id,
  formId: key,
  url: formAddress(config, space.uid, key),
})

async function record(
  ctx: SpaceContext,
  type: 'form.created' | 'form.updated' | 'form.deleted' | 'form.restored',
  formId: string,
): Promise<void> {
  await recordEvent(ctx.db, ctx.scope, type, { formId }, { actor: ctx.actor })
}
