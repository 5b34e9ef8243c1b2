import { linesIn } from '#archive/files.ts'
import type { Manifest } from '#archive/format.ts'
import { InvalidJson } from '#archive/json.ts'
import { isRecord } from '#archive/shapes.ts'
import { type ArchiveSource, TooManyBytes } from '#archive/source.ts'
import { parseExactJson } from './exact-json.ts'
import { makeStorable, type UnstorableText } from './storable.ts'

/** A content of an archive. `texts`: its values as plain text. undefined: not requested, or not in the archive. */
export interface ArchivedContent {
  /** `_id` from the archive; `''` if it has none. */
  id: string
  sys: ArchivedSys
  /** All keys except `_id` and `_sys`, in their original order. */
  values: Record<string, unknown>
  texts: Record<string, unknown> | undefined
  /** Length of the line in bytes. */
  bytes: number
  /** Texts that PostgreSQL cannot store and that were therefore replaced. */
  replaced: readonly UnstorableText[]
  /**
   * `order`: sort key of the line in its file, from `createdAt` and `_id`. `version`: version of the content, its
   * `updatedAt`. Both times are from `_sys`, not from `_sys.raw`.
   */
  order: string
  version: string
}

/** Metadata of a content. Times are texts, usually ISO 8601. `''` or null: no time. */
export interface ArchivedSys {
  createdAt: string
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder: number | null
  /** True if the times do not show whether the content changed. null: the archive does not state it. */
  isTimeless: boolean | null
  /**
   * Key of the content's state at the source. A user chooses for each state whether its contents are published. null:
   * not stated.
   */
  state: string | null
}

type Model = Manifest['models'][number]

/** Maximum size in bytes of a file that is read as a single value. */
const largestWhole = 1_000_000

/** Reads the files of an open archive that its manifest lists. */
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
   * Returns the contents of a model in one view, in the order of the archive (`_sys.createdAt`, then `_id`). Returns
   * null for a line that is not a content. With `withTexts`, each content has the `texts` of the same version if the
   * archive contains them.
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
        // Both files have the same order, and the file of texts may lack some contents.
        while (texts && text !== undefined && (text === null || text.order < content.order))
          text = (await texts.next()).value
        const isSame = text && text.id === content.id && text.version === content.version
        yield isSame ? { ...content, texts: text?.values } : content
      }
    } finally {
      await texts?.return(undefined)
    }
  }

  /** Returns the value of `read` for each line of a file. Skips lines for which `read` returns undefined. */
  async *typed<Line>(path: string, read: (line: unknown) => Line | undefined): AsyncGenerator<Line> {
    for await (const { text } of linesIn(this.#source.read(path, this.bytesOf(path)))) {
      const line = read(tryParse(text)?.value)
      if (line !== undefined) yield line
    }
  }

  /**
   * Returns the value of a file with a single JSON value. undefined: the manifest does not list the file, or it is
   * empty, larger than `largestWhole`, or not valid JSON.
   */
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
      // The file is missing or too long; the counts of the plan show how much was read.
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

/** Reads `_sys` of a content. Accepts any value. */
export function readSys(sys: unknown): ArchivedSys {
  const { raw, createdAt, updatedAt, customOrder, timeless, state } = isRecord(sys) ? sys : {}
  const times = isRecord(raw) ? raw : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    createdAt: text(times.createdAt) ?? text(createdAt) ?? '',
    updatedAt: text(times.updatedAt) ?? text(updatedAt) ?? '',
    firstPublishedAt: text(times.firstPublishedAt),
    publishedAt: text(times.publishedAt),
    customOrder: typeof customOrder === 'number' ? customOrder : null,
    isTimeless: typeof timeless === 'boolean' ? timeless : null,
    state: text(state),
  }
}

/**
 * Returns the value of a line, and its replaced texts. undefined: it is not JSON or exceeds the bounds of a content.
 */
export function tryParse(text: Buffer): ReturnType<typeof makeStorable> | undefined {
  try {
    return makeStorable(parseExactJson(text), text)
  } catch (error) {
    if (error instanceof InvalidJson) return undefined
    throw error
  }
}
