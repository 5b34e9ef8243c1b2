import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NotAnArchive } from '#archive/errors.ts'
import { type AnyManifest, readAnyManifest } from '#archive/manifest.ts'
import { type ArchiveSource, openArchive } from '#archive/source.ts'
import { membersOf } from '#archive/space-format.ts'

/*
 * Archives stay on the server's disk until the move is refused, accepted or deleted, because reading a zip needs random
 * access.
 */

const folder = (dataDir: string) => join(dataDir, 'moves')

/** Returns the path of a move's archive. */
export const archivePath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.zip`)

/** Returns the path of a move's folder for temporary files. */
export const workPath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.work`)

export async function makeMovesFolder(dataDir: string): Promise<void> {
  await mkdir(folder(dataDir), { recursive: true })
}

export async function removeFiles(dataDir: string, spaceId: number, id: string): Promise<void> {
  await rm(archivePath(dataDir, spaceId, id), { force: true })
  await rm(workPath(dataDir, spaceId, id), { recursive: true, force: true })
}

/**
 * Removes the files that no move needs. `needed` returns the ids whose files are still needed. Returns the number of
 * removed files and folders.
 */
export async function removeOrphans(
  dataDir: string,
  needed: (ids: string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const found = (await readdir(folder(dataDir)).catch(() => [])).flatMap((name) => {
    const [, id] = /^\d+-([0-9a-f]{24})\.(?:zip|work)$/.exec(name) ?? []
    return id === undefined ? [] : [{ name, id }]
  })
  const kept = await needed(found.map(({ id }) => id))
  const orphans = found.filter(({ id }) => !kept.has(id))
  for (const { name } of orphans) await rm(join(folder(dataDir), name), { recursive: true, force: true })
  return orphans.length
}

/**
 * Opens an archive, calls `work` with it, and closes it. `part`: the folder of one archive in a file with several
 * archives. Throws `NotAnArchive`.
 */
export async function withArchive<T>(
  path: string,
  work: (source: ArchiveSource, read: AnyManifest) => Promise<T>,
  part?: string,
): Promise<T> {
  const source = await openArchive(path, part)
  try {
    // The apps of a space share one manifest, which is stored next to their folders.
    if (part !== undefined && !(await source.has('manifest.json'))) return await withMember(path, part, work)
    return await work(source, await readAnyManifest(source, path))
  } finally {
    source.close()
  }
}

/** Calls `work` with one app in the archive of a space. Throws `NotAnArchive` if the archive has no app in `folder`. */
function withMember<T>(
  path: string,
  folder: string,
  work: (source: ArchiveSource, read: AnyManifest) => Promise<T>,
): Promise<T> {
  return withArchive(path, async (whole, read) => {
    const members = read.of === 'space' ? membersOf(whole, read.manifest) : []
    const member = members.find((one) => one.folder === folder)
    if (read.of !== 'space' || !member) throw new NotAnArchive(path, 'other')
    return work(member.source, { ...read, of: 'app', manifest: member.manifest })
  })
}
