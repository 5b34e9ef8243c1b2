import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { membersOf } from '#archive/space-format.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { CarriedPlan, MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import { withArchive } from '../archive/archive-files.ts'
import { refusalOf } from '../archive/refusal.ts'
import { carriedRefusal, planCarried } from '../import/carried-app.ts'
import type { CheckWork, MoveWork } from '../import/import-context.ts'
import { isAppTaken, takenAssets, takenDocuments } from '../store/clashes.repository.ts'
import { updateMove } from '../store/moves.repository.ts'
import type { Turn } from '../store/turn.ts'
import { type Answers, isTooMuch, kindOf, runUploadWork } from './upload-work.ts'
import type { Checked, Finding } from './verify-upload.ts'

/** Thrown for a verified archive that cannot be planned. */
export class Unplannable extends Error {
  readonly refusal: MoveRefusal
  constructor(refusal: MoveRefusal, cause: unknown) {
    super(refusal.code, { cause })
    this.refusal = refusal
  }
}

interface Reading {
  fileName: string
  language: Language | undefined
  turn: Turn
  signal: AbortSignal
  onProgress(done: number, total: number, unit?: JobUnit): Promise<void>
  at(what: string): void
  /** Replacement for {@link runUploadWork} in tests. */
  runWork?: typeof runUploadWork
}

interface MovePlanContext extends Reading {
  db: Db
  scope: SpaceScope
  signature: Signature | null
}

export const movePlanContext = (work: MoveWork, signature: Signature | null): MovePlanContext => {
  const { db, scope, turn, signal, at, progress, move } = work
  const { fileName, language } = move
  return { db, scope, turn, signal, at, fileName, language, signature, onProgress: progress }
}

export type Planned = { kind: 'carried'; plan: CarriedPlan } | { kind: 'contents'; plan: MovePlan }

/** Plans a verified archive. Throws `Unplannable` if planning exceeds the memory or time limit of its process. */
export function planChecked({ path, part }: Checked, context: MovePlanContext): Promise<Planned> {
  return withArchive(
    path,
    async (source, read): Promise<Planned> =>
      read.of === 'app'
        ? { kind: 'carried', plan: await planCarried(source, read.manifest, context) }
        : { kind: 'contents', plan: await planContents({ path, part }, context) },
    part,
  )
}

/** Plans a verified archive of contents. Throws `Unplannable`. */
export const planContents = (checked: Checked, context: MovePlanContext): Promise<MovePlan> => {
  const { db, scope } = context
  return planInProcess(checked, context, {
    isAppTaken: (uid) => isAppTaken(db, scope, uid),
    takenDocuments: (ids) => takenDocuments(db, scope, ids),
    takenAssets: (ids) => takenAssets(db, scope, ids),
  })
}

/**
 * Plans a verified archive of contents for an import into an existing app. Reports no clashes of uids and `_id`s.
 * Throws `Unplannable`.
 */
export const planParts = (checked: Checked, work: MoveWork): Promise<MovePlan> =>
  planInProcess(checked, movePlanContext(work, null), {
    isAppTaken: async () => false,
    takenDocuments: async () => [],
    takenAssets: async () => [],
  })

/**
 * Plans in a separate process, because recognition tries each value with each type. The process sends its database
 * queries to the server.
 */
function planInProcess(checked: Checked, reading: Reading, answers: Answers) {
  const { fileName, language, turn, signal, onProgress, at } = reading
  const work = reading.runWork ?? runUploadWork
  return work(
    'plan',
    { ...checked, language },
    {
      turn,
      signal,
      at,
      progress: (done, total) => onProgress(done, total ?? 0, 'bytes'),
      answers,
    },
  ).catch((error) => {
    if (!isTooMuch(error)) throw error
    throw new Unplannable(tooComplex(error, checked.part ?? fileName), error)
  })
}

/** Returns the refusal of an archive or export whose processing exceeds the memory or time limit of its process. */
export const tooComplex = (error: unknown, what: string): MoveRefusal =>
  refusalOf('tooComplex', [{ kind: kindOf(error), what }])

/** Stores that the move is refused. */
export const refuse = ({ db, scope, move }: Pick<MoveWork, 'db' | 'scope' | 'move'>, refusal: MoveRefusal) =>
  updateMove(db, scope, move.id, { state: 'refused', refusal })

/** Checks the apps of an archive whose files are intact. Returns undefined if the apps are valid. */
async function contradictions(source: ArchiveSource, read: AnyManifest): Promise<MoveRefusal | undefined> {
  if (read.of === 'contents') return undefined
  if (read.of === 'app') return carriedRefusal(source, read.manifest)
  let all: MoveRefusal | undefined
  for (const { folder, source: inside, manifest } of membersOf(source, read.manifest)) {
    const refusal = await carriedRefusal(inside, manifest)
    if (!refusal) continue
    const items = refusal.items.map(({ kind, what }) => ({ kind, what: `${folder}/${what}` }))
    all = refusalOf(refusal.code, [...(all?.items ?? []), ...items], (all?.count ?? 0) + refusal.count)
  }
  return all
}

interface FindingContext {
  turn: Turn
  progress(done: number, total: number): Promise<void>
  signal: AbortSignal
  /** Unpacked size of the archives in the same file that are already verified, in bytes. */
  others?: number
}

/** Verifies the files of an archive in a separate process, then checks its apps. */
export async function findRefusal(
  checked: Checked,
  { turn, progress, signal, others }: FindingContext,
): Promise<Finding> {
  try {
    const found = await runUploadWork(
      'verify',
      { ...checked, others },
      { turn, signal, progress: (done, total) => progress(done, total ?? 0) },
    )
    if (found.refusal) return found
    return { ...found, refusal: await withArchive(checked.path, contradictions, checked.part) }
  } catch (error) {
    if (!isTooMuch(error)) throw error
    return { refusal: refusalOf('tooLarge'), signature: null, bytes: 0 }
  }
}

/**
 * Calls `find` with an archive that is not verified yet. If `find` throws, verifies each archive of the file and
 * returns the damage as a refusal. Rethrows the error if all archives are intact.
 */
export async function findUnverified<T>(
  find: () => Promise<T>,
  work: CheckWork,
): Promise<{ found: T; refusal?: undefined } | { refusal: MoveRefusal }> {
  try {
    return { found: await find() }
  } catch (error) {
    const { path, archives } = work
    for (const part of archives.length > 1 ? archives : [undefined]) {
      const { refusal } = await findRefusal({ path, part }, work)
      if (refusal) return { refusal }
    }
    throw error
  }
}
