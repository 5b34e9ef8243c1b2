import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '#server/db/scope.ts'
import type { Keyring } from '#server/lib/keyring.ts'
import type { RenderedMail } from '#server/mail/mail-text.ts'
import type { Language } from '#shared/languages.ts'

/** A mail that was stored because no mail server is configured. Admins of the installation can forward its link. */
export interface KeptMail {
  id: string
  to: string
  language: Language
  subject: string
  text: string
  createdAt: Date
}

/**
 * Limits of stored mails: their number, and their age in days. Stored mails are encrypted, because they contain secret
 * links.
 */
const keep = { mails: 200, days: 7 }
const purpose = 'kept mail'
const contentSchema = z.object({ to: z.string(), subject: z.string(), text: z.string() })

/** Stores a mail under the `_id` of its job. Does nothing if it is already stored. */
export async function keepMail(
  db: Db,
  keyring: Keyring,
  { id, to, language, subject, text }: Omit<KeptMail, 'createdAt'> & RenderedMail,
): Promise<void> {
  const content = keyring.seal(JSON.stringify({ to, subject, text }), purpose)
  await db
    .insertInto('kept_mail')
    .values({ id, language, content })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await deleteOldMails(db)
}

/** Returns the stored mails, newest first, without mails whose encryption key is missing. */
export async function listKeptMails(db: Db, keyring: Keyring): Promise<KeptMail[]> {
  const rows = await db
    .selectFrom('kept_mail')
    .select(['id', 'language', 'content', 'created_at'])
    .where(sql<boolean>`created_at > now() - make_interval(days => ${keep.days})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(keep.mails)
    .execute()
  return rows.flatMap(({ id, language, content, created_at: createdAt }) => {
    const opened = keyring.open(content, purpose)
    return opened === null ? [] : [{ id, language, createdAt, ...contentSchema.parse(JSON.parse(opened)) }]
  })
}

/** Deletes a stored mail. A missing mail is no error. */
export async function deleteKeptMail(db: Db, id: string): Promise<void> {
  await db.deleteFrom('kept_mail').where('id', '=', id).execute()
}

/** Deletes mails that exceed the maximum age or number. */
export async function deleteOldMails(db: Db): Promise<void> {
  await sql`
    DELETE FROM kept_mail WHERE created_at <= now() - make_interval(days => ${keep.days})
      OR id IN (SELECT id FROM kept_mail ORDER BY created_at DESC, id DESC OFFSET ${keep.mails})`.execute(db)
}
