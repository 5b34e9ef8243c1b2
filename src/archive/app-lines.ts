import type { z } from 'zod'
import {
  type AppManifest,
  documentsPath,
  type PortableApp,
  type PortableAsset,
  type PortableDocument,
  type PortableRevision,
  portableAppSchema,
  portableAssetSchema,
  portableDocumentSchema,
  portableRevisionSchema,
  revisionsPath,
} from './app-format.ts'
import { linesIn } from './files.ts'
import { checkShape, InvalidJson, type JsonBounds } from './json.ts'
import { parseLarge, parseLargeObject } from './large-json.ts'
import type { ArchiveSource } from './source.ts'

/**
 * `app.json` or a line is invalid, or a line is out of order. `what`: path of the file, and the byte offset of the
 * line.
 */
export class InvalidLine extends Error {
  override readonly name = 'InvalidLine'
  readonly what: string
  constructor(what: string) {
    super(what)
    this.what = what
  }
}

/** Maximum size of `app.json` in bytes. 200 models with the maximum number of fields need less. */
const largestApp = 16_000_000

/**
 * Limits for one line. A document has at most 1 MB, and its line can contain both its draft and its published state.
 */
const lineBounds: JsonBounds = { bytes: 4_000_000, parts: 100_000, values: 200_000, keys: 5_000 }

/** Reads the files of an app's archive and validates each line. Throws `InvalidLine`. */
export class AppLines {
  readonly #source: ArchiveSource
  readonly #bytes: ReadonlyMap<string, number>

  constructor(source: ArchiveSource, { files }: Pick<AppManifest, 'files'>) {
    this.#source = source
    this.#bytes = new Map(files.map(({ path, bytes }) => [path, bytes]))
  }

  async app(): Promise<PortableApp> {
    const chunks: Buffer[] = []
    if (this.bytesOf('app.json') > largestApp) throw new InvalidLine('app.json')
    for await (const chunk of this.read('app.json')) chunks.push(chunk)
    return readApp(Buffer.concat(chunks))
  }

  /** Yields the documents of a model in order of `_id`. */
  documents(model: string): AsyncGenerator<PortableDocument> {
    return this.#lines(documentsPath(model), portableDocumentSchema)
  }

  /**
   * Yields the revisions of a model's documents in order of document `_id` and version. Yields none if the archive
   * contains no revisions.
   */
  revisions(model: string): AsyncGenerator<PortableRevision> {
    const path = revisionsPath(model)
    return this.#lines(
      path,
      portableRevisionSchema,
      ({ _id, version }) => `${_id} ${String(version).padStart(10, '0')}`,
      this.#bytes.has(path),
    )
  }

  assets(): AsyncGenerator<PortableAsset> {
    return this.#lines('assets.ndjson', portableAssetSchema)
  }

  private bytesOf(path: string): number {
    return this.#bytes.get(path) ?? 0
  }

  /** Yields the bytes of a file. Throws `TooManyBytes` beyond the size in the manifest. */
  read(path: string): AsyncIterable<Buffer> {
    return this.#source.read(path, this.bytesOf(path))
  }

  async *#lines<Line extends { _id: string }>(
    path: string,
    schema: z.ZodType<Line>,
    placeOf = ({ _id }: Line) => _id,
    isThere = true,
  ): AsyncGenerator<Line> {
    if (!isThere) return
    let last = ''
    for await (const { text, offset } of linesIn(this.read(path))) {
      const what = `${path} @${offset}`
      const line = readAs(schema, text, what)
      const place = placeOf(line)
      if (place <= last) throw new InvalidLine(what)
      last = place
      yield line
    }
  }
}

/** A key with a special meaning in JavaScript, which is refused. */
const dangerous = '__proto__'

const { customFieldTypes, models, views, roles } = portableAppSchema.shape
const knownMembers = new Set(Object.keys(portableAppSchema.shape))

async function readApp(text: Buffer): Promise<PortableApp> {
  try {
    const found = await parseLargeObject(text, knownMembers)
    for (const member of Object.values(found))
      for (const item of Array.isArray(member) ? member : [member]) refuseDangerous(item)
    return await parseLarge(portableAppSchema, found, {
      customFieldTypes: { item: customFieldTypes.element, most: 1_000 },
      models: { item: models.element, most: 1_000 },
      views: { item: views.element, most: 100_000 },
      roles: { item: roles.element, most: 1_000 },
    })
  } catch {
    throw new InvalidLine('app.json')
  }
}

function readAs<T>(schema: z.ZodType<T>, text: Buffer, what: string): T {
  try {
    checkShape(text, lineBounds)
    const json = text.toString('utf8')
    const parsed = JSON.parse(json)
    if (/__proto__|\\u/.test(json)) refuseDangerous(parsed)
    return schema.parse(parsed)
  } catch {
    throw new InvalidLine(what)
  }
}

/** Throws `InvalidJson` for dangerous keys and for strings that the database cannot store. */
function refuseDangerous(value: unknown): void {
  if (typeof value === 'string') {
    if (!isText(value)) throw new InvalidJson('no text')
  } else if (Array.isArray(value)) for (const item of value) refuseDangerous(item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      if (key === dangerous) throw new InvalidJson('a dangerous key')
      if (!isText(key)) throw new InvalidJson('no text')
      refuseDangerous(item)
    }
}

const isText = (text: string) => !text.includes('\u0000') && text.isWellFormed()
