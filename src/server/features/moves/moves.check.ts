import { stat } from 'node:fs/promises'
import { NotAnArchive } from '#archive/errors.ts'
import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { membersOf } from '#archive/space-format.ts'
import { verifyArchive } from '#archive/verify.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import { carriedRefusal, planCarried } from './moves.carried.ts'
import { withArchive } from './moves.files.ts'
import { planArchive } from './moves.plan.ts'

/** What is looked at: an archive, or one of several that lie side by side in a file. */
interface Checked {
  path: string
  part?: string | undefined
}

interface Around {
  db: Db
  scope: SpaceScope
  language: Language | undefined
  signature: Signature | null
  onProgress(done: number, total: number, unit?: JobUnit): Promise<void>
  at(what: string): void
}

/** The plan of an archive that was verified. */
export function planChecked({ path, part }: Checked, around: Around): Promise<AnyMovePlan> {
  const { db, scope, language, signature, onProgress, at } = around
  return withArchive(
    path,
    async (source, read): Promise<AnyMovePlan> =>
      read.of === 'app'
        ? planCarried(source, read.manifest, { db, scope, signature, onProgress, at })
        : planArchive(source, { db, scope, language, onProgress, at }),
    part,
  )
}

/** Things that are wrong with an archive and told one by one. */
export const mostItems = 100
const refusals = {
  unopenable_file: 'cutShort',
  unsafe_names: 'unsafeNames',
  not_finished: 'notFinished',
  newer: 'newerFormat',
  other: 'notAnArchive',
} as const

/** Bytes that an archive may unpack to: these, and so many times its own. Texts are a tenth of themselves in a zip, bombs a thousandth. */
const unpacked = { atMost: 1024 ** 3, times: 100 }

class Bomb extends Error {}

/** A stranger's name of a file as it can be stored and shown. */
const printable = (name: string) =>
  name
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 200)
    .toWellFormed()

/** Throws Bomb for an archive that says of itself that it is one: more than that is not unpacked. Answers how much it is. */
async function refuseBombs(
  path: string,
  files: AnyManifest['manifest']['files'],
  others = 0,
): Promise<number> {
  const { size } = await stat(path)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (others + bytes > unpacked.atMost + unpacked.times * size) throw new Bomb()
  return bytes
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

/** What came of looking at every file of an archive. */
export interface Finding {
  /** What is wrong with it; undefined: nothing. */
  refusal: MoveRefusal | undefined
  signature: Signature | null
  /** What it unpacks to. */
  bytes: number
}

/** Looks at every file of an archive. `others`: bytes that others unpack to that come with it. */
export async function findRefusal(
  { path, part }: Checked,
  {
    progress,
    signal,
    others,
  }: { progress(done: number, total: number): Promise<void>; signal: AbortSignal; others?: number },
): Promise<Finding> {
  let bytes = 0
  const refused = (code: MoveRefusal['code'], items: MoveRefusal['items'] = []): Finding => ({
    refusal: { code, items, count: items.length },
    signature: null,
    bytes,
  })
  try {
    const { problems, found, signature } = await verifyArchive(path, {
      part,
      onManifest: async ({ files }) => {
        bytes = await refuseBombs(path, files, others)
      },
      onProgress: (done, total) => {
        signal.throwIfAborted()
        void progress(done, total).catch(() => {})
      },
    })
    const refusal =
      found > 0
        ? ({ code: 'damaged', items: problems.slice(0, mostItems), count: found } as const)
        : await withArchive(path, (source, read) => contradictions(source, read), part)
    return { refusal, signature, bytes }
  } catch (error) {
    if (error instanceof Bomb) return refused('tooLarge')
    if (!(error instanceof NotAnArchive)) throw error
    const items = error.what === undefined ? [] : [{ kind: 'leadsOut', what: printable(error.what) }]
    return refused(refusals[error.reason], items)
  }
}
