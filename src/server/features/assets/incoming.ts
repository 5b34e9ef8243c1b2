import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileBytes } from '#archive/files.ts'
import type { Config } from '#server/config.ts'
import { StorageFull } from '#server/storage/driver.ts'
import { usualReserve } from '#server/storage/local.ts'
import { AppError } from '#shared/errors.ts'

/*
 * Files that are being uploaded are stored in the folder `incoming` of the data folder until they are in a storage.
 * Files that a killed process leaves there are deleted by age ({@link removeLeftovers}).
 */

/** The data folder, and the number of bytes that must stay free there, if the operator sets it. */
export type IncomingPlace = Pick<Config, 'dataDir' | 'storage'>

/** A file received completely. The caller removes it after use. */
export interface Incoming {
  path: string
  size: number
  /** SHA-256. */
  hash: Buffer
  bytes(): AsyncIterable<Uint8Array>
  remove(): Promise<void>
}

export const incomingFolder = (dataDir: string) => join(dataDir, 'incoming')

/**
 * Writes a stream to a file. Throws 413 for more than `maximum` bytes, `StorageFull` for a full disk, and errors of the
 * stream. An incomplete file is removed.
 */
export async function receive(
  place: IncomingPlace,
  bytes: AsyncIterable<Uint8Array>,
  { maximum, signal }: { maximum: number; signal?: AbortSignal | undefined },
): Promise<Incoming> {
  const path = await newPath(place, maximum)
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of bytes) {
        signal?.throwIfAborted()
        size += chunk.byteLength
        if (size > maximum) throw new AppError('RequestFileTooLarge')
        hash.update(chunk)
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    await rm(path, { force: true })
    throw whenFull(error)
  }
  return incoming(path, size, hash.digest())
}

/** Writes bytes in memory to a file, like {@link receive}. */
export async function receiveBytes(place: IncomingPlace, bytes: Uint8Array): Promise<Incoming> {
  const path = await newPath(place, bytes.byteLength)
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    await rm(path, { force: true })
    throw whenFull(error)
  }
  return incoming(path, bytes.byteLength, createHash('sha256').update(bytes).digest())
}

const incoming = (path: string, size: number, hash: Buffer): Incoming => ({
  path,
  size,
  hash,
  bytes: () => fileBytes(path),
  remove: () => rm(path, { force: true }),
})

const newPath = async (place: IncomingPlace, size: number) =>
  join(await openFolder(place, size), randomBytes(12).toString('hex'))

/**
 * Creates and returns the folder of incoming files. Throws 507 if a file of `size` bytes would use space that must stay
 * free.
 */
export async function openFolder(
  { dataDir, storage: { diskReserve } }: IncomingPlace,
  size: number,
): Promise<string> {
  const folder = incomingFolder(dataDir)
  await mkdir(folder, { recursive: true })
  const { bavail, blocks, bsize } = await statfs(folder)
  if (bavail * bsize - size < (diskReserve ?? usualReserve(blocks * bsize))) throw new StorageFull()
  return folder
}

/** Converts a disk-full error to `StorageFull`. */
export function whenFull(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' ? new StorageFull(error) : error
}

/** Removes files that were last written more than `hours` ago, and returns their number. */
export async function removeLeftovers(dataDir: string, hours: number): Promise<number> {
  const folder = incomingFolder(dataDir)
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || Date.now() - found.mtimeMs < hours * 3_600_000) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
