import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { TokenTable } from '#server/db/tables.ts'

export type TokenKind = TokenTable['kind']

/** A token without its hash. */
export interface TokenRow {
  id: string
  name: string
  last4: string
  /** null: every app of the space. Empty list: no access. */
  appIds: number[] | null
  writes: boolean
  createdAt: Date
  createdBy: { _id: string; name: string | null; isMember: boolean } | null
  lastUsedAt: Date | null
  /** null: does not expire. */
  expiresAt: Date | null
}

const tokensOf = (db: Db, { spaceId }: SpaceScope, kind: TokenKind) =>
  db
    .selectFrom('token')
    .leftJoin('account', 'account.id', 'token.created_by')
    .leftJoin('space_member', (join) =>
      join
        .onRef('space_member.space_id', '=', 'token.space_id')
        .onRef('space_member.account_id', '=', 'token.created_by'),
    )
    .select([
      'token.id',
      'token.name',
      'last4',
      'app_ids as appIds',
      'token.writes',
      'token.created_at as createdAt',
    ])
    .select(['token.last_used_at as lastUsedAt', 'expires_at as expiresAt'])
    .select(
      sql<TokenRow['createdBy']>`CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
        '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email),
        'isMember', space_member.id IS NOT NULL) END`.as('createdBy'),
    )
    .where('token.space_id', '=', spaceId)
    .where('kind', '=', kind)

/** Returns the tokens of that kind, newest first. */
export async function listTokens(db: Db, scope: SpaceScope, kind: TokenKind): Promise<TokenRow[]> {
  return tokensOf(db, scope, kind).orderBy('token.created_at', 'desc').orderBy('token.id', 'desc').execute()
}

export async function insertToken(
  db: Db,
  scope: SpaceScope,
  token: {
    id: string
    kind: TokenKind
    name: string
    valueHash: Buffer
    last4: string
    appIds: number[] | null
    writes: boolean
    expiresAt: Date | null
    createdBy: string | null
  },
): Promise<TokenRow> {
  await db
    .insertInto('token')
    .values({
      space_id: scope.spaceId,
      id: token.id,
      kind: token.kind,
      name: token.name,
      value_hash: token.valueHash,
      last4: token.last4,
      app_ids: token.appIds,
      writes: token.writes,
      expires_at: token.expiresAt,
      created_by: token.createdBy,
    })
    .execute()
  return tokensOf(db, scope, token.kind).where('token.id', '=', token.id).executeTakeFirstOrThrow()
}

/** Updates a token; omitted properties stay. Returns null if the space has no such token of that kind. */
export async function updateToken(
  db: Db,
  scope: SpaceScope,
  kind: TokenKind,
  id: string,
  changes: {
    name?: string
    appIds?: number[] | null
    writes?: boolean
    expiresAt?: Date | null
    /** A new value, with the account that created it. */
    value?: { hash: Buffer; last4: string; createdBy: string | null }
  },
): Promise<TokenRow | null> {
  const { name, appIds, writes, expiresAt, value } = changes
  await db
    .updateTable('token')
    .set({
      id,
      ...(name === undefined ? {} : { name }),
      ...(appIds === undefined ? {} : { app_ids: appIds }),
      ...(writes === undefined ? {} : { writes }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(value === undefined
        ? {}
        : {
            value_hash: value.hash,
            last4: value.last4,
            last_used_at: null,
            created_by: value.createdBy,
          }),
    })
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
  return (await tokensOf(db, scope, kind).where('token.id', '=', id).executeTakeFirst()) ?? null
}

/** Returns the token and locks it for a change. null: the space has no such token of that kind. */
export async function lockToken(
  db: Db,
  scope: SpaceScope,
  kind: TokenKind,
  id: string,
): Promise<TokenRow | null> {
  const found = tokensOf(db, scope, kind).where('token.id', '=', id).forUpdate('token')
  return (await found.executeTakeFirst()) ?? null
}

export async function deleteToken(db: Db, scope: SpaceScope, kind: TokenKind, id: string): Promise<void> {
  await db
    .deleteFrom('token')
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}
