import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256 } from '#server/lib/ids.ts'
import { allRights } from '#shared/permissions.ts'
import { createAccount, type TestAccount, unique } from './factories.ts'
import {
  generator,
  type Held,
  makeWorld,
  type Person,
  pick,
  randomAppRole,
  randomSpaceRights,
  type World,
} from './rights-world.ts'
import { type Answer, startInstallation, type TestInstallation } from './server.ts'

/*
 * No sequence of acts gives anybody more than its givers held. `RUNS=300` for the thorough run; `IMORI_TEST_SEED`
 * repeats the run of that seed, which failure messages contain.
 */
const runs = Number(process.env.RUNS ?? 12)
const seed = Number(process.env.IMORI_TEST_SEED ?? 20_261_126)
const actsOfEach = 6

let installation: TestInstallation
let owner: TestAccount
let people: TestAccount[]
beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  people = []
  for (let n = 0; n < 5; n++) people.push(await createAccount(installation))
})
afterAll(() => installation?.close())

/** The input of an act. */
interface Step {
  world: World
  actor: Person
  held: Held
  /** The rights of everybody, by account. */
  holdings: ReadonlyMap<string, Held>
  /** The rights of everybody whose acts may have given something so far. */
  givers: Held
}
/**
 * `gave`: the maximum of new rights that anybody may have now; `needs`: the rights that the actor must have held for a
 * success.
 */
interface Act {
  answer: Answer
  gave?: Held
  needs?: readonly string[]
}

const nothing: Held = new Set()

/** The uid of a random role of the space, or of the app. */
async function rolesOf({ scope, random }: World, appId: number | null): Promise<string> {
  const rows = await installation.database.kysely
    .selectFrom('role')
    .select('uid')
    .where((where) => where.or([where('space_id', 'is', null), where('space_id', '=', scope.spaceId)]))
    .where('target', '=', appId === null ? 'project' : 'app')
    .where((where) => where.or([where('app_id', 'is', null), where('app_id', '=', appId)]))
    // An order that does not depend on the numbers in the uids.
    .orderBy(sql`space_id IS NOT NULL, length(uid), uid`)
    .execute()
  return pick(random, rows).uid
}

const anApp = ({ world: { random, apps } }: Step) => pick(random, apps)
const somebody = ({ world: { random, people: all } }: Step) => pick(random, all)

/** Sets a known code for an invitation that has been mailed. */
async function codeFor(invitation: string): Promise<string> {
  const code = unique('code')
  const hash = { code_hash: sha256(code), sent_at: new Date(Date.now() - 3_600_000) }
  const db = installation.database.kysely
  await db.updateTable('invitation').set(hash).where('id', '=', invitation).execute()
  return code
}

async function openInvitation({ world: { scope, random } }: Step) {
  const rows = await installation.database.kysely
    .selectFrom('invitation')
    .leftJoin('app', 'app.id', 'invitation.app_id')
    .select(['invitation.id', 'invitation.member_id', 'app.uid as app'])
    .where('invitation.space_id', '=', scope.spaceId)
    .orderBy('invitation.created_at')
    .execute()
  return rows.length > 0 ? pick(random, rows) : null
}

const acts: Record<string, (step: Step) => Promise<Act | null>> = {
  async invite(step) {
    const { world, actor } = step
    const app = world.random(2) === 0 ? anApp(step) : null
    const invitation = {
      roleId: await rolesOf(world, null),
      ...(app ? { app: app.uid, appRoleId: await rolesOf(world, app.id) } : {}),
    }
    return { answer: await actor.client.post(`${world.space.url}/invitation`, { invitation }) }
  },
  async takeIn(step) {
    const { world, actor, held } = step
    const app = anApp(step)
    const body = {
      email: somebody(step).email,
      roleId: await rolesOf(world, null),
      appRoleId: await rolesOf(world, app.id),
    }
    return { answer: await actor.client.post(`${app.url}/members`, body), gave: held }
  },
  /**
   * A manager of one app invites a stranger with a role of the space, mostly one whose rights on apps the manager holds
   * in that app only. The stranger accepts at once.
   */
  async bringAlong({ world, holdings }) {
    const { random, scope, people: all, apps } = world
    const stranger = all.find(({ id }) => !holdings.get(id)?.size)
    const lookAfter = apps.flatMap((app) =>
      all.flatMap((person) => {
        const held = holdings.get(person.id) ?? nothing
        return held.has(`${app.uid} app.manage`) ? [{ app, person, held }] : []
      }),
    )
    if (!stranger || lookAfter.length === 0) return null
    const rows = await installation.database.kysely
      .selectFrom('role')
      .select(['uid', 'rights'])
      .where('space_id', '=', scope.spaceId)
      .where('target', '=', 'project')
      .orderBy('uid')
      .execute()
    const isTempting = ({ app, held }: (typeof lookAfter)[number], rights: readonly string[]) =>
      rights.every((right) => held.has(`space ${right}`) || held.has(`${app.uid} ${right}`)) &&
      !rights.every((right) => held.has(`space ${right}`))
    const tempted = lookAfter.flatMap((one) =>
      rows.filter(({ rights }) => isTempting(one, rights)).map(({ uid }) => ({ ...one, roleId: uid })),
    )
    const tries = tempted.length > 0 && random(4) > 0
    const { app, person, held, roleId } = tries
      ? pick(random, tempted)
      : { ...pick(random, lookAfter), roleId: 'pjt-Member' }
    const body = { email: stranger.email, roleId, appRoleId: 'app-Subscriber' }
    const answer = await person.client.post(`${app.url}/members`, body)
    const invitation = answer.status === 200 ? answer.body.invitation?._id : undefined
    if (!invitation) return { answer, gave: held }
    const code = await codeFor(invitation)
    return { answer: await stranger.client.post('/api/invitation/accept', { code }), gave: held }
  },
  async sendAgain(step) {
    const { world, actor } = step
    const found = await openInvitation(step)
    if (!found) return null
    await codeFor(found.id)
    const place = world.random(2) === 0 && found.app ? `/app/${found.app}` : ''
    const url = `${world.space.url}${place}/invitation/${found.id}/resend`
    return { answer: await actor.client.post(url) }
  },
  async accept(step) {
    const found = await openInvitation(step)
    if (!found) return null
    const code = await codeFor(found.id)
    const client = somebody(step).client
    return { answer: await client.post('/api/invitation/accept', { code }), gave: step.givers }
  },
  async giveRole(step) {
    const { world, actor, held } = step
    const url = `${world.space.url}/member/${somebody(step).memberId}`
    return { answer: await actor.client.put(url, { roleId: await rolesOf(world, null) }), gave: held }
  },
  async giveAppRole(step) {
    const { world, actor, held } = step
    const app = anApp(step)
    const url = `${app.url}/member/${somebody(step).memberId}`
    return { answer: await actor.client.patch(url, { roleId: await rolesOf(world, app.id) }), gave: held }
  },
  async changeRole(step) {
    const { world, actor, held } = step
    const url = `${world.space.url}/role/${await rolesOf(world, null)}`
    // Mostly rights that can be given, so that the act succeeds.
    const wanted = randomSpaceRights(world.random)
    const own = wanted.filter((right) => held.has(`space ${right}`))
    const data = { rights: world.random(4) > 0 ? own : wanted }
    return { answer: await actor.client.put(url, { data }), gave: held }
  },
  async changeAppRole(step) {
    const { world, actor, held } = step
    const { id, url, model } = anApp(step)
    const data = randomAppRole(world.random, { model: model.id, field: model.field })
    const answer = await actor.client.put(`${url}/role/${await rolesOf(world, id)}`, { data })
    return { answer, gave: held }
  },
  async openApp(step) {
    const { world, actor } = step
    const { id, url } = anApp(step)
    const accessSettings = { visibility: 'open', defaultRole: await rolesOf(world, id) }
    return { answer: await actor.client.patch(url, { accessSettings }) }
  },
  async join(step) {
    const answer = await step.actor.client.post(`${anApp(step).url}/members/join`)
    return { answer, gave: step.givers }
  },
  async letIn(step) {
    const { world, actor, held } = step
    const { id, uid, url } = anApp(step)
    const asker = somebody(step)
    await asker.client.post(`${world.space.url}/accessRequest`, { app: uid })
    const answer = await actor.client.post(`${url}/accessRequest/${asker.memberId}/accept`, {
      roleId: await rolesOf(world, id),
    })
    return { answer, gave: held }
  },
  async mapGroup({ world, actor }) {
    const data = {
      groups: [{ name: 'editors', roleId: await rolesOf(world, null) }],
      defaultRoleId: 'pjt-Member',
    }
    return { answer: await actor.client.put(`${world.space.url}/groupRoles`, { data }) }
  },
  async directory(step) {
    await step.world.tellGroups(somebody(step), 'editors')
    return { answer: { status: 200 } as Answer, gave: step.givers }
  },
  async scim({ world, actor }) {
    const answer = await actor.client.post(`${world.space.url}/scim`, { data: {} })
    return { answer, needs: allRights.map((right) => `space ${right}`) }
  },
  async token(step) {
    const { world, actor } = step
    const all = world.random(2) === 0
    const read = all ? world.apps : [anApp(step)]
    const data = { name: 'site', apps: all ? null : read.map(({ uid }) => uid) }
    const kind = pick(world.random, ['cdnToken', 'apiToken'])
    const answer = await actor.client.post(`${world.space.url}/${kind}`, { data })
    const readAll = read.flatMap(({ uid }) => [`${uid} document.read`, `${uid}/model document.read`])
    return { answer, needs: all ? ['space document.read'] : readAll }
  },
  async template(step) {
    const { uid, url } = anApp(step)
    const answer = await step.actor.client.post(`${url}/template`, { data: { name: 'ひな形' } })
    return { answer, needs: [`${uid} app.manage`, `${uid}/model document.read`] }
  },
  async readMove(step) {
    const { uid, move } = anApp(step)
    const url = `${step.world.space.url}/move/${move}`
    // Managers of every app also manage moves whose app is deleted.
    const isOpen = step.actor.id === step.world.people[0]?.id || step.held.has('space app.manage')
    return { answer: await step.actor.client.get(`${url}/plan`), needs: isOpen ? [] : [`${uid} app.manage`] }
  },
  async undoMove(step) {
    const { uid, move } = anApp(step)
    const answer = await step.actor.client.post(`${step.world.space.url}/move/${move}/undo`)
    return { answer, needs: [`${uid} app.manage`] }
  },
}

const names = Object.keys(acts)
/** Acts that enable other acts are drawn more often. */
const drawn = [
  ...names,
  'bringAlong',
  'bringAlong',
  'bringAlong',
  'invite',
  'invite',
  'takeIn',
  'takeIn',
  'sendAgain',
  'sendAgain',
  'accept',
  'accept',
]

/** A random person, mostly a manager of people, roles or apps. */
function actorOf({ random, people: all }: World, holdings: Map<string, Held>): Person {
  const managers = all.filter(({ id }) =>
    [...(holdings.get(id) ?? [])].some((right) => /(?:member|role|app|security)\.manage$/.test(right)),
  )
  return pick(random, managers.length > 0 && random(4) > 0 ? managers : all)
}

it(`nobody ends with more than its givers hold, after any acts of anybody (${runs} runs from seed ${seed})`, async () => {
  const done = new Map<string, number>()
  for (let run = 0; run < runs; run++) {
    const random = generator(seed + run)
    const world = await makeWorld(installation, random, owner, people)
    const given = new Set<string>()
    const story: string[] = []
    let before = await world.holdings()
    /** Former rights, which people may regain when they join again. */
    const had = new Map([...before].map(([id, held]) => [id, new Set(held)]))
    for (let act = 0; act < actsOfEach; act++) {
      const name = pick(random, drawn)
      const actor = actorOf(world, before)
      const held = before.get(actor.id) ?? nothing
      for (const right of held) given.add(right)
      const did = await acts[name]?.({ world, actor, held, holdings: before, givers: given })
      if (!did) continue
      const { answer, gave = nothing, needs = [] } = did
      story.push(`${name} by ${world.people.indexOf(actor)}: ${answer.status}`)
      const where = `IMORI_TEST_SEED=${seed + run} RUNS=1: ${story.join(', ')}`
      expect(answer.status, where).toBeLessThan(500)
      if (answer.status === 200) {
        done.set(name, (done.get(name) ?? 0) + 1)
        expect([where, needs.filter((need) => !held.has(need))]).toEqual([where, []])
      }
      const after = await world.holdings()
      for (const [id, now] of after) {
        const allowed = [before.get(id), gave, name === 'join' ? had.get(id) : nothing]
        const more = [...now].filter((right) => !allowed.some((rights) => rights?.has(right)))
        expect([where, more]).toEqual([where, []])
        for (const right of now) had.get(id)?.add(right)
      }
      before = after
    }
  }
  // If all acts are refused, the test proves nothing.
  if (runs >= 300) expect(names.filter((name) => !done.has(name))).toEqual([])
  expect([...done.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(runs)
}, 600_000)
