import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { appFormatVersion } from '#archive/app-format.ts'
import { NotAnArchive } from '#archive/errors.ts'
import { readAnyManifest } from '#archive/manifest.ts'
import { workingFolder } from '#archive/names.ts'
import { archivesIn } from '#archive/several.ts'
import { signaturePath } from '#archive/signature.ts'
import { openArchive } from '#archive/source.ts'
import { writeArchivesZip, writeFolderZip, writeZip } from '#archive/zip.ts'
import { isCarried, moveProblems } from '#shared/contract/move-plans.ts'
import type { Move } from '#shared/contract/moves.ts'
import { type NamedApp, requireKnown } from './chosen-apps.ts'
import type { Messages } from './messages.ts'
import {
  type PublicationOptions,
  printPublication,
  printStates,
  storeMovePlan,
  withPublication,
} from './publication.ts'
import type { Sentences } from './sentences.ts'
import type { Calls } from './server-calls.ts'
import { showApps } from './several-apps.ts'
import { findOrigin, showChanges, showOutcome, type UpdateOptions } from './update.ts'

interface ImportOptions extends PublicationOptions {
  path: string
  server: string
  space: string
  /** Apps to import from an archive with several apps. Empty: all apps, or the apps chosen in an earlier run. */
  apps: readonly NamedApp[]
  /** Whether to start without confirmation. */
  yes: boolean
  /**
   * The app to update from the archive, with the choices for conflicts. Left out: apps of the archive become new apps.
   */
  update?: UpdateOptions | undefined
  calls: Calls
  text: Messages
  sentences: Sentences
  say: (line: string) => void
}

/**
 * `done`: imported, or nothing to import. `planned`: the plan has to be checked. `failed`: refused, stopped, or
 * imported incompletely.
 */
export const exitCodes = { done: 0, failed: 1, planned: 2 } as const

const lookEvery = 500

/**
 * Imports an archive: uploads it or resumes an upload, shows the plan, and starts the import. Returns the exit code.
 */
export async function runImport(options: ImportOptions): Promise<number> {
  const { path, server, space, yes, update, calls, text, sentences, say } = options
  const packed = await zipOf(path, () => say(text.packing))
  try {
    const updates = update && (await findOrigin(calls, update.app))._id
    let move = await findOrCreate(calls, packed, updates)
    if (move.state === 'uploading') {
      let told = -1
      move = await calls.upload(move._id, packed.path, packed.size, (sent, again) => {
        if (again) say(text.again)
        const percent = Math.floor((100 * sent) / packed.size)
        if (percent < told + 5 && percent !== 100) return
        told = percent
        say(text.uploading(percent))
      })
    }
    if (move.state === 'checking') say(text.checking)
    move = await settle(calls, move, (percent) => say(text.checkingSoFar(percent)))
    if (move.refusal) {
      const { items, count } = move.refusal
      say(text.refused(sentences.refusal(move.refusal)))
      for (const { kind, what } of items) say(`  ${sentences.item(kind)}: ${what}`)
      if (count > items.length) say(text.refusedMore(count - items.length))
      return exitCodes.failed
    }
    const url = `${server.replace(/\/$/, '')}/${space}/-/moves/${move._id}`
    if (update && move.state === 'accepted' && move.startedAt === null) {
      say(text.nothingChanged)
      return exitCodes.done
    }
    if (move.state === 'planned' || move.state === 'undone') {
      if (!(await showWhatComes(move, options))) {
        say(text.cannotStart(`${url}/plan`))
        return exitCodes.planned
      }
      if (!yes) {
        say(text.lookAt(update ? url : `${url}/plan`))
        return exitCodes.planned
      }
      move = await calls.act(move._id, 'start')
    } else if (move.stopped) move = await calls.act(move._id, 'retry')
    move = await settle(calls, move, (percent) => say(text.importing(percent)))
    if (move.stopped) {
      say(text.stopped(sentences.error(move.stopped.code)))
      return exitCodes.failed
    }
    say(text.done(move.report?.documents ?? 0, move.report?.assets ?? 0))
    if (update) return (await showOutcome(move, options)) ? exitCodes.done : exitCodes.failed
    for (const problem of move.report?.problems ?? [])
      say(text.report(sentences.report(problem), problem.path))
    say(text.decide(url))
    return exitCodes.done
  } finally {
    await packed.remove()
  }
}

/**
 * Returns the import with the same file name, file size and updated app, unless it was accepted or refused. Otherwise
 * creates an import.
 */
async function findOrCreate(
  calls: Calls,
  { name, size }: { name: string; size: number },
  updates?: string,
): Promise<Move> {
  const known = (await calls.list()).find(
    (move) =>
      move.fileName === name &&
      move.fileSize === size &&
      move.updates === (updates ?? null) &&
      !['accepted', 'refused'].includes(move.state),
  )
  return known ?? calls.create(name, size, updates)
}

/** Waits until no job is running for the import. Returns its last state. `tell` receives the progress of the job. */
async function settle(calls: Calls, begun: Move, tell: (percent: number) => void): Promise<Move> {
  let move = begun
  let told = 0
  while (['checking', 'importing', 'undoing'].includes(move.state) && !move.stopped) {
    await sleep(lookEvery)
    move = await calls.get(move._id)
    const { done = 0, total = null } = move.job?.progress ?? {}
    const percent = total ? Math.floor((100 * Math.min(done, total)) / total) : 0
    if (percent <= told) continue
    told = percent
    tell(percent)
  }
  return move
}

/** Prints the plan, or for an update the changes. Returns whether the import can be started. */
async function showWhatComes(move: Move, options: ImportOptions): Promise<boolean> {
  if (options.update) await showChanges(move, options.update, options)
  else return move.apps.length > 0 ? showApps(move, options) : showPlan(move, options)
  return true
}

/** Prints the plan. Returns whether the import can be started. */
async function showPlan(move: Move, options: ImportOptions): Promise<boolean> {
  const { calls, text, sentences, say, apps } = options
  const before = await calls.plan(move._id)
  requireKnown(apps, [before.source.app])
  const uid = apps[0]?.uid ?? before.app.uid
  const named = uid === before.app.uid ? before : { ...before, app: { ...before.app, uid } }
  const plan = await storeMovePlan(calls, move._id, { before, plan: withPublication(named, options) })
  say(text.plan(plan.app.name, plan.counts.documents, plan.counts.assets))
  const models = isCarried(plan)
    ? plan.models.map((model) => ({ ...model, states: [] }))
    : plan.models.map(({ fields, documents, states = [], ...model }) => ({
        ...model,
        documents: Object.values(documents).reduce((sum, one) => sum + one, 0),
        fields: fields.map(({ field }) => field),
        states,
      }))
  for (const { name, uid, fields, documents, states } of models) {
    say(text.model(name, uid, fields.length, documents))
    for (const field of fields)
      say(`    ${field.uid}: ${field.type}${'multiple' in field && field.multiple ? '[]' : ''}`)
    printStates(states, options)
  }
  printPublication(plan, options)
  for (const { kind, sentence, places } of sentences.problems(plan.problems)) {
    say(text.problem(kind, sentence))
    for (const place of places.slice(0, mostPlaces)) say(`    ${place}`)
  }
  return plan.problems.every(({ code }) => moveProblems[code] !== 'stops')
}

/** Maximum number of paths printed per problem. */
const mostPlaces = 10

/** Thrown if the file or folder is empty. */
export class NothingToSend extends Error {}

/** Returns the file to upload: the given file, or a zip of the folder (an archive, or an export with several files). */
async function zipOf(path: string, onPack: () => void) {
  const found = await stat(path)
  if (found.isFile() && found.size === 0) throw new NothingToSend()
  const name = basename(resolve(path))
  if (found.isFile()) return { path, name, size: found.size, remove: async () => {} }
  if ((await readdir(path)).length === 0) throw new NothingToSend()
  const isArchive = (await stat(join(path, 'manifest.json')).catch(() => undefined))?.isFile() === true
  const folder = await mkdtemp(join(tmpdir(), 'imori-import-'))
  onPack()
  const target = join(folder, 'archive.zip')
  const parts = isArchive ? [] : await finishedArchivesIn(path)
  const size = isArchive
    ? await zipArchive(path, target)
    : parts.length > 1
      ? await zipArchives(path, parts, target)
      : await writeFolderZip(path, target)
  return {
    path: target,
    name: `${name}.zip`,
    size,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function zipArchive(path: string, target: string): Promise<number> {
  const { manifest, beside } = await filesOf(path)
  return writeZip(path, manifest, target, beside)
}

async function zipArchives(path: string, parts: readonly string[], target: string): Promise<number> {
  const archives = []
  for (const part of parts) archives.push({ part, ...(await filesOf(join(path, part))) })
  return writeArchivesZip(path, archives, target)
}

/** Returns the manifest of the archive in a folder. `beside`: further files that belong to the archive. */
async function filesOf(path: string) {
  const source = await openArchive(path)
  try {
    const { version, manifest } = await readAnyManifest(source, path)
    const hasSignature = version === appFormatVersion && (await source.has(signaturePath))
    return { manifest, beside: hasSignature ? [signaturePath] : [] }
  } finally {
    source.close()
  }
}

/**
 * Returns the subfolders that contain an archive, like {@link archivesIn}. Throws `NotAnArchive` if a direct subfolder
 * contains an unfinished archive, because it would be skipped silently.
 */
async function finishedArchivesIn(path: string): Promise<string[]> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const folder = join(path, entry.name)
    const inside = await readdir(folder)
    if (inside.includes(workingFolder) && !inside.includes('manifest.json'))
      throw new NotAnArchive(folder, 'not_finished')
  }
  return archivesIn(path)
}
