import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest, SourceKind } from '../format.ts'
import { InvalidJson, JsonTooLarge } from '../json.ts'
import { BrokenSource, nothingRead } from './broken-source.ts'
import { buildArchive } from './build.ts'
import { Collector, type CollectorOptions } from './collected.ts'
import type { FetchFile } from './fetched-files.ts'
import { sources } from './index.ts'
import { SourceFiles, stemOf } from './source-files.ts'

interface ConvertOptions extends Pick<CollectorOptions, 'zone' | 'renderMarkdown'> {
  /** File name of the upload. */
  name: string
  /** Working folder. Files that an earlier run fetched are reused. */
  folder: string
  fetchFile: FetchFile
  /** Number of bytes that an upload may unpack to, in addition to 20 times its size. */
  allowance?: number
  /** Reports progress. `total` null: unknown. An exception aborts the conversion. */
  onProgress(done: number, total: number | null): void | Promise<void>
}

/** Entries of the working folder that are kept between runs. */
const kept: ReadonlySet<string> = new Set(['archive', 'fetched.ndjson'])

/**
 * Converts an upload to an archive in the subfolder `archive` of the folder. Detects the kind of source from the files.
 * Throws `BrokenSource`, and the errors of an unreadable zip.
 */
export async function convertSource(path: string, options: ConvertOptions): Promise<Manifest> {
  const { folder, name, zone, renderMarkdown, fetchFile, onProgress, allowance } = options
  await mkdir(folder, { recursive: true })
  for (const entry of await readdir(folder))
    if (!kept.has(entry)) await rm(join(folder, entry), { recursive: true, force: true })
  const files = await SourceFiles.open(path, name, folder, allowance)
  const startedAt = new Date()
  const collectorFor = (kind: SourceKind) =>
    new Collector({
      kind,
      folder,
      startedAt,
      zone,
      renderMarkdown,
      onProgress: (done) => onProgress(done, null),
    })
  let collector: Collector | undefined
  try {
    for (const source of sources) {
      const found = await source.recognise(files)
      if (!found) continue
      collector = collectorFor(source.kind)
      await source.convert(files, collector, found)
      for (const { path, why } of files.leftOut) collector.lost(stemOf(path), path, why)
      const { count, models, uploaded, unread } = collector
      if (count === 0 && uploaded.size === 0 && (models.size === 0 || unread.length > 0)) break
      return await buildArchive(collector, {
        kind: source.kind,
        files,
        folder,
        startedAt,
        fetchFile,
        onProgress,
      })
    }
    const leftOut = collector ? [] : files.leftOut.map(({ path, why }) => ({ file: path, why }))
    throw nothingRead([...(collector?.unread ?? []), ...files.unread, ...leftOut])
  } catch (error) {
    if (error instanceof JsonTooLarge) throw nothingRead([{ file: name, why: error.why }])
    if (error instanceof InvalidJson) throw new BrokenSource('broken', [{ file: name, why: 'json' }])
    throw error
  } finally {
    await collector?.close()
    files.close()
  }
}
