import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { readLines, writeAll } from '#archive/files.ts'
import { openGrowing } from './folders.ts'

const view = z.enum(['api', 'cdn'])
const cursor = z.object({ from: z.string(), skip: z.number(), limit: z.number(), skipped: z.boolean() })

/**
 * Entries of the journal. An entry about stored data is written after the data is on disk. A crash can leave an
 * incomplete last line, which the next start truncates.
 */
const entrySchema = z.discriminatedUnion('t', [
  z.object({ t: z.literal('start'), space: z.string(), app: z.string(), origin: z.string(), at: z.string() }),
  /** The options of a run, used as defaults for the next run. */
  z.object({
    t: z.literal('asked'),
    models: z.array(z.string()),
    cdn: z.boolean(),
    assetHosts: z.array(z.string()),
    zip: z.boolean(),
  }),
  z.object({ t: z.literal('app'), body: z.string() }),
  /** A model that was found through the reference field `by`. */
  z.object({ t: z.literal('found'), model: z.string(), by: z.string() }),
  z.object({ t: z.literal('probe'), key: z.string() }),
  z.object({ t: z.literal('begin'), view, model: z.string(), at: z.number() }),
  /** Contents were appended up to `bytes`. `next` is null after the last page of the initial read. */
  z.object({
    t: z.literal('page'),
    view,
    model: z.string(),
    bytes: z.number(),
    total: z.number(),
    next: cursor.nullable(),
    tooLarge: z.array(z.string()),
  }),
  /** Contents that were read outside the pages of the initial read (`storeLate`) were appended up to `bytes`. */
  z.object({ t: z.literal('late'), view, model: z.string(), bytes: z.number() }),
  /** A content that no list returned was read by its id, without the fields in `lacks`. */
  z.object({
    t: z.literal('pieced'),
    view,
    model: z.string(),
    id: z.string(),
    lacks: z.array(z.string()),
  }),
  z.object({ t: z.literal('look'), view, model: z.string(), at: z.number() }),
  /**
   * The second pass over a model starts or restarts: the fields that were tried, the fields that are allowed, and
   * whether `select` works.
   */
  z.object({
    t: z.literal('texts'),
    view,
    model: z.string(),
    asked: z.array(z.string()),
    fields: z.array(z.string()),
    select: z.boolean(),
  }),
  /** Texts were appended up to `bytes`. */
  z.object({
    t: z.literal('text'),
    view,
    model: z.string(),
    bytes: z.number(),
    next: cursor.nullable(),
  }),
  /** The data file was damaged, so the model is read again. */
  z.object({ t: z.literal('reset'), view, model: z.string() }),
  z.object({
    t: z.literal('asset'),
    url: z.string().refine((url) => URL.canParse(url)),
    // The hash is used in a path.
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: z.number(),
    type: z.string(),
  }),
  z.object({ t: z.literal('missing'), url: z.string(), reason: z.string() }),
])

export type JournalEntry = z.infer<typeof entrySchema>

/** The append-only journal of a run. */
export class Journal {
  readonly #handle: FileHandle
  #end: number
  #queue: { line: string; done: () => void; failed: (error: unknown) => void }[] = []
  #running: Promise<void> | undefined
  #dirty = false
  /** The error of a failed write. After it the file may end with half a line, so no entry may be appended. */
  #broken: unknown

  private constructor(handle: FileHandle, end: number) {
    this.#handle = handle
    this.#end = end
  }

  /**
   * Opens the file, passes every entry to `replay` in order, and truncates the file before the first invalid or
   * incomplete entry.
   */
  static async open(path: string, replay: (entry: JournalEntry) => void): Promise<Journal> {
    const handle = await openGrowing(path)
    let good = 0
    for await (const { text, offset } of readLines(path)) {
      const entry = parseEntry(text)
      if (!entry) break
      replay(entry)
      good = offset + text.length + 1
    }
    await handle.truncate(good)
    return new Journal(handle, good)
  }

  /**
   * Appends an entry. Resolves when the line is written. A written line survives a killed process, but only `sync`
   * protects it against power loss.
   */
  append(entry: JournalEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#queue.push({ line: `${JSON.stringify(entry)}\n`, done, failed })
      this.#running ??= this.#drain()
    })
  }

  async sync(): Promise<void> {
    await this.#running
    if (!this.#dirty) return
    this.#dirty = false
    await this.#handle.datasync()
  }

  async close(): Promise<void> {
    await this.#running
    await this.#handle.close()
  }

  /** Writes all pending lines together, because many small assets complete at the same time. */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      try {
        if (this.#broken) throw this.#broken
        const block = Buffer.from(batch.map(({ line }) => line).join(''))
        await writeAll(this.#handle, block, this.#end)
        this.#end += block.length
        this.#dirty = true
        for (const { done } of batch) done()
      } catch (error) {
        this.#broken = error
        for (const { failed } of batch) failed(error)
      }
    }
    this.#running = undefined
  }
}

/** Parses a line of the journal. Returns undefined if it is invalid. */
export function parseEntry(text: Buffer): JournalEntry | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(text.toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
