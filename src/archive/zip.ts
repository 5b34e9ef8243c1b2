import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { renameFirmly, sizeOf } from './files.ts'
import type { Manifest } from './format.ts'
import { openArchive } from './source.ts'

/**
 * A fixed time for entries, so that the same archive yields the same bytes. It is the earliest time that a zip can
 * contain.
 */
const entryTime = new Date(1980, 0, 1, 0, 0, 0)

/**
 * Packs the manifest, the files in `beside` and the files that the manifest lists into a zip, in this order. The zip is
 * streamed and renamed to its final path when complete. Returns its size in bytes.
 */
export async function writeZip(
  dir: string,
  manifest: Pick<Manifest, 'files'>,
  target: string,
  /** Files that the manifest does not list. */
  beside: readonly string[] = [],
): Promise<number> {
  const unnamed = ['manifest.json', ...beside].map(async (path) => ({
    path,
    bytes: (await stat(join(dir, path))).size,
  }))
  const files = [...(await Promise.all(unnamed)), ...manifest.files]
  return packZip(files, (path) => createReadStream(join(dir, path)), target)
}

/** Packs files from any place into a zip. Opens each file in its turn. Returns the size of the zip in bytes. */
export async function packZip(
  files: readonly { path: string; bytes: number }[],
  open: (path: string) => Readable,
  target: string,
): Promise<number> {
  const zip = new yazl.ZipFile()
  const out = zip.outputStream as PassThrough
  const fail = (error: Error) => out.destroy(error)
  zip.on('error', fail)
  let reading: Readable | undefined
  const entry = { mtime: entryTime, mode: 0o100644, forceDosTimestamp: true }
  for (const { path, bytes } of files) {
    // Most assets are already compressed.
    const compress = !/(?:^|\/)assets\//.test(path)
    zip.addReadStreamLazy(path, { ...entry, compress, size: bytes }, (give) => {
      reading = open(path).on('error', fail)
      give(null, reading)
    })
  }
  zip.end()
  try {
    return await writeWhole(out, target)
  } finally {
    reading?.destroy()
  }
}

/**
 * Packs several archives from the subfolders of a folder: the files of their manifests and the files `beside` them,
 * each manifest first. Returns the size of the zip in bytes.
 */
export async function writeArchivesZip(
  dir: string,
  archives: readonly { part: string; manifest: Pick<Manifest, 'files'>; beside?: readonly string[] }[],
  target: string,
): Promise<number> {
  const files: { path: string; bytes: number }[] = []
  for (const { part, manifest, beside = [] } of archives) {
    for (const name of ['manifest.json', ...beside])
      files.push({ path: `${part}/${name}`, bytes: (await stat(join(dir, part, name))).size })
    for (const { path, bytes } of manifest.files) files.push({ path: `${part}/${path}`, bytes })
  }
  return packZip(files, (path) => createReadStream(join(dir, path)), target)
}

/**
 * Packs every plain file of a folder, except working files and files that operating systems create. Returns the size of
 * the zip in bytes.
 */
export async function writeFolderZip(dir: string, target: string): Promise<number> {
  const source = await openArchive(dir)
  const files: { path: string; bytes: number }[] = []
  for await (const path of source.list()) {
    const bytes = await sizeOf(join(dir, path))
    if (bytes >= 0) files.push({ path, bytes })
  }
  source.close()
  return packZip(files, (path) => createReadStream(join(dir, path)), target)
}

/** Writes a file and renames it to its final path when complete. Returns its size in bytes. */
async function writeWhole(bytes: Readable, target: string): Promise<number> {
  const growing = `${target}.new`
  await rm(growing, { force: true })
  try {
    await pipeline(bytes, createWriteStream(growing, { flags: 'wx', flush: true }))
  } catch (error) {
    await rm(growing, { force: true })
    throw error
  }
  await renameFirmly(growing, target)
  return (await stat(target)).size
}
