import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BrokenSource } from '#archive/from/broken-source.ts'
import { convertSource } from '#archive/from/convert.ts'
import { type FetchFile, NotFetched } from '#archive/from/fetched-files.ts'
import { InvalidJson } from '#archive/json.ts'
import { readManifestJson } from '#archive/manifest.ts'
import { isRecord } from '#archive/shapes.ts'
import { type ArchiveSource, openArchive, TooManyBytes } from '#archive/source.ts'
import { writeZip } from '#archive/zip.ts'
import { renderMarkdown } from '#server/content/html.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import type { Outgoing } from '#server/outgoing.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import { refusalOf } from '../archive/refusal.ts'

interface Upload {
  /** Path of the upload, which the archive replaces. */
  path: string
  fileName: string
  /** Folder for temporary files, which a retry reuses. */
  folder: string
  language: Language
  progress(done: number, total: number | null): Promise<void>
  outgoing: Outgoing
}

const codes = {
  unknown: 'unknownSource',
  broken: 'brokenSource',
  tooLarge: 'tooLarge',
  tooComplex: 'tooComplex',
} as const

/**
 * Converts an export of another service to an archive. Leaves archives unchanged. Returns a refusal if the file cannot
 * be converted.
 */
export async function convertUpload(upload: Upload): Promise<MoveRefusal | undefined> {
  const { path, fileName, folder, language, progress, outgoing } = upload
  if (await isArchive(path)) return undefined
  const archive = join(folder, 'archive.zip')
  try {
    const manifest = await convertSource(path, {
      name: fileName,
      folder,
      // Times without a zone are assumed to be Japanese time if the user's language is Japanese, otherwise UTC.
      zone: language === 'ja' ? '+09:00' : 'Z',
      renderMarkdown,
      fetchFile: fetcher(outgoing),
      onProgress: (done, total) => progress(done, total),
    })
    await writeZip(join(folder, 'archive'), manifest, archive)
    await rename(archive, path)
  } catch (error) {
    if (!(error instanceof BrokenSource)) throw error
    const { reason, items } = error
    await rm(folder, { recursive: true, force: true })
    return refusalOf(
      codes[reason],
      items.map(({ file, why }) => ({ kind: why, what: file })),
    )
  }
  await rm(folder, { recursive: true, force: true })
  return undefined
}

/** Returns whether the file is an archive. A zip that cannot be opened also counts: it is a damaged archive. */
async function isArchive(path: string): Promise<boolean> {
  let source: ArchiveSource
  try {
    source = await openArchive(path)
  } catch {
    return isZip(path)
  }
  try {
    const { found: manifest } = await readManifestJson(source)
    return isRecord(manifest) && manifest.format === 'imori-archive'
  } catch (error) {
    // A manifest that cannot be read safely also counts, because the check then refuses the archive.
    return error instanceof InvalidJson || error instanceof TooManyBytes
  } finally {
    source.close()
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.toString('latin1') === 'PK'
  } finally {
    await file.close()
  }
}

/** Fetches files from public IP addresses, and from origins that the operator listed for imports. */
function fetcher(outgoing: Outgoing): FetchFile {
  const asNotFetched = (error: unknown): unknown => {
    if (!(error instanceof OutgoingHttpError)) return error
    return new NotFetched(error.code === 'network' ? error.detail || error.code : error.code)
  }
  async function* pieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* body
    } catch (error) {
      throw asNotFetched(error)
    }
  }
  return async (url) => {
    try {
      const { status, headers, body, discard } = await outgoing.clientFor('imports', url).request(url, {
        maxBytes: uploadLimits.bytes,
        timeoutMs: 60_000,
        idleMs: 15_000,
        maxRedirects: 5,
      })
      if (status === 200) return { chunks: pieces(body), type: String(headers['content-type'] ?? '') }
      discard()
      throw new NotFetched(String(status))
    } catch (error) {
      throw asNotFetched(error)
    }
  }
}
