import type { Signature } from '#archive/signature.ts'
import { inTransaction } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { newId } from '#server/lib/ids.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import { type MoveRefusal, type MoveReport, mostApps } from '#shared/contract/moves.ts'
import {
  type AppPart,
  countAssets,
  insertAppParts,
  listAppParts,
  saveAppLinks,
} from './moves.apps.repository.ts'
import { findRefusal, planChecked } from './moves.check.ts'
import { withArchive } from './moves.files.ts'
import type { Importing } from './moves.importing.ts'
import { linksBetween } from './moves.links.ts'
import { type MoveRow, updateMove } from './moves.repository.ts'
import { type Finding, mostItems } from './moves.verify.ts'

interface CheckedMove {
  db: Importing['db']
  scope: Importing['scope']
  move: MoveRow
  path: string
  /** The folders of the file that hold an archive each. */
  parts: readonly string[]
}

/** Progress of a part is told in so many steps, whatever it counts itself. */
const steps = 1_000

/** Looks at every file of several archives that lie side by side, and plans the app of each. */
export async function checkParts(
  { progress, at, signal }: Pick<JobContext, 'progress' | 'at' | 'signal'>,
  { db, scope, move, path, parts }: CheckedMove,
): Promise<void> {
  const refuse = (refusal: MoveRefusal) => updateMove(db, scope, move.id, { state: 'refused', refusal })
  if (parts.length > mostApps) {
    await refuse({ code: 'tooManyApps', items: [], count: parts.length })
    return
  }
  // Each is gone through twice: to be checked, and to be planned.
  const rounds = 2 * parts.length
  const onProgress = (round: number) => (done: number, total: number) =>
    progress(round * steps + Math.floor((steps * done) / Math.max(total, 1)), rounds * steps, 'share')
  const found: Finding[] = []
  for (const [index, part] of parts.entries()) {
    const others = found.reduce((sum, { bytes }) => sum + bytes, 0)
    found.push(await findRefusal({ path, part }, { progress: onProgress(index), signal, others }))
  }
  const refused = refusalOf(parts, found)
  if (refused) {
    await refuse(refused)
    return
  }
  const planned = parts.map((part, index) => ({
    part,
    signature: found[index]?.signature ?? null,
    signal,
    bytes: found[index]?.bytes ?? 0,
    onProgress: onProgress(parts.length + index),
    at,
  }))
  await planParts({ db, scope, move, path, parts }, planned)
}

/** The folders of the apps in the archive of a space, in its order; of any other archive none. */
export const membersIn = (path: string): Promise<string[]> =>
  withArchive(path, async (_source, read) =>
    read.of === 'space' ? read.manifest.apps.map(({ folder }) => folder) : [],
  )

/** Plans each app of the archive of a space, which was looked at as a whole. */
export async function planMembers(
  { progress, signal, at }: Pick<JobContext, 'progress' | 'signal' | 'at'>,
  checked: CheckedMove,
  signature: Signature | null,
): Promise<void> {
  const total = checked.parts.length * steps
  const planned = checked.parts.map((part, index) => ({
    part,
    signature,
    signal,
    bytes: 0,
    onProgress: (done: number, all: number) =>
      progress(index * steps + Math.floor((steps * done) / Math.max(all, 1)), total, 'share'),
    at,
  }))
  await planParts(checked, planned)
}

interface CheckedPart {
  part: string
  signature: Signature | null
  signal: AbortSignal
  bytes: number
  onProgress(done: number, total: number): Promise<void>
  at(what: string): void
}

async function planParts(
  { db, scope, move, path, parts }: CheckedMove,
  checked: readonly CheckedPart[],
): Promise<void> {
  const planned: { part: string; plan: AnyMovePlan; bytes: number }[] = []
  const { language, fileName } = move
  for (const { part, signature, signal, bytes, onProgress, at } of checked) {
    const told = { onProgress, at: (what: string) => at(`${part}/${what}`) }
    const around = { db, scope, fileName, language, signature, signal, ...told }
    planned.push({ part, bytes, plan: await planChecked({ path, part }, around) })
  }
  const links = await linksBetween(path, parts, { db, scope })
  const createdBy = move.createdBy?._id ?? null
  await inTransaction(db, async (tx) => {
    const rows = planned.map((one) => ({ ...one, id: newId(), createdBy }))
    await insertAppParts(tx, scope, move.id, rows)
    await saveAppLinks(tx, scope, move.id, links)
    await updateMove(tx, scope, move.id, { state: 'planned' })
  })
}

/** What is wrong with any of several archives, each thing by the folder in which it is. */
function refusalOf(parts: readonly string[], found: readonly Finding[]): MoveRefusal | undefined {
  const refused = found.flatMap(({ refusal }, index) => (refusal ? [{ part: parts[index], refusal }] : []))
  // One that would fill the disk is not looked at any further, whatever else is wrong.
  const first = refused.find(({ refusal }) => refusal.code === 'tooLarge') ?? refused[0]
  if (!first) return undefined
  const items = refused.flatMap(({ part, refusal }) =>
    refusal.items.length > 0
      ? refusal.items.map(({ kind, what }) => ({ kind, what: `${part}/${what}` }))
      : [{ kind: 'part', what: String(part) }],
  )
  const count = refused.reduce((sum, { refusal }) => sum + Math.max(refusal.count, 1), 0)
  return { code: first.refusal.code, items: items.slice(0, mostItems), count }
}

/** What the import of a move works with, whatever of it is imported. */
export type ImportingMove = Omit<Importing, 'appId' | 'plan' | 'source' | 'manifest' | 'workFolder'> & {
  path: string
}

/** Imports one app after the other, those that are not there yet. May be cut off anywhere. */
export async function importParts(
  importing: ImportingMove,
  importApp: (importing: ImportingMove, app: AppPart & { appId: number }) => Promise<void>,
): Promise<void> {
  const { db, scope, moveId, progress } = importing
  const begun = (await listAppParts(db, scope, moveId)).filter(({ appId }) => appId !== null)
  const total = begun.reduce((sum, part) => sum + sizeOf(part), 0)
  let before = 0
  for (const part of begun) {
    const { appId, state } = part
    if (appId !== null && state === 'importing') {
      const offset = before
      const own = { ...importing, progress: (done: number) => progress(offset + done, total) }
      await importApp(own, { ...part, appId })
    }
    before += sizeOf(part)
  }
  const done = await listAppParts(db, scope, moveId)
  const report = reportOf(done.filter(({ state }) => state === 'imported'))
  const ids = done.map(({ id }) => id)
  const assets = await countAssets(db, scope, ids)
  await updateMove(db, scope, moveId, {
    state: 'imported',
    report: { ...report, assets },
    finishedAt: new Date(),
  })
}

const sizeOf = ({ plan: { counts } }: AppPart) => counts.documents + counts.assets

/** What came of all, places by the app in which they are. */
function reportOf(parts: readonly AppPart[]): MoveReport {
  const problems = parts.flatMap(({ plan, report }) =>
    (report?.problems ?? []).map((problem) => ({
      ...problem,
      path: [plan.app.uid, problem.path].filter((word) => word !== '').join('.'),
    })),
  )
  const documents = parts.reduce((sum, { report }) => sum + (report?.documents ?? 0), 0)
  return { documents, assets: 0, problems }
}
