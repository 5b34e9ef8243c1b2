import { findGrants, inModel } from '#server/access/grants.ts'
import { enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { roleByGroups, rolesOfGroups } from '#server/features/group-roles/group-roles.service.ts'
import { newId } from '#server/lib/ids.ts'
import {
  appRights,
  isAppRight,
  ofWholeApps,
  presupposed,
  type Right,
  spaceRights,
} from '#shared/permissions.ts'
import { makeCertificate } from './certificates.ts'
import { addMember, createApp, createModel, createSpace, type TestAccount, unique } from './factories.ts'
import { addMove } from './matrix-moves.ts'
import { type Answer, ok, type TestInstallation } from './server.ts'

/*
 * Creates a space with random roles and people, for the test that no person is granted more rights than the granting
 * accounts have. The rights are read from the database, as a request reads them.
 */

/** Returns an integer below `n`. The sequence is deterministic by seed. */
export type Random = (n: number) => number
export function generator(seed: number): Random {
  let state = seed >>> 0
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}
export const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T

const wholeSet = (rights: readonly Right[]) => [
  ...new Set(rights.flatMap((right) => [...(presupposed[right] ?? []), right])),
]
const some = <T>(random: Random, items: readonly T[]) => {
  const share = 1 + random(3)
  return items.filter(() => random(4) < share)
}

/** Returns a valid set of rights for a role of the space. Half of the sets include rights on apps. */
export const randomSpaceRights = (random: Random): Right[] =>
  wholeSet(['space.view', ...some(random, spaceRights), ...(random(2) === 0 ? some(random, appRights) : [])])

/**
 * Returns a random role of an app. One in three of the roles without rights on whole apps has other rights or a
 * read-only field in the app's model.
 */
export function randomAppRole(random: Random, { model, field }: { model: string; field: string }) {
  const rights = wholeSet(['document.read', ...some(random, appRights)])
  const whole = rights.some((right) => isAppRight(right) && ofWholeApps.includes(right))
  if (whole || random(3) > 0) return { rights, models: {} }
  const models =
    random(2) === 0 ? { [model]: { rights: ['document.read'] } } : { [model]: { readOnly: [field] } }
  return { rights, models }
}

/** Rights, each as `<place> <right>`, such as `space token.manage`, `a app.manage`, `a/model document.read`. */
export type Held = ReadonlySet<string>

export interface Person extends TestAccount {
  memberId: string
}
export interface World {
  random: Random
  scope: SpaceScope
  space: { uid: string; url: string }
  owner: TestAccount
  people: Person[]
  apps: {
    id: number
    uid: string
    url: string
    model: { id: string; uid: string; field: string }
    move: string
    /** Id of an API token that reads the app and has an expiry. */
    token: string
  }[]
  /** Groups of the directory by name, with their id and the accounts of their members. */
  groups: Map<string, { id: string; accounts: Set<string> }>
  /** Sends a call as the directory. */
  scim(method: 'PATCH' | 'POST', path: string, body: object): Promise<Answer>
  /** Makes the directory use another token. */
  connect(token: string): void
  /** Returns the rights of each person, by account; people who are not members have none. Updates their `memberId`. */
  holdings(): Promise<Map<string, Held>>
  /** Returns the rights that new members get if they are in exactly these groups. */
  rightsOfGroups(groups: readonly string[]): Promise<Held>
}

export const groupNames = ['editors', 'staff', 'admins'] as const
export const groupsOf = ({ groups }: World, { id }: Pick<TestAccount, 'id'>): string[] =>
  groupNames.filter((name) => groups.get(name)?.accounts.has(id))

/**
 * Creates a space with two private apps, six custom roles and two custom roles per app. All of `people` except the last
 * are members with random roles, and the first is the creator of the moves of both apps. A directory with empty groups
 * and random group mappings, and an identity provider are connected.
 */
export async function makeWorld(
  installation: TestInstallation,
  random: Random,
  owner: TestAccount,
  people: readonly TestAccount[],
): Promise<World> {
  const space = await createSpace(owner.client)
  const db = installation.database.kysely
  const { id } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  const scope = spaceScope(id)
  const apps: World['apps'] = []
  for (let n = 0; n < 2; n++) apps.push(await makeApp(installation, scope, space, owner, people[0] ?? owner))
  const role = { space_id: id, description: '' }
  // Grants rights on apps. Many people have these in one app and few in the space.
  const onApps = () => wholeSet(['space.view', 'document.read', ...some(random, appRights)])
  // Grants the management of security, but few rights to grant to others.
  const onSecurity = (): Right[] => ['space.view', 'security.manage']
  const onNothing = (): Right[] => ['space.view']
  const kinds = [randomSpaceRights, randomSpaceRights, randomSpaceRights, onApps, onSecurity, onNothing]
  const spaceRoles = kinds.map((rightsOf) => ({
    ...role,
    uid: unique('role'),
    name: unique('役'),
    target: 'project' as const,
    rights: rightsOf(random),
    models: '{}',
    app_id: null,
  }))
  const appRoles = apps.flatMap((app) =>
    [1, 2].map(() => {
      const { rights, models } = randomAppRole(random, { model: app.model.id, field: app.model.field })
      return {
        ...role,
        uid: unique('role'),
        name: unique('役'),
        target: 'app' as const,
        rights,
        models: JSON.stringify(models),
        app_id: app.id,
      }
    }),
  )
  await db
    .insertInto('role')
    .values([...spaceRoles, ...appRoles])
    .execute()
  const members: Person[] = []
  for (const [index, account] of people.entries()) {
    const isOutside = index === people.length - 1
    const uid = pick(random, ['pjt-Member', 'pjt-Admin', ...spaceRoles.map((given) => given.uid)])
    const memberId = isOutside ? newId() : await addMember(installation, space, account, uid)
    members.push({ ...account, memberId })
    for (const app of isOutside ? [] : apps) {
      const own = appRoles.filter(({ app_id }) => app_id === app.id).map((given) => given.uid)
      if (random(3) === 0) continue
      const given = pick(random, ['app-Admin', 'app-Subscriber', ...own])
      await db
        .insertInto('app_member')
        .values({ space_id: id, app_id: app.id, member_id: memberId, role: given })
        .execute()
    }
  }
  const appRoleOf = (appId: number) =>
    pick(random, ['app-Admin', ...appRoles.filter(({ app_id }) => app_id === appId).map(({ uid }) => uid)])
  const [security, plain] = spaceRoles.slice(-2).map(({ uid }) => uid) as [string, string]
  // Returns a random space role. Members with the role `security` may grant about half of these roles, so both outcomes
  // are tested.
  const mappedRole = () =>
    pick(random, ['pjt-Admin', security, plain, plain, plain, ...spaceRoles.map(({ uid }) => uid)])
  const mappings = groupNames.filter(() => random(3) > 0)
  const data = {
    groups: mappings.map((name) => ({
      name,
      roleId: mappedRole(),
    })),
    appGroups: apps.flatMap(({ id: appId, uid: app }) =>
      groupNames.filter(() => random(2) === 0).map((name) => ({ app, name, roleId: appRoleOf(appId) })),
    ),
    defaultRoleId: pick(random, ['pjt-Member', plain, plain, security, ...spaceRoles.map(({ uid }) => uid)]),
  }
  ok(await owner.client.put(`${space.url}/groupRoles`, { data }))
  let token = ok(await owner.client.post(`${space.url}/scim`, { data: {} })).scim.token as string
  const visitor = installation.visitor()
  const scim: World['scim'] = (method, path, body) =>
    visitor.send(method, `/scim/v2/${space.uid}${path}`, body, {
      'content-type': 'application/scim+json',
      authorization: `Bearer ${token}`,
    })
  const groups: World['groups'] = new Map()
  for (const displayName of groupNames) {
    const made = await scim('POST', '/Groups', { schemas: [`${scimSchemas}:core:2.0:Group`], displayName })
    groups.set(displayName, { id: made.body.id, accounts: new Set() })
  }
  await connectProvider(installation, scope, space, owner)
  const world = { random, scope, space, owner, people: members, apps, groups, scim }
  return {
    ...world,
    connect: (next) => {
      token = next
    },
    holdings: () => holdingsOf(installation, world),
    rightsOfGroups: (names) => rightsOfGroups(installation, world, names),
  }
}

const scimSchemas = 'urn:ietf:params:scim:schemas'
export const scimMessages = 'urn:ietf:params:scim:api:messages:2.0'

export const provider = {
  kind: 'saml',
  domains: ['own.example'],
  saml: { entityId: 'https://idp.example.com/saml', signInUrl: 'https://idp.example.com/sign-in' },
}
/** A domain that the owner proved and then removed. */
export const formerDomain = 'sold.example'
const { certificate } = makeCertificate()

async function connectProvider(
  { database }: TestInstallation,
  { spaceId }: SpaceScope,
  { url }: World['space'],
  { client }: TestAccount,
): Promise<void> {
  const saml = { ...provider.saml, certificates: [certificate] }
  ok(await client.put(`${url}/sso`, { data: { ...provider, saml } }))
  const proven = { domain: formerDomain, challenge: 'challenge', proof: 'dns' } as const
  await database.kysely
    .insertInto('former_sso_domain')
    .values({ space_id: spaceId, ...proven })
    .execute()
}

async function makeApp(
  installation: TestInstallation,
  { spaceId }: SpaceScope,
  space: World['space'],
  { client }: TestAccount,
  maker: TestAccount,
): Promise<World['apps'][number]> {
  const app = await createApp(client, space)
  const accessSettings = { visibility: 'private', defaultRole: 'app-Subscriber' }
  ok(await client.patch(app.url, { accessSettings }))
  const { uid, fields } = await createModel(client, app)
  const [model] = ok(await client.get(`${app.url}/model`)).models
  const move = await addMove(installation, space.uid, maker.id)
  const { rows } = await installation.database.pool.query(
    `UPDATE move SET state = 'imported', app_id = app.id FROM app
     WHERE move.id = $1 AND app.space_id = $2 AND app.uid = $3 RETURNING app.id`,
    [move, spaceId, app.uid],
  )
  // The creator of the space is removed from the app. As an admin of the space, the creator manages the app anyway.
  await installation.database.pool.query('DELETE FROM app_member WHERE app_id = $1', [rows[0].id])
  const data = { name: 'site', apps: [app.uid], expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
  const token = ok(await client.post(`${space.url}/apiToken`, { data })).apiToken._id
  return { ...app, token, id: rows[0].id, model: { id: model._id, uid, field: fields[0]?._id ?? '' }, move }
}

type Place = Pick<World, 'scope' | 'apps'>

function holdingsOf(
  { database }: TestInstallation,
  { scope, people, apps }: Place & Pick<World, 'people'>,
): Promise<Map<string, Held>> {
  return inTransaction(database.kysely, async (tx) => {
    await enterSpace(tx, scope)
    const members = await tx
      .selectFrom('space_member')
      .select(['id', 'account_id'])
      .where('space_id', '=', scope.spaceId)
      .execute()
    const found = new Map<string, Held>()
    for (const person of people) {
      const memberId = members.find(({ account_id }) => account_id === person.id)?.id
      if (memberId !== undefined) person.memberId = memberId
      found.set(person.id, memberId === undefined ? new Set() : await heldBy(tx, { scope, apps }, memberId))
    }
    return found
  })
}

/**
 * Returns the rights of a member. The right to write a field is listed separately (`a/model field`), because a role can
 * make the field read-only for members who may write the model.
 */
async function heldBy(tx: Tx, { scope, apps }: Place, memberId: string): Promise<Held> {
  const held: string[] = []
  const inSpace = await findGrants(tx, scope, memberId)
  for (const right of inSpace?.rights ?? []) held.push(`space ${right}`)
  const live = await tx
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('deleted_at', 'is', null)
    .execute()
  for (const { id: appId, uid, model } of apps) {
    const gone = !live.some((app) => app.id === appId)
    const grants = gone ? null : await findGrants(tx, scope, memberId, appId)
    if (!grants) continue
    for (const right of grants.elsewhere) if (isAppRight(right)) held.push(`${uid} ${right}`)
    const inside = inModel(grants, model.id)
    for (const right of inside.rights) if (isAppRight(right)) held.push(`${uid}/model ${right}`)
    // An app role does not make fields read-only for a member who may write by a role in the space.
    const free = inSpace?.rights.has('document.write.own') || !inside.readOnly.has(model.field)
    if (free && inside.rights.has('document.write.own')) held.push(`${uid}/model field`)
  }
  return new Set(held)
}

/** Adds a member with the roles of the groups, reads the rights, and rolls back. */
async function rightsOfGroups(
  { database }: TestInstallation,
  { scope, apps, owner }: Place & Pick<World, 'owner'>,
  groups: readonly string[],
): Promise<Held> {
  const tx = await database.kysely.startTransaction().execute()
  try {
    await enterSpace(tx as Tx, scope)
    const ctx = { db: tx as Tx, scope }
    const own = { space_id: scope.spaceId, account_id: owner.id }
    await tx
      .deleteFrom('space_member')
      .where('space_id', '=', scope.spaceId)
      .where('account_id', '=', owner.id)
      .execute()
    const id = newId()
    await tx
      .insertInto('space_member')
      .values({ ...own, id, role: await roleByGroups(ctx, groups) })
      .execute()
    for (const [app_id, role] of (await rolesOfGroups(ctx, groups)).apps)
      await tx
        .insertInto('app_member')
        .values({ space_id: scope.spaceId, app_id, member_id: id, role })
        .execute()
    return await heldBy(tx as Tx, { scope, apps }, id)
  } finally {
    await tx.rollback().execute()
  }
}
