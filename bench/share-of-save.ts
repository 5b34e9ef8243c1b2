import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { writeAudit } from '#server/access/audit.ts'
import { admit, type Membership, type Place } from '#server/access/membership.ts'
import { rememberedMembership } from '#server/access/remembered-membership.ts'
import { checkSecurity } from '#server/access/security.ts'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { type Db, entering, type Tx } from '#server/db/scope.ts'
import { median } from './options.ts'

/*
 * Measures the share of a save that permission checks and the audit log entry take. Blocks of saves alternate with
 * blocks of transactions that run only some of these statements, so that other load affects all of them equally. CPU
 * time of this process and of the only connection of `db` is measured, which other load does not change. The
 * transactions are rolled back, because the commit belongs to the save itself.
 */

const blocks = 15
const perBlock = 40

const place = { space: 'team', app: 'site', model: 'article' }
const session = { createdAt: new Date(), sso: null, ownMeans: true }

/** The minimal query of a save without permissions: it finds the space and the app. */
const findPlace = compileOnce((db, { space, app }: Placeholders<{ space: string; app: string }>) =>
  db
    .selectFrom('space')
    .innerJoin('app', 'app.space_id', 'space.id')
    .select([
      'space.id',
      'space.uid',
      'space.name',
      'space.time_zone',
      'app.id as appId',
      'app.name as appName',
    ])
    .select(entering(sql.ref('space.id')).as('entered'))
    .where(sql`lower(space.uid)`, '=', space)
    .where('space.deleted_at', 'is', null)
    .where('app.uid', '=', app)
    .where('app.deleted_at', 'is', null)
    .compile(),
)

type LetIn = (tx: Tx, accountId: string, place: Place) => Promise<Membership>

async function ask(tx: Tx, accountId: string, letIn: LetIn = rememberedMembership) {
  const { security, scope, grants } = await letIn(tx, accountId, place)
  const entrant = { ip: '203.0.113.1', session }
  await checkSecurity(tx, { accountId, spaceId: scope.spaceId, grants }, security, entrant, new Date())
  return scope
}

/**
 * Returns sentences with the durations in µs per transaction and their shares of a save, by CPU time and by elapsed
 * time. A duration is the median of all blocks.
 */
export async function shareOfSave(db: Db, accountId: string, save: () => Promise<unknown>): Promise<string> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)
  const used = () => {
    const { user, system } = process.cpuUsage()
    return user + system + runTime(rows[0]?.pid)
  }
  const undone = async (work: (tx: Tx) => Promise<unknown>) => {
    const tx = await db.startTransaction().execute()
    // Every block gets a transaction id, as a save does. The differences between blocks therefore do not contain this
    // cost.
    await sql`SELECT pg_current_xact_id()`.execute(tx)
    await work(tx)
    await tx.rollback().execute()
  }
  const kinds = {
    save,
    nothing: () => undone(async () => undefined),
    found: () => undone((tx) => findPlace(tx, place)),
    asked: () => undone((tx) => ask(tx, accountId)),
    askedAnew: () => undone((tx) => ask(tx, accountId, admit)),
    written: () =>
      undone(async (tx) => {
        const scope = await ask(tx, accountId)
        await writeAudit(tx, scope, {
          act: 'document.save',
          outcome: 'done',
          actor: { kind: 'account', accountId, name: '管理者' },
          ip: '203.0.113.1',
          agent: 'Mozilla/5.0 (X11; Linux x86_64)',
          object: { kind: 'document', id: accountId, name: '記事' },
          details: { app: 'site', model: 'article', changes: [{ key: 'version', before: 1, after: 2 }] },
        })
      }),
  }
  type Kind = keyof typeof kinds
  const taken = Object.fromEntries(
    Object.keys(kinds).map((kind) => [kind, { cpu: [] as number[], clock: [] as number[] }]),
  ) as Record<Kind, { cpu: number[]; clock: number[] }>
  // The first block is a warm-up for the compiler and PostgreSQL's plans.
  for (let block = 0; block <= blocks; block++)
    for (const [kind, work] of Object.entries(kinds)) {
      const [cpu, clock] = [used(), performance.now()]
      for (let one = 0; one < perBlock; one++) await work()
      if (block === 0) continue
      taken[kind as Kind].cpu.push((used() - cpu) / perBlock)
      taken[kind as Kind].clock.push(((performance.now() - clock) * 1000) / perBlock)
    }
  return (['cpu', 'clock'] as const)
    .map((by) => {
      const of = (kind: Kind) => median(taken[kind][by])
      const [whole, asking, writing] = [of('save'), of('asked') - of('nothing'), of('written') - of('asked')]
      const [finding, anew] = [of('found') - of('nothing'), of('askedAnew') - of('nothing')]
      const percent = (part: number) => `${((100 * part) / whole).toFixed(1)} %`
      return `By ${by === 'cpu' ? 'processor time' : 'the clock'} a save takes ${whole.toFixed(0)} µs. What the caller may do takes ${asking.toFixed(0)} µs
(to find the space and the app, which a save needs in any case, ${finding.toFixed(0)} µs; asked anew instead of from memory ${anew.toFixed(0)} µs), the entry of the audit log ${writing.toFixed(0)} µs:
${percent(asking - finding + writing)} of a save, with finding space and app ${percent(asking + writing)}.`
    })
    .join('\n')
}

/** Returns the CPU time of a process in µs; 0 without /proc. */
function runTime(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    return 0
  }
}
