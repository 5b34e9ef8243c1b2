import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/* Exported files, and the work folders they are built in, lie on the server's disk until they expire. */

const folder = (dataDir: string) => join(dataDir, 'exports')

/** The path of an export's file. */
export const exportPath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.zip`)

/** Creates an empty folder in which the file's contents are built. */
export async function makeWorkFolder(dataDir: string, spaceId: number, id: string): Promise<string> {
  const path = join(folder(dataDir), `${spaceId}-${id}.work`)
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  return path
}

/**
 * Removes files of deleted or expired exports, and returns their number. `kept` selects the ids of exports that still
 * exist.
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
