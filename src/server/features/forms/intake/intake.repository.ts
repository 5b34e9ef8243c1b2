import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import type { FormField, LocalizedText } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'

/** The part of the address of a form that identifies it. */
export interface FormKey {
  /** `uid` of the space in lower case. */
  space: string
  /** The public id. */
  form: string
}

/** A form that is not in the trash, with the settings that submissions need. */
export interface IntakeForm {
  scope: SpaceScope
  id: string
  name: string
  enabled: boolean
  fields: FormField[]
  origins: string[]
  thanksUrl: string | null
  thanksMessage: LocalizedText
}

/** The fields of a form that were read before, by {@link keyOf}. */
export type KnownFields = LRUCache<string, { id: string; version: number; fields: FormField[] }>

/** Creates a cache of fields, limited by the length of their JSON. */
export const createKnownFields = (): KnownFields =>
  new LRUCache({ maxSize: 20_000_000, sizeCalculation: ({ fields }) => 100 + JSON.stringify(fields).length })

interface FormRow extends Omit<IntakeForm, 'scope' | 'fields'> {
  spaceId: number
  space: string
  form: string
  version: number
  /** null: the fields are the known ones. */
  fields: FormField[] | null
}

type Wanted = Record<'spaces' | 'forms' | 'ids', string[]> & { versions: number[] }

const selectForms = compileOnce((db, { spaces, forms, ids, versions }: Placeholders<Wanted>) =>
  sql<FormRow>`
    SELECT wanted.space, wanted.form, form.space_id AS "spaceId", form.id, form.name, form.enabled, form.version,
      CASE WHEN (form.id, form.version) <> (wanted.id, wanted.version) THEN form.fields END AS fields,
      form.origins, form.thanks_url AS "thanksUrl", form.thanks_message AS "thanksMessage"
    FROM unnest(${spaces}::text[], ${forms}::text[], ${ids}::text[], ${versions}::int[])
      AS wanted (space, form, id, version)
    JOIN space ON lower(space.uid) = wanted.space AND space.deleted_at IS NULL
    JOIN form ON form.space_id = space.id AND form.key = wanted.form AND form.deleted_at IS NULL`.compile(db),
)

/** Returns a key of {@link findForms}. */
export const keyOf = ({ space, form }: FormKey) => `${space} ${form}`

/**
 * Returns the forms that exist and are not in the trash, by {@link keyOf}. Reads several spaces. Fields are read only
 * if their version is not in `known`, because they can be large.
 */
export async function findForms(
  db: Db,
  wanted: FormKey[],
  known: KnownFields,
): Promise<Map<string, IntakeForm>> {
  const keys = [...new Map(wanted.map((key) => [keyOf(key), key])).values()]
  const cached = keys.map((key) => known.get(keyOf(key)))
  const rows = await selectForms(db, {
    spaces: keys.map(({ space }) => space),
    forms: keys.map(({ form }) => form),
    ids: cached.map((one) => one?.id ?? ''),
    versions: cached.map((one) => one?.version ?? 0),
  })
  const fieldsOf = new Map(keys.map((key, index) => [keyOf(key), cached[index]?.fields ?? []]))
  return new Map(
    rows.map(({ spaceId, space, form, version, fields, ...rest }) => {
      const key = keyOf({ space, form })
      if (fields) known.set(key, { id: rest.id, version, fields })
      return [key, { ...rest, fields: fields ?? fieldsOf.get(key) ?? [], scope: spaceScope(spaceId) }]
    }),
  )
}

/** A submission without files, ready to be stored. */
export interface NewSubmission {
  id: string
  formId: string
  /** JSON text of `SubmittedValue[]`. */
  values: string
  email: string | null
  page: string | null
  language: Language
}

type Columns = {
  spaceId: number
  fileCount: number
  mails: boolean
} & Record<'ids' | 'forms' | 'values' | 'languages', string[]> &
  Record<'emails' | 'pages', (string | null)[]>

const insertRows = compileOnce(
  (db, { spaceId, fileCount, mails, ids, forms, values, emails, pages, languages }: Placeholders<Columns>) =>
    sql<{ id: string; formId: string; awaitsMails: boolean }>`
    INSERT INTO form_submission (space_id, id, form_id, "values", email, page, language, file_count,
      awaits_notification, awaits_reply)
    SELECT form.space_id, sent.id, form.id, sent.value::json, sent.email, sent.page, sent.language, ${fileCount}::int,
      ${mails}::bool AND form.notification->'to' <> '[]',
      ${mails}::bool AND sent.email IS NOT NULL AND (form.reply->>'enabled')::bool
    FROM unnest(${ids}::text[], ${forms}::text[], ${values}::text[], ${emails}::text[], ${pages}::text[],
      ${languages}::text[]) AS sent (id, form, value, email, page, language)
    JOIN form ON form.space_id = ${spaceId}::int AND form.id = sent.form AND form.enabled AND form.deleted_at IS NULL
    ON CONFLICT (space_id, id) DO NOTHING
    RETURNING id, form_id AS "formId", awaits_notification OR awaits_reply AS "awaitsMails"`.compile(db),
)

/**
 * Inserts submissions of a space whose forms still accept them. `mails`: whether they wait for the mails of their
 * forms. Returns the ids that are stored, including ids that an earlier attempt has stored, and the forms whose mails
 * must be sent.
 */
export async function insertSubmissions(
  db: Db,
  { spaceId }: SpaceScope,
  submissions: NewSubmission[],
  { mails, fileCount = 0 }: { mails: boolean; fileCount?: number },
): Promise<{ stored: Set<string>; mailedForms: Set<string> }> {
  const column = <Name extends keyof NewSubmission>(name: Name) => submissions.map((one) => one[name])
  const rows = await insertRows(db, {
    spaceId,
    fileCount,
    mails,
    ids: column('id'),
    forms: column('formId'),
    values: column('values'),
    emails: column('email'),
    pages: column('page'),
    languages: column('language'),
  })
  const stored = new Set(rows.map(({ id }) => id))
  const missing = column('id').filter((id) => !stored.has(id))
  if (missing.length > 0)
    for (const { id } of await db
      .selectFrom('form_submission')
      .select('id')
      .where('space_id', '=', spaceId)
      .where('id', 'in', missing)
      .execute())
      stored.add(id)
  const mailedForms = new Set(rows.filter(({ awaitsMails }) => awaitsMails).map(({ formId }) => formId))
  return { stored, mailedForms }
}

/** A stored file of a submission. */
export interface NewFile {
  id: string
  field: string
  fileName: string
  mediaType: string
  size: number
  hash: Buffer
  storage: string
  storageKey: string
}

/** Inserts the files of a submission. */
export async function insertFiles(
  db: Db,
  { spaceId }: SpaceScope,
  { id, formId }: NewSubmission,
  files: NewFile[],
): Promise<void> {
  await db
    .insertInto('form_file')
    .values(
      files.map((file) => ({
        space_id: spaceId,
        id: file.id,
        form_id: formId,
        submission_id: id,
        field: file.field,
        file_name: file.fileName,
        media_type: file.mediaType,
        size: file.size,
        hash: file.hash,
        storage: file.storage,
        storage_key: file.storageKey,
      })),
    )
    .execute()
}

/** Lets only one transaction at a time add files to a form. */
export async function lockFilesOf(db: Db, { spaceId }: SpaceScope, formId: string): Promise<void> {
  await db
    .selectFrom('form')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', '=', formId)
    .forNoKeyUpdate()
    .execute()
}

/** Returns the number and bytes of the files that a form has accepted in the last 24 hours and that are not deleted. */
export async function sumFilesOfDay(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
): Promise<{ files: number; bytes: number }> {
  const { rows } = await sql<{ files: number; bytes: number }>`
    SELECT count(*)::int AS files, coalesce(sum(size), 0)::bigint AS bytes FROM form_file
    WHERE space_id = ${spaceId} AND form_id = ${formId} AND created_at > now() - interval '1 day'`.execute(db)
  return rows[0] ?? { files: 0, bytes: 0 }
}
