import { randomBytes } from 'node:crypto'
import type { Db } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { FormField, LocalizedText } from '#shared/forms/fields.ts'

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
