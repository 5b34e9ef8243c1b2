import { type Selectable, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { SsoConnectionTable } from '#server/db/tables.ts'

export interface SamlSettings {
  entityId: string
  signInUrl: string
  /** In PEM format. */
  certificates: string[]
  idpInitiated: boolean
  /** Name of the attribute that contains groups. */
  groupsName: string
}
export interface OidcSettings {
  issuer: string
  clientId: string
  /** Requested in addition to the standard scopes. */
  scopes: string[]
  /** Name of the claim that contains groups. */
  groupsName: string
}

/**
 * The connection of a space. `kind` is the protocol that users sign in with. The settings of the other protocol are
 * kept. `secret` is the client secret of OpenID Connect, encrypted.
 */
export interface ConnectionRow {
  id: string
  spaceId: number
  kind: 'saml' | 'oidc'
  saml: SamlSettings
  oidc: OidcSettings
  secret: string | null
  provisions: boolean
  /** Whether the protocol in use has all settings that a sign-in needs. */
  isComplete: boolean
  version: number
}

const columns = [
  'space_id',
  'id',
  'kind',
  'settings',
  'secret',
  'provisions',
  'is_complete',
  'version',
] as const

type Columns = Pick<Selectable<SsoConnectionTable>, (typeof columns)[number]>

const groupsName = 'groups'
export const noSaml: SamlSettings = {
  entityId: '',
  signInUrl: '',
  certificates: [],
  idpInitiated: false,
  groupsName,
}
export const noOidc: OidcSettings = { issuer: '', clientId: '', scopes: [], groupsName }

const toRow = ({ space_id, settings, is_complete, ...row }: Columns): ConnectionRow => ({
  ...row,
  spaceId: space_id,
  saml: { ...noSaml, ...settings.saml },
  oidc: { ...noOidc, ...settings.oidc },
  isComplete: is_complete,
})

export async function findConnection(db: Db, { spaceId }: SpaceScope): Promise<ConnectionRow | null> {
  const row = await db
    .selectFrom('sso_connection')
    .select(columns)
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row ? toRow(row) : null
}

/** Saves the settings as the next version of the connection. */
export async function saveConnection(
  db: Db,
  { spaceId }: SpaceScope,
  { id, kind, saml, oidc, ...row }: Omit<ConnectionRow, 'spaceId' | 'version'>,
): Promise<ConnectionRow> {
  const values = {
    kind,
    settings: JSON.stringify({ saml, oidc }),
    secret: row.secret,
    provisions: row.provisions,
    is_complete: row.isComplete,
  }
  const saved = await db
    .insertInto('sso_connection')
    .values({ space_id: spaceId, id, ...values })
    .onConflict((conflict) =>
      conflict
        .column('space_id')
        .doUpdateSet({ ...values, version: sql`sso_connection.version + 1`, updated_at: sql`now()` }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toRow(saved)
}

/**
 * Deletes the connection with its identities, sessions and pending sign-ins. Its domains stay proven for the next
 * connection.
 */
export async function deleteConnection(db: Db, { spaceId }: SpaceScope): Promise<void> {
  await db.deleteFrom('sso_connection').where('space_id', '=', spaceId).execute()
}

/** A complete connection with the uid and name of its space, which is not deleted. */
export interface OpenConnection extends ConnectionRow {
  /** The proven domains. */
  domains: string[]
  spaceUid: string
  spaceName: string
  /** Key of the billing plan of the space. */
  plan: string
}

const open = (db: Db) =>
  db
    .selectFrom('sso_connection')
    .innerJoin('space', 'space.id', 'sso_connection.space_id')
    .select(['sso_connection.space_id', 'sso_connection.id', 'kind', 'settings', 'secret'])
    .select(
      sql<string[]>`ARRAY(SELECT domain FROM sso_domain
        WHERE sso_domain.space_id = sso_connection.space_id AND proof IS NOT NULL)`.as('domains'),
    )
    .select(['provisions', 'is_complete', 'sso_connection.version'])
    .select(['space.uid as spaceUid', 'space.name as spaceName', 'space.plan'])
    .where('space.deleted_at', 'is', null)
    .where('is_complete', '=', true)

const toOpen = ({
  spaceUid,
  spaceName,
  plan,
  domains,
  ...row
}: Columns & Pick<OpenConnection, 'spaceUid' | 'spaceName' | 'plan' | 'domains'>) => ({
  ...toRow(row),
  domains,
  spaceUid,
  spaceName,
  plan,
})

export async function findOpenById(db: Db, id: string): Promise<OpenConnection | null> {
  const row = await open(db).where('sso_connection.id', '=', id).executeTakeFirst()
  return row ? toOpen(row) : null
}

export async function findOpenBySpace(db: Db, uid: string): Promise<OpenConnection | null> {
  const row = await open(db).where(sql`lower(space.uid)`, '=', uid.toLowerCase()).executeTakeFirst()
  return row ? toOpen(row) : null
}

/** Returns the complete connections with this proven domain: at most two, which is enough to detect ambiguity. */
export async function findOpenByDomain(db: Db, domain: string): Promise<OpenConnection[]> {
  const rows = await open(db)
    .innerJoin('sso_domain', 'sso_domain.space_id', 'sso_connection.space_id')
    .where('sso_domain.domain', '=', domain)
    .where('sso_domain.proof', 'is not', null)
    .limit(2)
    .execute()
  return rows.map(toOpen)
}

/** Returns whether a connection with this id exists, complete or not. */
export async function hasConnection(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('sso_connection').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
