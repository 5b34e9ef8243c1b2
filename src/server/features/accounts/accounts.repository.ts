import { sql } from 'kysely'
import type { AccountRow } from '#server/access/account.ts'
import type { Db, Tx } from '#server/db/scope.ts'
import type { AccountIconTable, AccountTable } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { Language } from '#shared/languages.ts'

const columns = [
  'id',
  'email',
  'name',
  'is_admin',
  'language',
  'color_scheme',
  'icon_id',
  'email_verified_at',
] as const

type Columns = {
  id: string
  email: string
  name: string
  is_admin: boolean
  language: Language
  color_scheme: AccountRow['colorScheme']
  icon_id: string | null
  email_verified_at: Date | null
}

const toAccount = (row: Columns): AccountRow => ({
  id: row.id,
  email: row.email,
  name: row.name,
  isAdmin: row.is_admin,
  emailVerified: row.email_verified_at !== null,
  language: row.language,
  colorScheme: row.color_scheme,
  iconId: row.icon_id,
})

/** An arbitrary key of the advisory lock that all sign-ups take. */
const signupLock = 7_370_001

/**
 * Adds an account. The first account of the installation becomes its admin; sign-ups are serialised so that there is
 * only one first account. Throws `EmailIsAlreadyInUse`.
 */
export async function insertAccount(
  tx: Tx,
  account: Pick<AccountTable, 'id' | 'email' | 'email_key' | 'password_hash'> & {
    name: string
    language: Language
  },
): Promise<AccountRow> {
  await sql`SELECT pg_advisory_xact_lock(${signupLock})`.execute(tx)
  const row = await tx
    .insertInto('account')
    .values({ ...account, is_admin: sql`NOT EXISTS (SELECT FROM account)` })
    .returning(columns)
    .executeTakeFirstOrThrow()
    .catch(whenTaken('account_email_key_key', 'EmailIsAlreadyInUse', 'email'))
  return toAccount(row)
}

/** Checks whether the installation has any account. */
export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function isEmailTaken(db: Db, emailKey: string): Promise<boolean> {
  const row = await db.selectFrom('account').select('id').where('email_key', '=', emailKey).executeTakeFirst()
  return row !== undefined
}

/** Returns the account with this `_id` and the key of its email address. null: no such account. */
export async function findAccount(
  db: Db,
  id: string,
): Promise<{ account: AccountRow; emailKey: string } | null> {
  const row = await db
    .selectFrom('account')
    .select([...columns, 'email_key'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? { account: toAccount(row), emailKey: row.email_key } : null
}

/** Returns the password hash of an account. null: no such account. */
export async function findPasswordHash(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom('account').select('password_hash').where('id', '=', id).executeTakeFirst()
  return row?.password_hash ?? null
}

/**
 * Returns whether the account still has this password hash. If so, locks the account until the transaction ends:
 * changes of the password, and changes that call `lockAccount`, wait.
 */
export async function holdPassword(tx: Tx, id: string, passwordHash: string | null): Promise<boolean> {
  const row = await tx
    .selectFrom('account')
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the account, so that sign-ins by password wait and then see this transaction's changes. */
export async function lockAccount(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** Returns the account with this email address and its password hash. null: no such account. */
export async function findCredentials(
  db: Db,
  emailKey: string,
): Promise<{ account: AccountRow; passwordHash: string | null } | null> {
  const row = await db
    .selectFrom('account')
    .select([...columns, 'password_hash'])
    .where('email_key', '=', emailKey)
    .executeTakeFirst()
  return row ? { account: toAccount(row), passwordHash: row.password_hash } : null
}

export async function updateAccount(
  db: Db,
  id: string,
  changes: {
    name?: string
    language?: Language
    color_scheme?: AccountRow['colorScheme']
    icon_id?: string | null
  },
): Promise<AccountRow> {
  const row = await db
    .updateTable('account')
    .set({ id, ...changes })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toAccount(row)
}

/** Sets or replaces the account's icon; null removes it. */
export async function setIcon(
  tx: Tx,
  accountId: string,
  icon: Omit<AccountIconTable, 'account_id'> | null,
): Promise<AccountRow> {
  const account = await updateAccount(tx, accountId, { icon_id: icon?.id ?? null })
  if (icon)
    await tx
      .insertInto('account_icon')
      .values({ account_id: accountId, ...icon })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(icon))
      .execute()
  else await tx.deleteFrom('account_icon').where('account_id', '=', accountId).execute()
  return account
}

/** Returns the account's icon. null: the account has no icon with this id. */
export async function findIcon(
  db: Db,
  accountId: string,
  iconId: string,
): Promise<{ mediaType: string; bytes: Buffer } | null> {
  const row = await db
    .selectFrom('account_icon')
    .select(['media_type as mediaType', 'bytes'])
    .where('account_id', '=', accountId)
    .where('id', '=', iconId)
    .executeTakeFirst()
  return row ?? null
}
