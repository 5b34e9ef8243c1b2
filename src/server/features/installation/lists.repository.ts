import { type SelectQueryBuilder, sql } from 'kysely'
import { rightsOf } from '#server/access/grants.ts'
import type { Db } from '#server/db/scope.ts'
import { searchPattern } from '#server/db/search-pattern.ts'
import type { InstallationListQuery, ListedAccount, ListedSpace } from '#shared/contract/installation.ts'
import { allRights } from '#shared/permissions.ts'

/*
 * Lists over all spaces for admins of the installation. They run outside spaces, as the owner of the tables. Counts per
 * space or account are computed only for the rows of a page (docs/decisions/0120).
 */

type SpaceRow = Omit<ListedSpace, 'createdAt'> & { createdAt: Date }
type AccountRow = Omit<ListedAccount, 'createdAt' | 'lastSeenAt'> & {
  createdAt: Date
  lastSeenAt: Date | null
}

/** Maximum number of admins shown for a space. */
const maxAdmins = 3

/** SQL condition: the row of `space_member` has all rights, and its account is not provisioned. */
const isAdmin = sql<boolean>`${rightsOf('space_member')} @> ${allRights}::text[]
      AND NOT EXISTS (SELECT FROM account WHERE account.id = space_member.account_id AND provisioned_by IS NOT NULL)`

const adminsOfPage = sql<SpaceRow['admins']>`(
    SELECT coalesce(jsonb_agg(jsonb_build_object('name', admin.name, 'email', admin.email) ORDER BY admin.created_at, admin.id), '[]')
    FROM (SELECT account.name, account.email, space_member.created_at, space_member.id FROM space_member
      JOIN account ON account.id = space_member.account_id
      WHERE space_member.space_id = page.id AND ${isAdmin}
      ORDER BY space_member.created_at, space_member.id LIMIT ${maxAdmins}) AS admin)`

/** Returns a page of the spaces that are not deleted, and the number of matches. */
export async function listSpaces(
  db: Db,
  { search = '', sort, skip, limit }: InstallationListQuery,
): Promise<{ spaces: SpaceRow[]; total: number }> {
  let matching = db.selectFrom('space').where('deleted_at', 'is', null)
  if (search.trim() !== '') {
    const pattern = searchPattern(search)
    matching = matching.where(
      sql<boolean>`(fold_kana(lower(normalize(name, NFKC))) LIKE ${pattern} OR lower(uid) LIKE ${pattern})`,
    )
  }
  const order = sort === 'name' ? sql`lower(name), id` : sql`created_at DESC, id DESC`
  const page = matching.selectAll().orderBy(order).offset(skip).limit(limit)
  const spaces = await db
    .selectFrom(page.as('page'))
    .select(['page.uid', 'page.name', 'page.created_at as createdAt'])
    .select(
      sql<number>`(SELECT count(*) FROM space_member WHERE space_member.space_id = page.id)`.as(
        'memberCount',
      ),
    )
    .select(adminsOfPage.as('admins'))
    .select(
      sql<number>`(SELECT count(*) FROM space_member WHERE space_member.space_id = page.id AND ${isAdmin})`.as(
        'adminCount',
      ),
    )
    .select(
      sql<number>`(SELECT count(*) FROM app WHERE app.space_id = page.id AND app.deleted_at IS NULL)`.as(
        'appCount',
      ),
    )
    .select(documentsOfPage.as('documentCount'))
    .select(bytesOfPage.as('fileBytes'))
    .orderBy(order)
    .execute()
  return { spaces, total: await countOf(matching) }
}

const documentsOfPage = sql<number>`(SELECT coalesce(sum(documents), 0)::bigint FROM app
      JOIN model ON model.space_id = app.space_id AND model.app_id = app.id AND model.deleted_at IS NULL
      JOIN model_stat ON model_stat.model_id = model.id
      WHERE app.space_id = page.id AND app.deleted_at IS NULL)`

/** Two sums, because each uses its own index. One sum over both would read all rows. */
const bytesOfPage = sql<number>`((SELECT coalesce(sum(size), 0) FROM asset WHERE asset.space_id = page.id AND asset.deleted_at IS NULL)
      + (SELECT coalesce(sum(size), 0) FROM asset WHERE asset.space_id = page.id AND asset.deleted_at IS NOT NULL))::bigint`

/** Returns a page of the accounts, and the number of matches. */
export async function listAccounts(
  db: Db,
  { search = '', sort, skip, limit }: InstallationListQuery,
): Promise<{ accounts: AccountRow[]; total: number }> {
  // A provisioned account that no person has claimed exists only as a member of the directory's space. It is not listed
  // if that space is deleted.
  let matching = db
    .selectFrom('account')
    .where(
      sql<boolean>`(provisioned_by IS NULL OR provisioned_by IN (SELECT id FROM space WHERE deleted_at IS NULL))`,
    )
  if (search.trim() !== '') matching = matching.where('search_text', 'like', searchPattern(search))
  const order =
    sort === 'name' ? sql`lower(coalesce(nullif(name, ''), email)), id` : sql`created_at DESC, id DESC`
  const page = matching.selectAll().orderBy(order).offset(skip).limit(limit)
  const accounts = await db
    .selectFrom(page.as('page'))
    .select(['page.id as _id', 'page.email', 'page.name', 'page.is_admin as isAdmin'])
    .select('page.created_at as createdAt')
    .select(sql<boolean>`page.email_verified_at IS NOT NULL`.as('emailVerified'))
    .select(sql<boolean>`page.provisioned_by IS NOT NULL`.as('provisioned'))
    .select(sql<boolean>`has_second_factor(page.id)`.as('hasSecondFactor'))
    .select(
      sql<number>`(SELECT count(*) FROM space_member JOIN space ON space.id = space_member.space_id
      WHERE space_member.account_id = page.id AND space.deleted_at IS NULL)`.as('spaceCount'),
    )
    .select(
      sql<Date | null>`CASE WHEN page.provisioned_by IS NULL THEN greatest(
      (SELECT max(last_seen_at) FROM session WHERE session.account_id = page.id),
      (SELECT max(last_seen_at) FROM space_member WHERE space_member.account_id = page.id)) END`.as(
        'lastSeenAt',
      ),
    )
    .orderBy(order)
    .execute()
  return { accounts, total: await countOf(matching) }
}

async function countOf<DB, Table extends keyof DB, Row>(
  matching: SelectQueryBuilder<DB, Table, Row>,
): Promise<number> {
  const { total } = await matching
    .select((select) => select.fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow()
  return total
}
