import { sql } from 'kysely'
import { isOpenInvitation } from '#server/access/invitation-codes.ts'
import { whoIs } from '#server/access/known-as.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { ssoIsReady } from '#server/features/security/security.service.ts'
import { newId } from '#server/lib/ids.ts'

/** An invitation as shown to managers of members. */
export interface InvitationRow {
  id: string
  email: string | null
  role: string
  /** The name of a custom role; empty for a built-in role. */
  roleName: string
  appId: number | null
  appUid: string | null
  appName: string | null
  appRole: string | null
  appRoleName: string
  useSSO: boolean
  maximumUses: number | null
  uses: number
  memberId: string
  memberName: string
  createdAt: Date
  sentAt: Date
  expiresAt: Date
}

/**
 * The space role that an invitation assigns. For a member that a directory created (`claimed`), this is the member's
 * current role, because groups may have changed it since the invitation.
 */
const invitationRole = sql<string>`coalesce(claimed.role, invitation.role)`

const rows = (db: Db, { spaceId }: SpaceScope) =>
  db
    .selectFrom('invitation')
    .innerJoin('space_member as inviter', (join) =>
      join
        .onRef('inviter.space_id', '=', 'invitation.space_id')
        .onRef('inviter.id', '=', 'invitation.member_id'),
    )
    .innerJoin('account', 'account.id', 'inviter.account_id')
    .leftJoin('app', (join) =>
      join
        .onRef('app.space_id', '=', 'invitation.space_id')
        .onRef('app.id', '=', 'invitation.app_id')
        .on('app.deleted_at', 'is', null),
    )
    .leftJoin('space_member as claimed', (join) =>
      join
        .onRef('claimed.space_id', '=', 'invitation.space_id')
        .onRef('claimed.id', '=', 'invitation.provisioned'),
    )
    .leftJoin('role', (join) =>
      join
        .on('role.target', '=', 'project')
        .on('role.uid', '=', invitationRole)
        .onRef('role.space_id', '=', 'invitation.space_id'),
    )
    .leftJoin('role as app_role', (join) =>
      join
        .on('app_role.target', '=', 'app')
        .onRef('app_role.uid', '=', 'invitation.app_role')
        .onRef('app_role.space_id', '=', 'invitation.space_id')
        .onRef('app_role.app_id', '=', 'invitation.app_id'),
    )
    .select([
      'invitation.id',
      'invitation.email',
      invitationRole.as('role'),
      sql<string>`coalesce(role.name, '')`.as('roleName'),
      'invitation.app_id as appId',
      'app.uid as appUid',
      'app.name as appName',
      'invitation.app_role as appRole',
      sql<string>`coalesce(app_role.name, '')`.as('appRoleName'),
      'invitation.use_sso as useSSO',
      'invitation.maximum_uses as maximumUses',
      'invitation.uses',
      'invitation.member_id as memberId',
      sql<string>`CASE WHEN invitation.provisioned = invitation.member_id THEN 'SCIM'
        ELSE coalesce(nullif(account.name, ''), account.email) END`.as('memberName'),
      'invitation.created_at as createdAt',
      'invitation.sent_at as sentAt',
      'invitation.expires_at as expiresAt',
    ])
    .where('invitation.space_id', '=', spaceId)
    .where('invitation.revoked_at', 'is', null)
    // Invitations to deleted apps are not listed.
    .where((where) => where.or([where('invitation.app_id', 'is', null), where('app.id', 'is not', null)]))
    .where(sql<boolean>`(invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses)`)

/**
 * Returns open invitations, and expired ones that were not used up, newest first. `appId`: only invitations to this
 * app; null: all.
 */
export function listInvitations(
  db: Db,
  scope: SpaceScope,
  { appId, limit }: { appId: number | null; limit: number },
): Promise<InvitationRow[]> {
  const all = rows(db, scope).orderBy('invitation.created_at', 'desc').orderBy('invitation.id').limit(limit)
  return (appId === null ? all : all.where('invitation.app_id', '=', appId)).execute()
}

export async function findInvitation(
  db: Db,
  scope: SpaceScope,
  { id, appId }: { id: string; appId: number | null },
): Promise<InvitationRow | null> {
  const found = rows(db, scope).where('invitation.id', '=', id)
  return (
    (await (appId === null ? found : found.where('invitation.app_id', '=', appId)).executeTakeFirst()) ?? null
  )
}

export interface NewInvitation {
  codeHash: Buffer
  /** The email address, and its normalised form for comparison; null for a link. */
  address: { email: string; key: string } | null
  role: string
  app: { id: number; role: string } | null
  useSSO: boolean
  maximumUses: number | null
  memberId: string
  /** The member that a directory created and that the invited person claims. */
  provisioned?: string
  days: number
}

const inDays = (days: number) => sql<Date>`now() + make_interval(days => ${days})`

/** Inserts an invitation and returns its id. */
export async function insertInvitation(
  db: Db,
  { spaceId }: SpaceScope,
  { codeHash, address, role, app, useSSO, maximumUses, memberId, provisioned, days }: NewInvitation,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('invitation')
    .values({
      space_id: spaceId,
      id,
      code_hash: codeHash,
      email: address?.email ?? null,
      email_key: address?.key ?? null,
      role,
      app_id: app?.id ?? null,
      app_role: app?.role ?? null,
      use_sso: useSSO,
      maximum_uses: maximumUses,
      member_id: memberId,
      provisioned: provisioned ?? null,
      expires_at: inDays(days),
    })
    .execute()
  return id
}

/**
 * Renews an invitation with a new code, a new expiry and a new inviter. Users who accepted the former code may use the
 * new one.
 */
export async function renewInvitation(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { codeHash, memberId, days }: Pick<NewInvitation, 'codeHash' | 'memberId' | 'days'>,
): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ code_hash: codeHash, member_id: memberId, sent_at: sql`now()`, expires_at: inDays(days) })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
  await db
    .deleteFrom('invitation_taking')
    .where('space_id', '=', spaceId)
    .where('invitation_id', '=', id)
    .execute()
}

/** Revokes an invitation. Returns false if no unrevoked invitation has this id. */
export async function revokeInvitation(
  db: Db,
  { spaceId }: SpaceScope,
  { id, appId }: { id: string; appId: number | null },
): Promise<boolean> {
  const of = db
    .updateTable('invitation')
    .set({ revoked_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
  const row = await (appId === null ? of : of.where('app_id', '=', appId)).executeTakeFirst()
  return row !== undefined
}

/** Revokes earlier invitations to this email address, for the same app or for the space alone. */
export async function revokeEarlier(
  db: Db,
  { spaceId }: SpaceScope,
  emailKey: string,
  appId: number | null,
): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ revoked_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('email_key', '=', emailKey)
    .where(sql<boolean>`app_id IS NOT DISTINCT FROM ${appId}::int`)
    .where('revoked_at', 'is', null)
    .execute()
}

export async function revokeOfProvisioned(db: Db, { spaceId }: SpaceScope, memberId: string): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ revoked_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('provisioned', '=', memberId)
    .where('revoked_at', 'is', null)
    .execute()
}

export async function countOpen(db: Db, { spaceId }: SpaceScope): Promise<number> {
  const row = await db
    .selectFrom('invitation')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('space_id', '=', spaceId)
    .where(isOpenInvitation)
    .executeTakeFirstOrThrow()
  return row.total
}

/**
 * An invitation found by the hash of its code, outside any space. `isOpen`: false if it is revoked, expired or used up.
 */
export interface FoundInvitation {
  id: string
  spaceId: number
  spaceUid: string
  spaceName: string
  memberId: string
  /** The member that a directory created and that the invited person claims, if any. */
  provisioned: string | null
  /** Display name of the inviter. null: the inviter has none, or is a directory. */
  inviter: string | null
  email: string | null
  role: string
  roleName: string
  app: { id: number; uid: string; name: string } | null
  /** Whether the invitation was for an app that has been deleted. */
  appIsGone: boolean
  appRole: string | null
  appRoleName: string
  /** Time of creation or of the last renewal. */
  sentAt: Date
  expiresAt: Date
  isOpen: boolean
  /** Whether the invitation has been accepted as often as allowed. */
  isUsed: boolean
  /** Whether the invitation can be accepted only by the space's SSO. */
  bySso: boolean
  /** Whether members can currently sign in by the space's SSO. */
  ssoIsSetUp: boolean
}

export async function findByCode(db: Db, codeHash: Buffer): Promise<FoundInvitation | null> {
  const { rows: found } = await sql<FoundInvitation>`
    SELECT invitation.id, space.id AS "spaceId", space.uid AS "spaceUid", space.name AS "spaceName",
      invitation.member_id AS "memberId", invitation.provisioned,
      CASE WHEN invitation.provisioned IS DISTINCT FROM invitation.member_id
        THEN nullif(account.name, '') END AS inviter,
      invitation.email, ${invitationRole} AS role, coalesce(role.name, '') AS "roleName",
      CASE WHEN app.id IS NULL THEN NULL
        ELSE jsonb_build_object('id', app.id, 'uid', app.uid, 'name', app.name) END AS app,
      invitation.app_id IS NOT NULL AND app.id IS NULL AS "appIsGone",
      invitation.app_role AS "appRole", coalesce(app_role.name, '') AS "appRoleName", invitation.sent_at AS "sentAt",
      invitation.expires_at AS "expiresAt", ${isOpenInvitation} AS "isOpen",
      coalesce(invitation.uses >= invitation.maximum_uses, false) AS "isUsed",
      invitation.use_sso AS "bySso", ${ssoIsReady(sql`invitation.space_id`)} AS "ssoIsSetUp"
    FROM invitation
    JOIN space ON space.id = invitation.space_id AND space.deleted_at IS NULL
    JOIN space_member ON space_member.space_id = invitation.space_id AND space_member.id = invitation.member_id
    JOIN account ON account.id = space_member.account_id
    LEFT JOIN app ON app.space_id = invitation.space_id AND app.id = invitation.app_id AND app.deleted_at IS NULL
    LEFT JOIN role AS app_role ON app_role.target = 'app' AND app_role.uid = invitation.app_role
      AND app_role.space_id = invitation.space_id AND app_role.app_id = invitation.app_id
    LEFT JOIN space_member AS claimed ON claimed.space_id = invitation.space_id
      AND claimed.id = invitation.provisioned
    LEFT JOIN role ON role.target = 'project' AND role.uid = ${invitationRole}
      AND role.space_id = invitation.space_id
    WHERE invitation.code_hash = ${codeHash}`.execute(db)
  return found[0] ?? null
}

/**
 * Records the account that accepts. Returns false if the invitation was accepted before by this account, or by an
 * account that shares a current or former address or an identity with it. Requires a transaction that has entered the
 * space (`enterSpace`).
 */
export async function takeOnce(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  accountId: string,
): Promise<boolean> {
  const { rows: taken } = await sql`
    WITH taker AS (SELECT unnest(${whoIs}) AS who FROM account WHERE account.id = ${accountId})
    INSERT INTO invitation_taking (space_id, invitation_id, who)
    SELECT ${spaceId}, ${id}, who FROM taker
    WHERE NOT EXISTS (SELECT FROM invitation_taking JOIN taker USING (who)
      WHERE space_id = ${spaceId} AND invitation_id = ${id})
    RETURNING who`.execute(db)
  return taken.length > 0
}

/**
 * Counts a use of the invitation. Returns false if the invitation is no longer open. Requires a transaction that has
 * entered the space (`enterSpace`).
 */
export async function takeUse(db: Db, { spaceId }: SpaceScope, id: string): Promise<boolean> {
  const row = await db
    .updateTable('invitation')
    .set({ uses: sql`uses + 1` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where(isOpenInvitation)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the account of the inviter. undefined: the inviter is no longer a member. */
export function findInviter(tx: Db, { spaceId, memberId }: Pick<FoundInvitation, 'spaceId' | 'memberId'>) {
  return tx
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['account.id', 'account.name', 'account.email', 'account.language'])
    .where('space_member.space_id', '=', spaceId)
    .where('space_member.id', '=', memberId)
    .executeTakeFirst()
}
