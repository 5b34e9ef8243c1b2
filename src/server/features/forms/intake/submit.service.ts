import type { PublicContext, ServerContext } from '#server/access/context.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { newId } from '#server/lib/ids.ts'
import type { SentForm } from '#shared/contract/endpoint.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import type { FormField, SubmittedValue } from '#shared/forms/fields.ts'
import { checkSubmission, type SubmittedFile } from '#shared/forms/rules.ts'
import type { Language } from '#shared/languages.ts'
import { requireDiskSpace, takeText } from './budgets.ts'
import { emailOf, isNothing, pageOf, storedValues } from './facts.ts'
import { keepFiles, storeWithFiles, withReceived } from './files.ts'
import type { FormKey, IntakeForm, NewSubmission } from './intake.repository.ts'
import { findForm, storeSubmission } from './stores.ts'

/** The facts about a visitor's request that are stored with its form. */
export interface Visit {
  language: Language
  referer: string | undefined
  /** Value of the header `Origin`. */
  origin: string | undefined
  /** Aborted when the visitor disconnects. */
  signal: AbortSignal
}

/** A submission that breaks rules of the form, with the fields to which its issues belong. */
export class InvalidSubmission extends AppError {
  readonly fields: FormField[]

  constructor(issues: Issue[], fields: FormField[]) {
    super('SubmissionIsInvalid', { issues })
    this.fields = fields
  }
}

/**
 * Returns the origins whose pages may send a form. The list is empty if there is no such form. null: pages of every
 * origin.
 */
export async function listOriginsOf(server: ServerContext, key: FormKey): Promise<string[] | null> {
  const form = await findForm(server, key)
  if (!form) return null // The caller gets 404, which scripts of its page can read.
  return form.origins.length > 0 ? form.origins : null
}

/** Returns a form that is not in the trash. Throws 404. */
export async function requireForm(server: ServerContext, key: FormKey): Promise<IntakeForm> {
  const form = await findForm(server, key)
  if (!form) throw new AppError('NotFound')
  return form
}

/**
 * Stores a submission and returns its form. It is durable when this function returns. Throws 404, 403 `FormIsDisabled`,
 * 422 `SubmissionIsInvalid` for broken rules and for a submission without values, 429 if the address has used up its
 * budget of text, 507 for a full disk, and the errors of the body and of its files.
 */
export async function submitForm(
  ctx: PublicContext,
  key: FormKey,
  sent: SentForm,
  visit: Visit,
): Promise<IntakeForm> {
  const form = await requireForm(ctx, key)
  if (!form.enabled) throw new AppError('FormIsDisabled')
  await withReceived(ctx, form, sent, visit.signal, async (all, files) => {
    const values = storedValues(all)
    await requireValid(form, values, files)
    if (isNothing(values, files.length))
      throw new InvalidSubmission([{ path: '', code: 'Required' }], form.fields)
    const text = JSON.stringify(values)
    takeText(ctx.origin.ip, Buffer.byteLength(text))
    await requireDiskSpace(ctx.services.config)
    const submission: NewSubmission = {
      id: newId(),
      formId: form.id,
      values: text,
      email: emailOf(form.fields, values),
      page: pageOf(visit.referer, visit.origin),
      language: visit.language,
    }
    if (files.length === 0) return storeSubmission(ctx, form, submission)
    const kept = await keepFiles(ctx, form, files, visit.signal, (detected) =>
      requireValid(form, values, detected),
    )
    await storeWithFiles(ctx, form, submission, kept)
  })
  return form
}

/** Throws 422 if the submission breaks rules of the form. */
async function requireValid(
  { fields }: IntakeForm,
  values: SubmittedValue[],
  files: SubmittedFile[],
): Promise<void> {
  if (fields.length === 0) return
  const issues = await checkWithPatterns((environment) => checkSubmission(fields, values, files, environment))
  if (issues.length > 0) throw new InvalidSubmission(issues, fields)
}
