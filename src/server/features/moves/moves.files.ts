import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NotAnArchive } from '#archive/errors.ts'
import { type AnyManifest, readAnyManifest } from '#archive/manifest.ts'
import { type ArchiveSource, openArchive } from '#archive/source.ts'
import { membersOf } from '#archive/space-format.ts'

/*
 * Archives that move in lie on the disk of the server until the move is accepted or deleted: a zip can only be read by who may
 * jump about in it.
 */

const folder = (dataDir: string) => join(dataDir, 'moves')

/** Where the archive of a move lies. */
export const archivePath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.zip`)

/** Where its import keeps what it has to jump about in. */
export const workPath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.work`)

export async function makeMovesFolder(dataDir: string): Promise<void> {
  await mkdir(folder(dataDir), { recursive: true })
}

export async function removeFiles(dataDir: string, spaceId: number, id: string): Promise<void> {
  await rm(archivePath(dataDir, spaceId, id), { force: true })
  await rm(workPath(dataDir, spaceId, id), { recursive: true, force: true })
}

/** Removes files whose moves are gone; `known` says which of some ids are not. Answers how many. */
export async function removeOrphans(
  dataDir: string,
  known: (ids: string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const found = (await readdir(folder(dataDir)).catch(() => [])).flatMap((name) => {
    const [, id] = /^\d+-([0-9a-f]{24})\.(?:zip|work)$/.exec(name) ?? []
    return id === undefined ? [] : [{ name, id }]
  })
  const kept = await known(found.map(({ id }) => id))
  const orphans = found.filter(({ id }) => !kept.has(id))
  for (const { name } of orphans) await rm(join(folder(dataDir), name), { recursive: true, force: true })
  return orphans.length
}

/** Has an archive, or one of several that lie side by side, open while `work` is done. Throws NotAnArchive. */
export async function withArchive<T>(
  path: string,
  work: (source: ArchiveSource, read: AnyManifest) => Promise<T>,
  part?: string,
): Promise<T> {
  const source = await openArchive(path, part)
  try {
    // Apps of a space have one manifest for all of them, which lies beside their folders.
    if (part !== undefined && !(await source.has('manifest.json'))) return await withMember(path, part, work)
    return await work(source, await readAnyManifest(source, path))
  } finally {
    source.close()
  }
}

/** The same of an app in the archive of its space. */
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
