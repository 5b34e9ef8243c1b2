import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/* Apps that were written lie on the disk of the server until they expire, and so does what they are made of meanwhile. */

const folder = (dataDir: string) => join(dataDir, 'exports')

/** Where the file of an export lies. */
export const exportPath = (dataDir: string, spaceId: number, id: string): string =>
  join(folder(dataDir), `${spaceId}-${id}.zip`)

/** An empty folder for what the file is made of. */
export async function makeWorkFolder(dataDir: string, spaceId: number, id: string): Promise<string> {
  const path = join(folder(dataDir), `${spaceId}-${id}.work`)
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  return path
}

/** Removes files whose exports are gone or expired; `kept` says which of some ids are neither. Answers how many. */
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
