import { type Selectable, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { TokenTable } from '#server/db/tables.ts'

export type TokenKind = TokenTable['kind']

/** A token as it may be looked at; its hash stays in the database. */
export interface TokenRow {
  id: string
  name: string
  last4: string
  /** null: every app of the space. An empty list reads nothing. */
  appIds: number[] | null
  createdAt: Date
  lastUsedAt: Date | null
  /** null: it does not end by itself. */
  expiresAt: Date | null
}

const columns = ['id', 'name', 'last4', 'app_ids', 'created_at', 'last_used_at', 'expires_at'] as const

const toToken = (row: Pick<Selectable<TokenTable>, (typeof columns)[number]>): TokenRow => ({
  id: row.id,
  name: row.name,
  last4: row.last4,
  appIds: row.app_ids,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
})

/** The tokens of that kind, newest first. */
export async function listTokens(db: Db, scope: SpaceScope, kind: TokenKind): Promise<TokenRow[]> {
  const rows = await db
    .selectFrom('token')
    .select(columns)
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toToken)
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
    expiresAt: Date | null
    createdBy: string | null
  },
): Promise<TokenRow> {
  const row = await db
    .insertInto('token')
    .values({
      space_id: scope.spaceId,
      id: token.id,
      kind: token.kind,
      name: token.name,
      value_hash: token.valueHash,
      last4: token.last4,
      app_ids: token.appIds,
      expires_at: token.expiresAt,
      created_by: token.createdBy,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toToken(row)
}

/** Null when the space has no such token of that kind. What is left out stays as it is. */
export async function updateToken(
  db: Db,
  scope: SpaceScope,
  kind: TokenKind,
  id: string,
  changes: {
    name?: string
    appIds?: number[] | null
    expiresAt?: Date | null
    value?: { hash: Buffer; last4: string }
  },
): Promise<TokenRow | null> {
  const { name, appIds, expiresAt, value } = changes
  const row = await db
    .updateTable('token')
    .set({
      id,
      ...(name === undefined ? {} : { name }),
      ...(appIds === undefined ? {} : { app_ids: appIds }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(value === undefined ? {} : { value_hash: value.hash, last4: value.last4, last_used_at: null }),
    })
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  return row ? toToken(row) : null
}

/** The token, locked for a change; null when the space has none of that kind and id. */
export async function lockToken(
  db: Db,
  scope: SpaceScope,
  kind: TokenKind,
  id: string,
): Promise<TokenRow | null> {
  const row = await db
    .selectFrom('token')
    .select(columns)
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ? toToken(row) : null
}

export async function deleteToken(db: Db, scope: SpaceScope, kind: TokenKind, id: string): Promise<void> {
  await db
    .deleteFrom('token')
    .where('space_id', '=', scope.spaceId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}

/** Which of these apps are there. */
export async function findLiveApps(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`id = ANY(${[...ids]}::int[])`)
    .execute()
  return rows.map(({ id }) => id)
}
