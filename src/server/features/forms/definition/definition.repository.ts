import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { countedSubmissions } from '#shared/contract/form-submissions.ts'
import type { FormField, LocalizedText } from '#shared/forms/fields.ts'
import type { FormNotification, FormReply } from '#shared/forms/mail.ts'

export interface FormRow {
  id: string
  /** The public id. */
  key: string
  name: string
  enabled: boolean
  fields: FormField[]
  /** Empty: every origin. */
  origins: string[]
  thanksUrl: string | null
  thanksMessage: LocalizedText
  /** null: submissions are not deleted by age. */
  retentionDays: number | null
  notification: FormNotification
  reply: FormReply
  version: number
  createdAt: Date
  updatedAt: Date
  /** null: not in the trash. */
  deletedAt: Date | null
}

export interface ListedForm extends FormRow {
  /** Counted up to {@link countedSubmissions}. null: the caller may not read submissions. */
  newSubmissions: number | null
  lastReceivedAt: Date | null
}

const columns = [
  'id',
  'key',
  'name',
  'enabled',
  'fields',
  'origins',
  'thanks_url as thanksUrl',
  'thanks_message as thanksMessage',
  'retention_days as retentionDays',
  'notification',
  'reply',
  'version',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'deleted_at as deletedAt',
] as const

const newSubmissions = sql<number | null>`(SELECT count(*)::int FROM (SELECT FROM form_submission s
  WHERE s.space_id = form.space_id AND s.form_id = form.id AND s.state = 'new' AND s.deleted_at IS NULL
  LIMIT ${sql.lit(countedSubmissions)}) counted)`
const lastReceivedAt = sql<Date | null>`(SELECT s.received_at FROM form_submission s
  WHERE s.space_id = form.space_id AND s.form_id = form.id ORDER BY s.received_at DESC LIMIT 1)`
const nothing = sql`NULL` as RawBuilder<null>

/** Whether the caller may read submissions. */
interface Reading {
  readsSubmissions: boolean
}

const listed = (db: Db, { spaceId }: SpaceScope, { readsSubmissions }: Reading) =>
  db
    .selectFrom('form')
    .select(columns)
    .select((readsSubmissions ? newSubmissions : nothing).as('newSubmissions'))
    .select((readsSubmissions ? lastReceivedAt : nothing).as('lastReceivedAt'))
    .where('space_id', '=', spaceId)
    .$castTo<ListedForm>()

/** Returns the forms of a space by name: those in the trash, or all others. */
export const listForms = (
  db: Db,
  scope: SpaceScope,
  { trash, ...reading }: Reading & { trash: boolean },
): Promise<ListedForm[]> =>
  listed(db, scope, reading)
    .where('deleted_at', trash ? 'is not' : 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute()

/** Returns a form, also one in the trash. */
export const findForm = (
  db: Db,
  scope: SpaceScope,
  id: string,
  reading: Reading,
): Promise<ListedForm | undefined> => listed(db, scope, reading).where('id', '=', id).executeTakeFirst()

/** Returns a form, also one in the trash, and locks its row. */
export const lockForm = (db: Db, { spaceId }: SpaceScope, id: string): Promise<FormRow | undefined> =>
  db
    .selectFrom('form')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$castTo<FormRow>()
    .executeTakeFirst()

/** Returns the number of forms of a space, including those in the trash. */
export async function countForms(db: Db, { spaceId }: SpaceScope): Promise<number> {
  const { count } = await db
    .selectFrom('form')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  return count
}

export type FormValues = Pick<
  FormRow,
  | 'name'
  | 'enabled'
  | 'fields'
  | 'origins'
  | 'thanksUrl'
  | 'thanksMessage'
  | 'retentionDays'
  | 'notification'
  | 'reply'
>

const stored = (values: FormValues) => ({
  name: values.name,
  enabled: values.enabled,
  fields: storedJson(values.fields),
  origins: values.origins,
  thanks_url: values.thanksUrl,
  thanks_message: storedJson(values.thanksMessage),
  retention_days: values.retentionDays,
  notification: storedJson(values.notification),
  reply: storedJson(values.reply),
})

/** Inserts a form. Returns false without an effect if a form of the space already has the key. */
export async function insertForm(
  db: Db,
  { spaceId }: SpaceScope,
  { id, key, ...values }: FormValues & Pick<FormRow, 'id' | 'key'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('form')
    .values({ space_id: spaceId, id, key, ...stored(values) })
    .onConflict((conflict) => conflict.columns(['space_id', 'key']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateForm(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  values: FormValues,
): Promise<void> {
  await db
    .updateTable('form')
    .set({ ...stored(values), updated_at: sql`now()`, version: sql`version + 1` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Moves a form to the trash, or restores it. */
export async function setFormTrashed(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  trashed: boolean,
): Promise<void> {
  await db
    .updateTable('form')
    .set({ deleted_at: trashed ? sql`now()` : null })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}
