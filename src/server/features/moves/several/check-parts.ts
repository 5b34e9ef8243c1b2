import { inTransaction } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { type MoveRefusal, mostApps } from '#shared/contract/moves.ts'
import { withArchive } from '../archive/archive-files.ts'
import { refusalOf } from '../archive/refusal.ts'
import { findRefusal, movePlanContext, type Planned, planChecked, refuse } from '../check/check-archive.ts'
import type { Finding } from '../check/verify-upload.ts'
import type { CheckWork, MoveWork } from '../import/import-context.ts'
import { updateMove } from '../store/moves.repository.ts'
import { insertAppParts } from '../store/parts.repository.ts'
import { linksBetween } from './links.ts'

interface VerifiedPart {
  part: string
  signature: CheckWork['signature']
  /** Unpacked size in bytes. 0: an app in the archive of a space. */
  bytes: number
}

/**
 * Verifies and plans the apps of a file with several archives. Only plans the apps in the archive of a space, because
 * that archive was verified as a whole.
 */
export async function checkParts(work: CheckWork): Promise<void> {
  const { path, archives, signature } = work
  if (archives.length > 1) {
    await checkArchives(work)
    return
  }
  const parts = (await membersIn(path)).map((part) => ({ part, signature, bytes: 0 }))
  await planParts(work, parts, 0)
}

/**
 * Returns the folders of the apps in the archive of a space, in the order of the manifest. Returns none for other
 * archives.
 */
export const membersIn = (path: string): Promise<string[]> =>
  withArchive(path, async (_source, read) =>
    read.of === 'space' ? read.manifest.apps.map(({ folder }) => folder) : [],
  )

async function checkArchives(work: CheckWork): Promise<void> {
  const { path, archives } = work
  if (archives.length > mostApps) {
    await refuse(work, refusalOf('tooManyApps', [], archives.length))
    return
  }
  const found: Finding[] = []
  for (const [index, part] of archives.entries()) {
    const others = found.reduce((sum, { bytes }) => sum + bytes, 0)
    // Each archive is read twice: once to verify it, once to plan it.
    const progress = progressOfPart(work, index, 2 * archives.length)
    found.push(await findRefusal({ path, part }, { ...work, progress, others }))
  }
  const refusal = refusalOfParts(archives, found)
  if (refusal) {
    await refuse(work, refusal)
    return
  }
  const parts = archives.map((part, index) => ({
    part,
    signature: found[index]?.signature ?? null,
    bytes: found[index]?.bytes ?? 0,
  }))
  await planParts(work, parts, archives.length)
}

/** The progress of each part is scaled to this number of steps, because the parts count in different units. */
const steps = 1_000

const progressOfPart =
  ({ progress }: MoveWork, round: number, rounds: number) =>
  (done: number, total: number) =>
    progress(round * steps + Math.floor((steps * done) / Math.max(total, 1)), rounds * steps, 'share')

/** Plans the parts and stores them. `rounds`: number of passes over parts that are already done, for the progress. */
async function planParts(work: MoveWork, parts: readonly VerifiedPart[], rounds: number): Promise<void> {
  const { db, scope, move, path } = work
  const createdBy = move.createdBy?._id ?? null
  const planned: (Planned & { id: string; part: string; bytes: number; createdBy: string | null })[] = []
  for (const [index, { part, signature, bytes }] of parts.entries()) {
    const context = {
      ...movePlanContext(work, signature),
      onProgress: progressOfPart(work, rounds + index, rounds + parts.length),
      at: (what: string) => work.at(`${part}/${what}`),
    }
    planned.push({ ...(await planChecked({ path, part }, context)), id: newId(), part, bytes, createdBy })
  }
  const appLinks = await linksBetween(
    path,
    parts.map(({ part }) => part),
    work,
  )
  await inTransaction(db, async (tx) => {
    await insertAppParts(tx, scope, move.id, planned)
    await updateMove(tx, scope, move.id, { state: 'planned', kind: 'several', appLinks })
  })
}

/** Returns the problems of several archives as one refusal. Each item is prefixed with its folder. */
function refusalOfParts(parts: readonly string[], found: readonly Finding[]): MoveRefusal | undefined {
  const refused = found.flatMap(({ refusal }, index) => (refusal ? [{ part: parts[index], refusal }] : []))
  // `tooLarge` takes precedence over other codes: such an archive would fill the disk and is not read further.
  const first = refused.find(({ refusal }) => refusal.code === 'tooLarge') ?? refused[0]
  if (!first) return undefined
  const items = refused.flatMap(({ part, refusal }) =>
    refusal.items.length > 0
      ? refusal.items.map(({ kind, what }) => ({ kind, what: `${part}/${what}` }))
      : [{ kind: 'part', what: String(part) }],
  )
  const count = refused.reduce((sum, { refusal }) => sum + Math.max(refusal.count, 1), 0)
  return refusalOf(first.refusal.code, items, count)
}
