import { AppError, invalid } from '#shared/errors.ts'

/*
 * The parts of a `multipart/form-data` body as bytes, for forms in any charset. The parser of multipart.ts decodes the
 * headers as UTF-8, in which the second byte of many Japanese characters would be an escape.
 */

/** A part. Its bytes must be read before the next part. */
export interface Part {
  /** Undecoded name, one character per byte. */
  name: string
  /** Undecoded file name. null: a value and not a file. */
  fileName: string | null
  /** Media type in lower case, without parameters. `''`: not sent. */
  type: string
  /** Charset of a value. null: not sent. */
  charset: string | null
  bytes: AsyncIterable<Buffer>
}

const maxHeaderBytes = 8 * 1024
const maxPreambleBytes = 64 * 1024
const headersEnd = Buffer.from('\r\n\r\n')
const [dash] = Buffer.from('-')

const malformed = () => new AppError('ValidationFailed', { message: 'The body is no whole multipart' })

/** Returns the boundary of a multipart body. null: another media type, or no valid boundary (RFC 2046). */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^";\s]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? []
  return quoted ?? plain ?? null
}

/** Yields the parts of a body. Throws 400 for malformed multipart, and the errors of `body`. */
export async function* readParts(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const source = new Source(body)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  try {
    let preamble = 0
    for await (const bytes of source.until(delimiter)) {
      preamble += bytes.length
      if (preamble > maxPreambleBytes) throw malformed()
    }
    while (!(await source.isAtEnd())) {
      const headers = await source.textUntil(headersEnd, maxHeaderBytes)
      source.isDelimited = false
      yield { ...readHeaders(headers), bytes: source.until(delimiter) }
      // The reader may have stopped early.
      if (!source.isDelimited) for await (const _rest of source.until(delimiter));
    }
  } finally {
    // The body may continue after its last boundary, and its owner drops the rest.
    await source.end()
  }
}

/** The bytes of a body that were not read yet. */
class Source {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** A body may begin with the boundary, which otherwise follows a line break. */
  #buffer = Buffer.from('\r\n')
  /** Whether {@link until} has reached its delimiter. */
  isDelimited = false

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** Yields the bytes before the delimiter and skips it. Throws 400 if the body ends before. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#buffer.indexOf(delimiter)
      const safe = end < 0 ? this.#buffer.length - delimiter.length + 1 : end
      const bytes = this.#buffer.subarray(0, Math.max(0, safe))
      this.#buffer = this.#buffer.subarray(end < 0 ? bytes.length : end + delimiter.length)
      this.isDelimited = end >= 0
      if (bytes.length > 0) yield bytes
      if (end >= 0) return
      await this.#more()
    }
  }

  /** Returns the text before the delimiter, one character per byte, and skips it. Throws 400 for a longer text. */
  async textUntil(delimiter: Buffer, maximum: number): Promise<string> {
    let end = this.#buffer.indexOf(delimiter)
    for (; end < 0; end = this.#buffer.indexOf(delimiter)) {
      if (this.#buffer.length > maximum) throw malformed()
      await this.#more()
    }
    if (end > maximum) throw malformed()
    const text = this.#buffer.toString('latin1', 0, end)
    this.#buffer = this.#buffer.subarray(end + delimiter.length)
    return text
  }

  /** Returns whether the delimiter before was the last one. */
  async isAtEnd(): Promise<boolean> {
    while (this.#buffer.length < 2) await this.#more()
    return this.#buffer[0] === dash && this.#buffer[1] === dash
  }

  /** Ends the reading of the body. */
  async end(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw malformed()
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value])
  }
}

/** `headers`: the rest of the delimiter's line, and the header lines. */
function readHeaders(headers: string): Omit<Part, 'bytes'> {
  const [rest = '', ...lines] = headers.split('\r\n')
  if (rest.trim() !== '') throw malformed()
  const values = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) values.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = values.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) throw malformed()
  const { name, filename } = parametersOf(disposition)
  if (!name) throw invalid('', 'Required')
  const contentType = values.get('content-type') ?? ''
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type.startsWith('multipart/')) throw invalid(readable(name), 'InvalidType')
  return { name, fileName: filename ?? null, type, charset: parametersOf(contentType).charset ?? null }
}

/** Returns an undecoded name for the path of an issue. */
export const readable = (name: string) =>
  Buffer.from(name, 'latin1').toString('utf8').slice(0, 200).toWellFormed()

/**
 * Returns the parameters of a header in linear time. A quotation ends at the quotation mark that ends the parameter, so
 * that a backslash in front of it may be the second byte of a character. Throws 400 for a quotation without an end.
 */
function parametersOf(header: string): Partial<Record<'name' | 'filename' | 'charset', string>> {
  const found = new Map<string, string>()
  for (let at = header.indexOf(';'); at >= 0; ) {
    const equals = header.indexOf('=', at)
    if (equals < 0) break
    const key = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase()
    let end: number
    if (header[equals + 1] === '"') {
      end = equals + 1
      do {
        end = header.indexOf('"', end + 1)
        if (end < 0) throw malformed()
      } while (!/^\s{0,20}(?:;|$)/.test(header.slice(end + 1, end + 22)))
      found.set(key, unescaped(header.slice(equals + 2, end)))
    } else {
      end = header.indexOf(';', equals)
      if (end < 0) end = header.length
      found.set(key, header.slice(equals + 1, end).trim())
    }
    at = header.indexOf(';', end)
  }
  return Object.fromEntries(found)
}

/** Browsers send these three characters as escapes (HTML, multipart form data). Some programs escape with `\`. */
const unescaped = (text: string) =>
  text
    .replaceAll('\\"', '"')
    .replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
