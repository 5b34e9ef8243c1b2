import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type Db, spaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { claimBlob } from '#server/features/assets/blobs.repository.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import type { FormField, LocalizedText, SubmissionState, SubmittedValue } from '#shared/forms/fields.ts'
import type { TestInstallation } from './server.ts'

/* Forms for tests, written directly into the database. */

/** The values of a form that a test sets. */
export interface FormValues {
  name?: string
  /** The public id. */
  key?: string
  enabled?: boolean
  fields?: FormField[]
  origins?: string[]
  thanksUrl?: string | null
  thanksMessage?: LocalizedText
  retentionDays?: number | null
  deletedAt?: Date | null
}

/** Inserts a form into a space. Returns its `_id` and its public id. */
export async function insertForm(
  db: Db,
  spaceId: number,
  values: FormValues = {},
): Promise<{ id: string; formId: string }> {
  const id = newId()
  const formId = values.key ?? `f${randomBytes(4).toString('hex')}`
  await db
    .insertInto('form')
    .values({
      space_id: spaceId,
      id,
      key: formId,
      name: values.name ?? 'お問い合わせ',
      enabled: values.enabled ?? true,
      fields: JSON.stringify(values.fields ?? []),
      origins: values.origins ?? [],
      thanks_url: values.thanksUrl ?? null,
      thanks_message: JSON.stringify(values.thanksMessage ?? { ja: '', en: '' }),
      retention_days: values.retentionDays ?? null,
      deleted_at: values.deletedAt ?? null,
    })
    .execute()
  return { id, formId }
}

/** The values of a submission that a test sets. */
export interface SubmissionValues {
  values?: SubmittedValue[]
  state?: SubmissionState
  email?: string | null
  page?: string | null
  receivedAt?: Date
  deletedAt?: Date | null
}

/** Inserts a submission of a form, as the form's address stores it. Returns its `_id`. */
export async function insertSubmission(
  db: Db,
  spaceId: number,
  formId: string,
  {
    values = [{ name: 'お名前', value: '山田花子' }],
    state = 'new',
    email = null,
    page = null,
    receivedAt = new Date(),
    deletedAt = null,
  }: SubmissionValues = {},
): Promise<string> {
  const id = newId()
  await db
    .insertInto('form_submission')
    .values({
      space_id: spaceId,
      id,
      form_id: formId,
      state,
      values: storedJson(values),
      email,
      page,
      language: 'ja',
      received_at: receivedAt,
      deleted_at: deletedAt,
    })
    .execute()
  return id
}

/** Inserts a file of a submission, and its bytes into the local storage of the installation. Returns its `_id`. */
export async function insertFormFile(
  { database, deps }: Pick<TestInstallation, 'database' | 'deps'>,
  spaceId: number,
  submission: { formId: string; id: string },
  {
    field = '添付',
    fileName = 'a.txt',
    mediaType = 'text/plain',
    bytes = 'hello',
  }: { field?: string; fileName?: string; mediaType?: string; bytes?: string } = {},
): Promise<string> {
  const id = newId()
  const content = Buffer.from(bytes)
  const hash = sha256(bytes)
  const key = await claimBlob(database.kysely, spaceScope(spaceId), 'local', hash)
  const { local } = deps.services.storages
  await local.write(key, () => Readable.from([content]), { type: mediaType, size: content.length })
  await database.kysely
    .insertInto('form_file')
    .values({
      space_id: spaceId,
      id,
      form_id: submission.formId,
      submission_id: submission.id,
      field,
      file_name: fileName,
      media_type: mediaType,
      size: content.length,
      hash,
      storage: 'local',
      storage_key: key,
    })
    .execute()
  await database.kysely
    .updateTable('form_submission')
    .set({ file_count: sql`file_count + 1` })
    .where('space_id', '=', spaceId)
    .where('id', '=', submission.id)
    .execute()
  return id
}
