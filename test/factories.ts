import { hash } from '@node-rs/argon2'
import { createSession } from '#server/access/sessions.ts'
import { cookieName } from '#server/http/browsers/cookie-jar.ts'
import { newId } from '#server/lib/ids.ts'
import type { FieldInput } from '#shared/fields/index.ts'
import { type Client, ok, type TestInstallation } from './server.ts'

/** The password of all accounts that {@link createAccount} creates. */
export const testPassword = 'ham sandwich on a rainy tuesday'
let passwordHash: Promise<string> | undefined
let counter = 0

/** Returns a name that is unique in this test file: `space-7`. */
export const unique = (prefix: string) => `${prefix}-${++counter}`

export interface TestAccount {
  id: string
  email: string
  name: string
  client: Client
}

/** Writes an account directly into the database. Returns it with a signed-in client. */
export async function createAccount(
  installation: TestInstallation,
  { email = `${unique('person')}@example.com`, name = '山田花子', isAdmin = false, verified = false } = {},
): Promise<TestAccount> {
  const db = installation.database.kysely
  // The cost is stored in the hash. A low cost makes logins of tests fast.
  passwordHash ??= hash(testPassword, { memoryCost: 64, timeCost: 1, parallelism: 1 })
  const id = newId()
  await db
    .insertInto('account')
    .values({
      id,
      email,
      email_key: email.toLowerCase(),
      name,
      is_admin: isAdmin,
      password_hash: await passwordHash,
      email_verified_at: verified ? new Date() : null,
    })
    .execute()
  return { id, email, name, client: await signIn(installation, id) }
}

/** Returns a client with a new session of this account, without hashing a password. */
export async function signIn(installation: TestInstallation, accountId: string): Promise<Client> {
  const { deps, database } = installation
  const client = installation.visitor()
  client.cookies.set(
    cookieName(deps.services.config, 'sid'),
    await createSession(database.kysely, deps.services.secrets, accountId),
  )
  await client.refreshCsrfToken()
  return client
}

/** Creates a space through the API. The account of the client becomes its admin. */
export async function createSpace(
  client: Client,
  uid = unique('space'),
): Promise<{ uid: string; url: string }> {
  ok(await client.post('/api/project', { project: { uid, name: `スペース ${uid}` } }))
  return { uid, url: `/api/project/${uid}` }
}

/** Creates an app through the API. `url`: path of the app in the management API. */
export async function createApp(
  client: Client,
  space: { url: string },
  uid = unique('app'),
): Promise<{ uid: string; url: string }> {
  ok(await client.post(`${space.url}/app`, { data: { uid, name: `アプリ ${uid}` } }))
  return { uid, url: `${space.url}/app/${uid}` }
}

/** A field in a request body before it has an `_id`, of any type with its settings. */
export type NewField = FieldInput extends infer Field
  ? Field extends FieldInput
    ? Omit<Field, '_id'>
    : never
  : never

/** Creates a model through the API, by default with a title and a body. */
export async function createModel(
  client: Client,
  app: { url: string },
  uid = unique('model'),
  fields: NewField[] = [
    { uid: 'title', name: 'タイトル', type: 'TEXT', required: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  ],
): Promise<{ uid: string; url: string; fields: { _id: string; uid: string }[] }> {
  const { model } = ok(
    await client.post(`${app.url}/model`, { data: { uid, name: `モデル ${uid}`, fields } }),
  )
  return { uid, url: `${app.url}/model/${uid}`, fields: model.fields }
}

/** Makes an account a member of a space without an invitation. Returns the member's id. */
export async function addMember(
  installation: TestInstallation,
  space: { uid: string },
  account: { id: string },
  role: string = 'pjt-Member',
): Promise<string> {
  const db = installation.database.kysely
  const id = newId()
  const { id: spaceId } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('space_member')
    .values({ space_id: spaceId, id, account_id: account.id, role })
    .execute()
  return id
}

/**
 * Creates an account that is a member of the space and, if `app` is given, of the app. `app.admin` adds the member to
 * the app through the API.
 */
export async function createMember(
  installation: TestInstallation,
  space: { uid: string; url: string },
  role: string = 'pjt-Member',
  app?: { admin: Client; url: string; role: string },
): Promise<TestAccount & { memberId: string }> {
  const account = await createAccount(installation)
  const memberId = await addMember(installation, space, account, role)
  if (app) ok(await app.admin.post(`${app.url}/members`, { memberId, roleId: app.role }))
  return { ...account, memberId }
}
