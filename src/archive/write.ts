import { join } from 'node:path'
import type { z } from 'zod'
import { HashedFile } from './files.ts'
import { type AssetLine, type Gap, type Manifest, manifestSchema } from './format.ts'
import { assetPath } from './names.ts'

/** An asset file that is already at its final path in the archive. */
export interface StoredAsset {
  sha256: string
  bytes: number
  /** Media type; may be empty. */
  type: string
}

/**
 * Writes an archive into a folder, file by file. The manifest is written last, so an archive with a manifest is
 * complete. Each file is renamed to its final path when complete. The caller creates the folders below `dir`.
 */
export class ArchiveWriter {
  readonly #dir: string
  readonly #files: Manifest['files'] = []

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Adds a file whose content `fill` writes. */
  async add(path: string, fill: (file: HashedFile) => Promise<void>): Promise<void> {
    const file = await HashedFile.create(join(this.#dir, path))
    try {
      await fill(file)
    } catch (error) {
      await file.abandon()
      throw error
    }
    this.#files.push({ path, ...(await file.close()) })
  }

  addGaps(gaps: readonly Gap[]): Promise<void> {
    return this.add('gaps.ndjson', async (file) => {
      for (const gap of gaps) await file.write(`${JSON.stringify(gap)}\n`)
    })
  }

  /**
   * Writes the list of assets, sorted by URL, and adds their files to the manifest. Returns the number of URLs, the
   * number of distinct files, and the total size of these files in bytes.
   */
  async addAssetList(assets: ReadonlyMap<string, StoredAsset>): Promise<Manifest['counts']['assets']> {
    const urls = [...assets].sort(([a], [b]) => (a < b ? -1 : 1))
    const distinct = new Map<string, number>()
    await this.add('assets.ndjson', async (file) => {
      for (const [url, { sha256, bytes, type }] of urls) {
        const path = assetPath(sha256)
        if (!distinct.has(sha256)) this.#files.push({ path, bytes, sha256 })
        distinct.set(sha256, bytes)
        const line: AssetLine = { url, path, sha256, bytes, contentType: type, fileName: lastPart(url) }
        await file.write(`${JSON.stringify(line)}\n`)
      }
    })
    let bytes = 0
    for (const size of distinct.values()) bytes += size
    return { urls: urls.length, files: distinct.size, bytes }
  }

  /** Adds an entry to the manifest for a file that is stored elsewhere. */
  addElsewhere(file: Manifest['files'][number]): void {
    this.#files.push(file)
  }

  /** Writes the manifest, with all files that were added. */
  finish(body: Omit<Manifest, 'files'>): Promise<Manifest> {
    return this.finishAs(manifestSchema, body)
  }

  /** Works like `finish` for another kind of manifest. */
  async finishAs<M>(schema: z.ZodType<M>, body: object): Promise<M> {
    const files = this.#files.sort((a, b) => (a.path < b.path ? -1 : 1))
    const manifest = schema.parse({ ...body, files })
    const file = await HashedFile.create(join(this.#dir, 'manifest.json'))
    await file.write(`${JSON.stringify(manifest, null, 1)}\n`)
    await file.close()
    return manifest
  }
}

function lastPart(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
