import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, readLines, renameFirmly } from '#archive/files.ts'
import { workingFolder } from '#archive/names.ts'
import { type RescueFailure, toFailure } from '#rescue/failure.ts'
import { parseEntry } from '#rescue/run/journal.ts'
import { Workspace } from '#rescue/run/workspace.ts'

/** An interrupted run with its options. */
export interface UnfinishedRun {
  /** Name of the folder inside the searched folder. */
  dir: string
  space: string
  app: string
  origin: string
  models: string[]
  assetHosts: string[]
  zip: boolean
}

/** Returns the unfinished runs in the subfolders of a folder, most recent first. */
export async function findUnfinished(place: string): Promise<UnfinishedRun[]> {
  const found: { run: UnfinishedRun; at: number }[] = []
  const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isDirectory() || !(await Workspace.isUnfinished(join(place, entry.name)))) continue
    const journal = join(place, entry.name, workingFolder, 'journal.ndjson')
    const run = await readRun(entry.name, journal).catch(() => undefined)
    if (run) found.push({ run, at: (await stat(journal)).mtimeMs })
  }
  return found.sort((a, b) => b.at - a.at).map(({ run }) => run)
}

async function readRun(dir: string, journal: string): Promise<UnfinishedRun | undefined> {
  let run: UnfinishedRun | undefined
  for await (const { text } of readLines(journal)) {
    const entry = parseEntry(text)
    if (!entry) break
    if (entry.t === 'start') {
      const { space, app, origin } = entry
      run = { dir, space, app, origin, models: [], assetHosts: [], zip: false }
    }
    if (entry.t === 'asked' && run) {
      const { models, assetHosts, zip } = entry
      run = { ...run, models: [...new Set([...run.models, ...models])], assetHosts, zip }
    }
  }
  return run
}

/** Returns the reason why a run cannot work in this folder; undefined if it can. May create an empty folder. */
export async function checkFolder(
  dir: string,
  source: { space: string; app: string; origin: string },
): Promise<RescueFailure | undefined> {
  try {
    const isNew = !(await Workspace.isUnfinished(dir))
    const workspace = await Workspace.open(dir, source)
    // Cloud folders and restrictive permissions may allow only some operations, so all of them are tried.
    try {
      const probe = join(workspace.work, 'probe')
      const handle = await createFile(`${probe}.new`)
      await handle.writeFile('x')
      await handle.sync().finally(() => handle.close())
      await renameFirmly(`${probe}.new`, probe)
      await rm(probe)
    } finally {
      await workspace.close()
    }
    if (isNew) await rm(workspace.work, { recursive: true, force: true, maxRetries: 5 })
    return undefined
  } catch (error) {
    return toFailure(error, { dir })
  }
}
