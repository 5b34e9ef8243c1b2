import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { membersOf } from '#archive/space-format.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import { apart, isTooMuch, kindOf } from './moves.apart.ts'
import { carriedRefusal, planCarried } from './moves.carried.ts'
import { isAppTaken, takenAssets, takenDocuments } from './moves.clashes.ts'
import { withArchive } from './moves.files.ts'
import { type Checked, type Finding, mostItems } from './moves.verify.ts'

/** What could be read and cannot be planned. */
export class Unplannable extends Error {
  readonly refusal: MoveRefusal
  constructor(refusal: MoveRefusal, cause: unknown) {
    super(refusal.code, { cause })
    this.refusal = refusal
  }
}

interface Around {
  db: Db
  scope: SpaceScope
  /** As it was sent. */
  fileName: string
  language: Language | undefined
  signature: Signature | null
  signal: AbortSignal
  onProgress(done: number, total: number, unit?: JobUnit): Promise<void>
  at(what: string): void
  /** Other hands for the work than the threads of moves. */
  apart?: typeof apart
}

/** The plan of an archive that was verified. Throws Unplannable for what no thread could plan. */
export function planChecked({ path, part }: Checked, around: Around): Promise<AnyMovePlan> {
  const { db, scope, signature, onProgress, at } = around
  return withArchive(
    path,
    async (source, read): Promise<AnyMovePlan> =>
      read.of === 'app'
        ? planCarried(source, read.manifest, { db, scope, signature, onProgress, at })
        : planApart({ path, part }, around),
    part,
  )
}

/** Recognising what values are looks at each of them for each type: a thread does it, and asks for what is in the database. */
function planApart(checked: Checked, around: Around) {
  const { db, scope, fileName, language, signal, onProgress, at } = around
  const work = around.apart ?? apart
  return work(
    'plan',
    { ...checked, language },
    {
      signal,
      at,
      progress: (done, total) => onProgress(done, total ?? 0, 'bytes'),
      answers: {
        isAppTaken: (uid) => isAppTaken(db, scope, uid),
        takenDocuments: (ids) => takenDocuments(db, scope, ids),
        takenAssets: (ids) => takenAssets(db, scope, ids),
      },
    },
  ).catch((error) => {
    if (!isTooMuch(error)) throw error
    const what = checked.part ?? fileName
    throw new Unplannable({ code: 'tooComplex', items: [{ kind: kindOf(error), what }], count: 1 }, error)
  })
}

/** What is wrong with the apps of an archive whose files are all right; undefined: nothing. */
async function contradictions(source: ArchiveSource, read: AnyManifest): Promise<MoveRefusal | undefined> {
  if (read.of === 'contents') return undefined
  if (read.of === 'app') return carriedRefusal(source, read.manifest)
  let all: MoveRefusal | undefined
  for (const { folder, source: inside, manifest } of membersOf(source, read.manifest)) {
    const refusal = await carriedRefusal(inside, manifest)
    if (!refusal) continue
    const items = refusal.items.map(({ kind, what }) => ({ kind, what: `${folder}/${what}` }))
    const { items: before = [], count = 0 } = all ?? {}
    all = { ...refusal, items: [...before, ...items].slice(0, mostItems), count: count + refusal.count }
  }
  return all
}

/** Looks at every file of an archive, in a thread. `others`: bytes that others unpack to that come with it. */
export async function findRefusal(
  checked: Checked,
  {
    progress,
    signal,
    others,
  }: { progress(done: number, total: number): Promise<void>; signal: AbortSignal; others?: number },
): Promise<Finding> {
  try {
    const found = await apart(
      'verify',
      { ...checked, others },
      { signal, progress: (done, total) => progress(done, total ?? 0) },
    )
    if (found.refusal) return found
    const refusal = await withArchive(
      checked.path,
      (source, read) => contradictions(source, read),
      checked.part,
    )
    return { ...found, refusal }
  } catch (error) {
    if (!isTooMuch(error)) throw error
    return { refusal: { code: 'tooLarge', items: [], count: 0 }, signature: null, bytes: 0 }
  }
}
