import { accountActor } from '#server/access/actor.ts'
import { findGrants, inModel } from '#server/access/grants.ts'
import { enterSpace, inTransaction, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { applyGroups } from '#server/features/group-roles/group-roles.service.ts'
import { newId } from '#server/lib/ids.ts'
import {
  appRights,
  isAppRight,
  ofWholeApps,
  presupposed,
  type Right,
  spaceRights,
} from '#shared/permissions.ts'
import { addMember, createApp, createModel, createSpace, type TestAccount, unique } from './factories.ts'
import { addMove } from './matrix-moves.ts'
import { ok, type TestInstallation } from './server.ts'

/*
 * A space with random roles and people, for the test that nobody is given more than its givers hold. The rights are
 * read from the database, as on the next request.
 */

/** Integers below `n`, deterministic by seed. */
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

/** A valid set of rights for a role of the space; half of the sets include rights on apps. */
export const randomSpaceRights = (random: Random): Right[] =>
  wholeSet(['space.view', ...some(random, spaceRights), ...(random(2) === 0 ? some(random, appRights) : [])])

/** A random role of an app; one in three has different rights or fields for the app's model. */
export function randomAppRole(random: Random, { model, field }: { model: string; field: string }) {
  const rights = wholeSet(['document.read', ...some(random, appRights)])
  const whole = rights.some((right) => isAppRight(right) && ofWholeApps.includes(right))
  if (whole || random(3) > 0) return { rights, models: {} }
  const models =
    random(2) === 0 ? { [model]: { rights: ['document.read'] } } : { [model]: { readOnly: [field] } }
  return { rights, models }
}

/** `place right`, such as `space token.manage`, `a app.manage`, `a/model document.read`. */
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
  }[]
  /** The rights of each person, by account; people who are not members hold nothing. */
  holdings(): Promise<Map<string, Held>>
  /** Makes the directory report that the account is in the group. */
  tellGroups(account: TestAccount, group: string): Promise<void>
}

/**
 * A space with two private apps, four custom roles and two of each app, and `people`: all but the last are members,
 * with random roles; the first of them has imported both apps.
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
  // The last one gives rights on apps only, which many hold in one app and few in the space.
  const onApps = () => wholeSet(['space.view', 'document.read', ...some(random, appRights)])
  const spaceRoles = [randomSpaceRights, randomSpaceRights, randomSpaceRights, onApps].map((rightsOf) => ({
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
  const world = { random, scope, space, owner, people: members, apps }
  return {
    ...world,
    holdings: () => holdingsOf(installation, world),
    tellGroups: (account, group) =>
      inTransaction(db, async (tx) => {
        await enterSpace(tx, scope)
        const actor = accountActor({ ...account, language: 'ja', isAdmin: false } as never)
        await applyGroups({ db: tx, scope, actor }, account.id, [group])
      }),
  }
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
  // The creator of the space manages everything; the apps only have their own members.
  await installation.database.pool.query('DELETE FROM app_member WHERE app_id = $1', [rows[0].id])
  return { ...app, id: rows[0].id, model: { id: model._id, uid, field: fields[0]?._id ?? '' }, move }
}

/**
 * The right to write a field is listed separately if it can be removed from somebody who writes: `a/model
 * document.write.own field`.
 */
function holdingsOf(
  { database }: TestInstallation,
  { scope, people, apps }: Pick<World, 'scope' | 'people' | 'apps'>,
): Promise<Map<string, Held>> {
  return inTransaction(database.kysely, async (tx) => {
    await enterSpace(tx, scope)
    const found = new Map<string, Held>()
    const live = await tx
      .selectFrom('app')
      .select('id')
      .where('space_id', '=', scope.spaceId)
      .where('deleted_at', 'is', null)
      .execute()
    const members = await tx
      .selectFrom('space_member')
      .select(['id', 'account_id'])
      .where('space_id', '=', scope.spaceId)
      .execute()
    for (const { id } of people) {
      const memberId = members.find(({ account_id }) => account_id === id)?.id
      const held: string[] = []
      const inSpace = memberId === undefined ? null : await findGrants(tx, scope, memberId)
      for (const right of inSpace?.rights ?? []) held.push(`space ${right}`)
      for (const { id: appId, uid, model } of apps) {
        const gone = !live.some((app) => app.id === appId)
        const grants = memberId === undefined || gone ? null : await findGrants(tx, scope, memberId, appId)
        if (!grants) continue
        for (const right of grants.elsewhere) if (isAppRight(right)) held.push(`${uid} ${right}`)
        const inside = inModel(grants, model.id)
        for (const right of inside.rights) if (isAppRight(right)) held.push(`${uid}/model ${right}`)
        // Someone who may write by their role in the space is not restricted to read-only fields by an app role.
        const free = inSpace?.rights.has('document.write.own') || !inside.readOnly.has(model.field)
        if (free && inside.rights.has('document.write.own')) held.push(`${uid}/model field`)
      }
      found.set(id, new Set(held))
    }
    return found
  })
}
