import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readManifest } from '#archive/manifest.ts'
import { openArchive } from '#archive/source.ts'
import { writeFolderZip, writeZip } from '#archive/zip.ts'
import type { Move } from '#shared/contract/moves.ts'
import type { Messages } from './messages.ts'
import type { Calls } from './server-calls.ts'

interface ImportOptions {
  path: string
  server: string
  space: string
  /** Start without being asked. */
  yes: boolean
  calls: Calls
  text: Messages
  say: (line: string) => void
}

/** `done`: imported; `planned`: to be looked at; `failed`: refused, or stopped. */
export const exitCodes = { done: 0, failed: 1, planned: 2 } as const

const lookEvery = 500

/** Brings an archive to a server: uploads it or goes on with it, shows the plan, imports it. Answers the exit code. */
export async function runImport(options: ImportOptions): Promise<number> {
  const { path, server, space, yes, calls, text, say } = options
  const packed = await zipOf(path, () => say(text.packing))
  try {
    let move = await findOrCreate(calls, packed)
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
      say(text.refused(move.refusal.code))
      for (const { kind, what } of move.refusal.items) say(`  ${kind}: ${what}`)
      return exitCodes.failed
    }
    const url = `${server.replace(/\/$/, '')}/${space}/-/moves/${move._id}`
    if (move.state === 'planned' || move.state === 'undone') {
      await showPlan(calls, move, text, say)
      if (!yes) {
        say(text.lookAt(`${url}/plan`))
        return exitCodes.planned
      }
      move = await calls.act(move._id, 'start')
    } else if (move.stopped) move = await calls.act(move._id, 'retry')
    move = await settle(calls, move, (percent) => say(text.importing(percent)))
    if (move.stopped) {
      say(text.stopped(move.stopped.code))
      return exitCodes.failed
    }
    say(text.done(move.report?.documents ?? 0, move.report?.assets ?? 0))
    for (const { code, path: at, count } of move.report?.problems ?? []) say(text.report(code, at, count))
    say(text.decide(url))
    return exitCodes.done
  } finally {
    await packed.remove()
  }
}

/** The same archive that was not accepted yet is gone on with. */
async function findOrCreate(calls: Calls, { name, size }: { name: string; size: number }): Promise<Move> {
  const known = (await calls.list()).find(
    (move) =>
      move.fileName === name && move.fileSize === size && !['accepted', 'refused'].includes(move.state),
  )
  return known ?? calls.create(name, size)
}

/** Waits until no job is at work on the move. */
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

async function showPlan(
  calls: Calls,
  move: Move,
  text: Messages,
  say: (line: string) => void,
): Promise<void> {
  const plan = await calls.plan(move._id)
  say(text.plan(plan.app.name, plan.counts.documents, plan.counts.assets))
  for (const { name, uid, fields, documents } of plan.models) {
    const count = Object.values(documents).reduce((sum, one) => sum + one, 0)
    say(text.model(name, uid, fields.length, count))
    for (const { field } of fields) say(`    ${field.uid}: ${field.type}${field.multiple ? '[]' : ''}`)
  }
  for (const { code, path, count } of plan.problems) say(text.problem(code, path, count))
}

/** One file: itself, or a zip that is made of the folder, be it an archive or an export in several files. */
async function zipOf(path: string, onPack: () => void) {
  const found = await stat(path)
  const name = basename(resolve(path))
  if (found.isFile()) return { path, name, size: found.size, remove: async () => {} }
  const isArchive = (await stat(join(path, 'manifest.json')).catch(() => undefined))?.isFile() === true
  const folder = await mkdtemp(join(tmpdir(), 'imori-import-'))
  onPack()
  const target = join(folder, 'archive.zip')
  const size = isArchive ? await zipArchive(path, target) : await writeFolderZip(path, target)
  return {
    path: target,
    name: `${name}.zip`,
    size,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function zipArchive(path: string, target: string): Promise<number> {
  const source = await openArchive(path)
  const manifest = await readManifest(source, path).finally(() => source.close())
  return writeZip(path, manifest, target)
}
