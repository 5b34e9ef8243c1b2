import { appendFile, mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HashedFile, sizeOf } from '../files.ts'
import { assetPath } from '../names.ts'
import type { StoredAsset } from '../write.ts'

/** A file could not be fetched. `reason`: an HTTP status or an error code. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Requests a file on the web. Throws `NotFetched`, also while its bytes are read. */
export type FetchFile = (url: string) => Promise<{ chunks: AsyncIterable<Buffer>; type: string }>

/** Number of concurrent requests. */
const atOnce = 4

/** Fetched files in the folder of an unfinished archive. A journal lets a restarted process reuse them. */
export class FetchedFiles {
  readonly #dir: string
  readonly #journal: string
  readonly #known = new Map<string, StoredAsset>()
  #number = 0

  private constructor(dir: string, journal: string) {
    this.#dir = dir
    this.#journal = journal
  }

  static async open(dir: string, journal: string): Promise<FetchedFiles> {
    const files = new FetchedFiles(dir, journal)
    const lines = (await readFile(journal, 'utf8').catch(() => '')).split('\n')
    for (const line of lines) {
      const found = parseLine(line)
      if (!found) continue
      const { url, ...stored } = found
      if ((await sizeOf(join(dir, assetPath(stored.sha256)))) === stored.bytes) files.#known.set(url, stored)
    }
    return files
  }

  async keep(chunks: AsyncIterable<Buffer>, type: string): Promise<StoredAsset> {
    const place = join(this.#dir, `incoming-${this.#number++}`)
    const file = await HashedFile.create(place)
    try {
      for await (const chunk of chunks) await file.write(chunk)
    } catch (error) {
      await file.abandon()
      throw error
    }
    const stored = await file.close()
    const path = join(this.#dir, assetPath(stored.sha256))
    await mkdir(dirname(path), { recursive: true })
    await rename(place, path)
    return { ...stored, type }
  }

  /** Fetches files concurrently. Calls `done` for each one, with the result or the reason of the failure. */
  async fetch(
    urls: readonly string[],
    fetchFile: FetchFile,
    done: (url: string, result: StoredAsset | NotFetched) => Promise<void>,
  ): Promise<void> {
    const waiting = urls.values()
    const work = async () => {
      for (const url of waiting) await done(url, await this.#one(url, fetchFile))
    }
    const results = await Promise.allSettled(Array.from({ length: atOnce }, work))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #one(url: string, fetchFile: FetchFile): Promise<StoredAsset | NotFetched> {
    const known = this.#known.get(url)
    if (known) return known
    try {
      const { chunks, type } = await fetchFile(url)
      if (/^text\/html\b/i.test(type) && !/\.html?$/i.test(new URL(url).pathname)) {
        for await (const _ of chunks) break
        return new NotFetched('not_the_file')
      }
      const stored = await this.keep(chunks, type.split(';')[0]?.trim() ?? '')
      await appendFile(this.#journal, `${JSON.stringify({ url, ...stored })}\n`)
      return stored
    } catch (error) {
      if (error instanceof NotFetched) return error
      throw error
    }
  }
}

function parseLine(line: string): ({ url: string } & StoredAsset) | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
