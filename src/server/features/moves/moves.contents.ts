import { linesIn } from '#archive/files.ts'
import type { Manifest } from '#archive/format.ts'
import { InvalidJson } from '#archive/json.ts'
import { isRecord } from '#archive/shapes.ts'
import { type ArchiveSource, TooManyBytes } from '#archive/source.ts'
import { parseExactJson } from './moves.exact-json.ts'
import { makeStorable, type UnstorableText } from './moves.storable.ts'

/** A content of an archive, with the same as text where the archive has that. */
export interface ArchivedContent {
  /** `_id` as it came; `''` for one without. */
  id: string
  sys: ArchivedSys
  /** All but `_id` and `_sys`, in their order. */
  values: Record<string, unknown>
  texts: Record<string, unknown> | undefined
  /** Bytes of the line. */
  bytes: number
  /** What in it cannot be kept as it came. */
  replaced: readonly UnstorableText[]
  /** What the lines of a file are ordered by, and the version: as the view shows these times. */
  order: string
  version: string
}

/** What an archive says of a content beside its values. Times are ISO 8601, `''` where there is none. */
export interface ArchivedSys {
  createdAt: string
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder: number | null
}

type Model = Manifest['models'][number]

/** Bytes of a file that is read as one value. */
const largestWhole = 1_000_000

/** Opened archives whose files are read by what the manifest says of them. */
export class ArchiveLines {
  readonly #source: ArchiveSource
  readonly #bytes: ReadonlyMap<string, number>

  constructor(source: ArchiveSource, { files }: Manifest) {
    this.#source = source
    this.#bytes = new Map(files.map(({ path, bytes }) => [path, bytes]))
  }

  bytesOf(path: string): number {
    return this.#bytes.get(path) ?? 0
  }

  /**
   * The contents of a model in one view, in their order (by `_sys.createdAt`, then `_id`); null for a line that is no
   * content. `withTexts`: with what `texts` has of the same version.
   */
  async *contents(
    model: Model,
    view: 'api' | 'cdn',
    { withTexts = false }: { withTexts?: boolean } = {},
  ): AsyncGenerator<ArchivedContent | null> {
    const part = model[view]
    if (!part) return
    const textPart = withTexts ? model.texts?.[view] : undefined
    const texts = textPart ? this.#lines(textPart.path) : undefined
    let text = (await texts?.next())?.value
    try {
      for await (const content of this.#lines(part.path)) {
        if (!content) {
          yield null
          continue
        }
        // Both files are in the same order, and the second may lack some.
        while (texts && text !== undefined && (text === null || text.order < content.order))
          text = (await texts.next()).value
        const isSame = text && text.id === content.id && text.version === content.version
        yield isSame ? { ...content, texts: text?.values } : content
      }
    } finally {
      await texts?.return(undefined)
    }
  }

  /** The values of the lines of a file that can be read as `read` does; others are left out. */
  async *typed<Line>(path: string, read: (line: unknown) => Line | undefined): AsyncGenerator<Line> {
    for await (const { text } of linesIn(this.#source.read(path, this.bytesOf(path)))) {
      const line = read(tryParse(text)?.value)
      if (line !== undefined) yield line
    }
  }

  /** What a file of one JSON value says; undefined where there is none, or none that can be read. */
  async whole(path: string): Promise<unknown> {
    const bytes = this.bytesOf(path)
    if (bytes === 0 || bytes > largestWhole) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of this.#source.read(path, bytes)) chunks.push(chunk)
    return tryParse(Buffer.concat(chunks))?.value
  }

  async *#lines(path: string): AsyncGenerator<ArchivedContent | null> {
    try {
      for await (const { text } of linesIn(this.#source.read(path, this.bytesOf(path)))) yield readLine(text)
    } catch (error) {
      // A file that is missing or longer than it says: what came of it is told by the counts.
      if (!(error instanceof TooManyBytes) && (error as { code?: string }).code !== 'ENOENT') throw error
    }
  }
}

function readLine(text: Buffer): ArchivedContent | null {
  const { value, replaced } = tryParse(text) ?? {}
  if (!isRecord(value) || !replaced) return null
  const { _id, _sys, ...values } = value
  const id = typeof _id === 'string' ? _id : ''
  const { createdAt = '', updatedAt = '' } = isRecord(_sys) ? _sys : {}
  return {
    id,
    sys: readSys(_sys),
    values,
    texts: undefined,
    bytes: text.length,
    replaced,
    order: `${createdAt} ${id}`,
    version: String(updatedAt),
  }
}

/** `_sys` of a content, whatever it is. */
export function readSys(sys: unknown): ArchivedSys {
  const { raw, createdAt, updatedAt, customOrder } = isRecord(sys) ? sys : {}
  const times = isRecord(raw) ? raw : {}
  const time = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    createdAt: time(times.createdAt) ?? time(createdAt) ?? '',
    updatedAt: time(times.updatedAt) ?? time(updatedAt) ?? '',
    firstPublishedAt: time(times.firstPublishedAt),
    publishedAt: time(times.publishedAt),
    customOrder: typeof customOrder === 'number' ? customOrder : null,
  }
}

/** The value of a line; undefined for what is no JSON, or more than one content may be. */
export function tryParse(text: Buffer): ReturnType<typeof makeStorable> | undefined {
  try {
    return makeStorable(parseExactJson(text), text)
  } catch (error) {
    if (error instanceof InvalidJson) return undefined
    throw error
  }
}
