import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArchiveSource, openArchive } from './source.ts'

/** Number of bytes at the start of a manifest that are enough to recognise an archive. */
const headBytes = 4_096
/** Maximum number of manifests that are checked. */
const mostLooked = 2_000

/**
 * Returns the subfolders of a zip or folder that each contain an archive, in order of their names, at most two levels
 * deep. The rescue command saves each app of a space into its own folder, and users zip these folders together. Returns
 * none for an archive at the top level, and for unreadable files.
 */
export async function archivesIn(path: string): Promise<string[]> {
  const source = await openArchive(path, '').catch(() => undefined)
  if (!source) return []
  try {
    if (await source.has('manifest.json')) return []
    const isFolder = (await stat(path)).isDirectory()
    const candidates: string[] = []
    for await (const name of isFolder ? manifestsBelow(path, source) : source.list())
      if (/^(?:[^/\p{Cc}]{1,100}\/){1,2}manifest\.json$/u.test(name) && candidates.push(name) >= mostLooked)
        break
    const found: string[] = []
    for (const name of candidates.sort()) {
      const folder = name.slice(0, -'/manifest.json'.length)
      const isInAnother = found.some((other) => folder.startsWith(`${other}/`))
      if (!isInAnother && (await isOfArchive(source, name))) found.push(folder)
    }
    return found
  } finally {
    source.close()
  }
}

/** Yields the manifests up to two levels below a folder. A deeper search could read a whole disk. */
async function* manifestsBelow(path: string, source: ArchiveSource): AsyncGenerator<string> {
  for (const folder of await foldersIn(path)) {
    const inner = await foldersIn(join(path, folder))
    for (const place of [folder, ...inner.map((name) => `${folder}/${name}`)])
      if (await source.has(`${place}/manifest.json`)) yield `${place}/manifest.json`
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

async function isOfArchive(source: ArchiveSource, name: string): Promise<boolean> {
  try {
    let head = ''
    for await (const chunk of source.read(name, Number.MAX_SAFE_INTEGER)) {
      head += chunk.toString('latin1')
      if (head.length >= headBytes) break
    }
    return /^\s*\{\s*"format"\s*:\s*"imori-archive"/.test(head.slice(0, headBytes))
  } catch {
    return false
  }
}
