import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/* Exported files are on the server's disk until they expire. */

const folder = (dataDir: string) => join(dataDir, 'exports')

/** Returns the path of an export's file. */
export const exportPath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.zip`)

/** Creates an empty folder in which the contents of the file are built. Returns its path. */
export async function makeWorkFolder(dataDir: string, spaceId: number, id: string): Promise<string> {
  const path = join(folder(dataDir), `${spaceId}-${id}.work`)
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  return path
}

/**
 * Removes the files of deleted and expired exports. `kept` returns the ids of the exports that have or will have a
 * file. Returns the number of removed files and folders.
 */
export async function removeOrphans(
  dataDir: string,
  kept: (ids: string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const found = (await readdir(folder(dataDir)).catch(() => [])).flatMap((name) => {
    const [, id] = /^\d+-([0-9a-f]{24})\.(?:zip|zip\.new|work)$/.exec(name) ?? []
    return id === undefined ? [] : [{ name, id }]
  })
  const known = await kept(found.map(({ id }) => id))
  const orphans = found.filter(({ id }) => !known.has(id))
  for (const { name } of orphans) await rm(join(folder(dataDir), name), { recursive: true, force: true })
  return orphans.length
}
