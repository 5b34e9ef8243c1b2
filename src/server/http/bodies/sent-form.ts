import type { AnyFormLimits, SentContent, SentFile, SentForm } from '#shared/contract/endpoint.ts'
import { AppError, type IssueCode, invalid } from '#shared/errors.ts'
import { type Decode, decoderOf, guessDecoder, storable } from './charsets.ts'
import { requireUncompressed } from './form-fields.ts'
import { boundaryOf, type Part, readable, readParts } from './multipart-parts.ts'
import { parseJson } from './validation.ts'

/* Forms in any encoding and charset, for callers that decide the names of the fields (`anyForm` in the contract). */

/** The request that contains a form. */
export interface FormRequest {
  headers: { 'content-type'?: string | undefined; 'content-length'?: string | undefined }
  /** Called for bytes that stay in memory. Throws 429 or 503 for too many bytes. */
  collect(bytes: number): void
  /** Returns the bytes of the body, which throw 413 after `maximum` bytes. `isLarge`: the body may arrive slowly. */
  bytes(maximum: number, isLarge: boolean): AsyncIterable<Uint8Array>
}

/** Bytes of a body per byte of its texts, because escapes need three characters for a byte. */
const escaped = 3
/** Allowance for boundaries and headers of parts, in bytes. */
const overhead = 256 * 1024

/**
 * Opens a form. Throws 415 for a compressed body, another media type and an unknown charset. The limits are checked
 * when the form is read.
 */
export function openForm(limits: AnyFormLimits, request: FormRequest): SentForm {
  const { headers } = request
  requireUncompressed(headers)
  const contentType = headers['content-type'] ?? ''
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  const label = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? null
  if (label !== null && !decoderOf(label))
    throw new AppError('UnsupportedMediaType', { message: `The charset "${label.slice(0, 40)}" is unknown` })
  if (type === 'application/x-www-form-urlencoded')
    return openText(limits, request, (body) => readUrlEncoded(body, label, limits))
  if (type === 'application/json') return openText(limits, request, (body) => readJson(body, label, limits))
  const boundary = boundaryOf(contentType)
  if (boundary !== null) return openMultipart(limits, request, boundary, label)
  throw new AppError('UnsupportedMediaType', {
    message:
      'A form is sent as application/x-www-form-urlencoded, as multipart/form-data with a boundary, or as a JSON object',
  })
}

const tooLarge = (name: string, maximum: number) =>
  new AppError('RequestFileTooLarge', {
    issues: [{ path: pathOf(name), code: 'TooLargeValue', params: { maximum } }],
  })

/** Returns the name of a value as the path of an issue. */
const pathOf = (name: string) => name.slice(0, 200).toWellFormed()
const refuse = (name: string, code: IssueCode, maximum: number) => invalid(pathOf(name), code, { maximum })

/** Collects values within the limits. Names such as `__proto__` are names like all others. */
class Values {
  readonly #limits: AnyFormLimits
  readonly #values = new Map<string, string | string[]>()
  #count = 0
  #bytes = 0

  constructor(limits: AnyFormLimits) {
    this.#limits = limits
  }

  add(name: string, value: string): void {
    this.#check(name, [value])
    const before = this.#values.get(name)
    if (Array.isArray(before)) before.push(value)
    else this.#values.set(name, before === undefined ? value : [before, value])
  }

  addList(name: string, values: string[]): void {
    this.#check(name, values)
    const before = this.#values.get(name)
    this.#values.set(name, before === undefined ? values : [before, values].flat())
  }

  #check(name: string, values: string[]): void {
    const { name: maxName, values: maxValues, textBytes } = this.#limits
    checkName(name, maxName)
    this.#count += Math.max(1, values.length)
    if (this.#count > maxValues) throw refuse(name, 'TooManyItems', maxValues)
    this.#bytes += Buffer.byteLength(name)
    for (const value of values) this.#bytes += Buffer.byteLength(value)
    if (this.#bytes > textBytes) throw tooLarge(name, textBytes)
  }

  get all(): SentContent['values'] {
    return Array.from(this.#values, ([name, value]) => ({ name, value }))
  }
}

function checkName(name: string, maximum: number): void {
  if (name === '') throw invalid('', 'Required')
  if (name.length > maximum) throw refuse(name, 'TooManyCharacters', maximum)
}

async function* noFiles(): AsyncGenerator<SentFile> {}

/** Opens a form without files. */
function openText(
  { textBytes }: AnyFormLimits,
  request: FormRequest,
  parse: (body: Buffer) => SentContent['values'],
): SentForm {
  const maximum = escaped * textBytes
  return {
    isLarge: false,
    files: noFiles(),
    async read() {
      const chunks: Uint8Array[] = []
      for await (const chunk of bytesOf(request, maximum, false)) {
        request.collect(chunk.byteLength)
        chunks.push(chunk)
      }
      return { values: parse(Buffer.concat(chunks)), files: [] }
    },
  }
}

/** Returns the bytes of the body. Throws 413 if its declared length is over the limit. */
function bytesOf(
  { headers, bytes }: FormRequest,
  maximum: number,
  isLarge: boolean,
): AsyncIterable<Uint8Array> {
  if (Number(headers['content-length'] ?? 0) > maximum) throw new AppError('RequestFileTooLarge')
  return bytes(maximum, isLarge)
}

/**
 * Returns the decoder of a form: `label` of the media type, or the charset that browsers write into the field
 * `_charset_`, or the one that fits all `texts`. Throws 400 for an unknown charset in that field.
 */
function decoderFor(label: string | null, field: string | undefined, texts: () => Buffer[]): Decode {
  const name = label ?? field
  const decode = name ? decoderOf(name) : guessDecoder(texts())
  if (!decode) throw invalid(charsetField, 'InvalidValue')
  return decode
}
const charsetField = '_charset_'

const [percent, plus, equals, ampersand, space] = Buffer.from('%+=& ') as unknown as [
  number,
  number,
  number,
  number,
  number,
]

/** Returns the values of a form as browsers define it: invalid escapes are text. */
function readUrlEncoded(body: Buffer, label: string | null, limits: AnyFormLimits): SentContent['values'] {
  const values = new Values(limits)
  const pairs: [name: Buffer, value: Buffer][] = []
  for (let start = 0; start < body.length; ) {
    if (body[start] === ampersand) {
      start++
      continue
    }
    const next = body.indexOf(ampersand, start)
    const pair = body.subarray(start, next < 0 ? body.length : next)
    const middle = pair.indexOf(equals)
    const [name, value] =
      middle < 0 ? [pair, pair.subarray(0, 0)] : [pair.subarray(0, middle), pair.subarray(middle + 1)]
    pairs.push([unescaped(name), unescaped(value)])
    if (pairs.length > limits.values)
      throw refuse(unescaped(name).toString('utf8'), 'TooManyItems', limits.values)
    start += pair.length + 1
  }
  const decode = decoderFor(label, label === null ? charsetIn(body) : undefined, () => pairs.flat())
  for (const [name, value] of pairs) values.add(decode(name), decode(value))
  return values.all
}

/** Returns the value of the first field `_charset_`. */
function charsetIn(body: Buffer): string | undefined {
  const key = `${charsetField}=`
  const isFirst = body.toString('latin1', 0, key.length) === key
  const found = isFirst ? 0 : body.indexOf(`&${key}`) + 1
  if (found === 0 && !isFirst) return undefined
  return /^[^&]*/.exec(body.toString('latin1', found + key.length, found + 100))?.[0]
}

/** Decodes the escapes of `application/x-www-form-urlencoded`. */
function unescaped(bytes: Buffer): Buffer {
  let at = 0
  while (at < bytes.length && bytes[at] !== percent && bytes[at] !== plus) at++
  if (at === bytes.length) return bytes
  const result = Buffer.allocUnsafe(bytes.length)
  bytes.copy(result, 0, 0, at)
  let length = at
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === percent) {
      const [high, low] = [hexDigit(bytes[at + 1]), hexDigit(bytes[at + 2])]
      if (high >= 0 && low >= 0) {
        result[length++] = 16 * high + low
        at += 2
      } else result[length++] = byte
    } else result[length++] = byte === plus ? space : byte
  }
  return result.subarray(0, length)
}

/** Returns the value of an ASCII hexadecimal digit. -1: another byte, or none. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Returns the values of a JSON object: texts, numbers, booleans, null, and lists of these. */
function readJson(body: Buffer, label: string | null, limits: AnyFormLimits): SentContent['values'] {
  const isUtf8 = label === null || /^utf-?8$/i.test(label)
  const { text, value } = parseJson(
    isUtf8 ? body : Buffer.from(decoderFor(label, undefined, () => [body])(body)),
  )
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('', 'InvalidType')
  const values = new Values(limits)
  for (const [name, item] of entriesInOrder(text, value)) {
    const key = storable(name)
    if (Array.isArray(item)) {
      if (item.length > limits.values) throw refuse(key, 'TooManyItems', limits.values)
      values.addList(
        key,
        item.map((one) => textOf(key, one)),
      )
    } else values.add(key, textOf(key, item))
  }
  return values.all
}

function textOf(name: string, value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'object') throw invalid(pathOf(name), 'InvalidType')
  return storable(String(value))
}

/** Returns the entries as written. JavaScript moves keys that are numbers to the beginning. */
function entriesInOrder(text: string, object: object): [string, unknown][] {
  const entries = Object.entries(object)
  if (!/^\d+$/.test(entries[0]?.[0] ?? '')) return entries
  const values = new Map(entries)
  return [...new Set(keysOf(text))].map((key) => [key, values.get(key)])
}

/** Yields the keys of the outermost object of valid JSON. */
function* keysOf(text: string): Generator<string> {
  let depth = 0
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') {
      const start = at
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
      if (isKey) yield JSON.parse(text.slice(start, at + 1)) as string
      isKey = false
    } else if (sign === '{' || sign === '[') isKey = ++depth === 1
    else if (sign === '}' || sign === ']') depth--
    else if (sign === ',') isKey = depth === 1
  }
}

/** Opens a form in multipart. */
function openMultipart(
  limits: AnyFormLimits,
  request: FormRequest,
  boundary: string,
  label: string | null,
): SentForm {
  const { textBytes, allFileBytes } = limits
  const declared = request.headers['content-length']
  const isLarge = declared === undefined || Number(declared) > escaped * textBytes
  const texts: { name: string; bytes: Buffer; charset: string | null }[] = []
  const names: { name: string; fileName: string }[] = []
  let isWhole = false
  const files = (async function* (): AsyncGenerator<SentFile> {
    const bytes = bytesOf(request, allFileBytes + textBytes + overhead, isLarge)
    const counts = { text: 0, file: 0, empty: 0 }
    for await (const part of readParts(bytes, boundary)) {
      if (!isFile(part)) {
        if (texts.length >= limits.values) throw refuse(readable(part.name), 'TooManyItems', limits.values)
        const { name, charset } = part
        request.collect(name.length)
        texts.push({ name, charset, bytes: await readValue(part, limits, counts, request) })
        continue
      }
      const content = fileBytes(part, limits, counts)
      const first = await content.next()
      // A file input without a file is an empty part without a file name.
      if (first.done && !part.fileName) {
        if (++counts.empty > limits.values) throw refuse(readable(part.name), 'TooManyItems', limits.values)
        continue
      }
      if (names.length >= limits.files) throw refuse(readable(part.name), 'TooManyItems', limits.files)
      names.push({ name: part.name, fileName: part.fileName ?? '' })
      yield { type: part.type, bytes: withFirst(first, content) }
    }
    isWhole = true
  })()
  return {
    isLarge,
    files,
    async read() {
      for await (const _skipped of files);
      if (!isWhole) throw new TypeError('the form was not read to its end')
      const field = texts
        .find(({ name }) => name === charsetField)
        ?.bytes.toString('latin1')
        .trim()
      const decode = decoderFor(label, label === null ? field : undefined, () => [
        ...texts.flatMap(({ name, bytes }) => [Buffer.from(name, 'latin1'), bytes]),
        ...names.flatMap(({ name, fileName }) => [name, fileName].map((text) => Buffer.from(text, 'latin1'))),
      ])
      const decodeName = (text: string) => decode(Buffer.from(text, 'latin1'))
      const values = new Values(limits)
      for (const { name, bytes, charset } of texts)
        values.add(decodeName(name), ((charset && decoderOf(charset)) || decode)(bytes))
      const decoded = names.map(({ name, fileName }) => ({
        name: decodeName(name),
        fileName: decodeName(fileName),
      }))
      for (const { name } of decoded) checkName(name, limits.name)
      return { values: values.all, files: decoded }
    },
  }
}

/** Returns whether a part is a file. Some programs omit the name of a file that has none. */
const isFile = ({ fileName, type }: Part) => fileName !== null || type === 'application/octet-stream'

async function* withFirst<T>(first: IteratorResult<T, unknown>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Returns the bytes of a value. Throws 413 if all texts are over their limit. */
async function readValue(
  { name, bytes }: Part,
  { textBytes }: AnyFormLimits,
  counts: { text: number },
  { collect }: FormRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) {
    counts.text += chunk.length
    if (counts.text > textBytes) throw tooLarge(readable(name), textBytes)
    collect(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Yields the bytes of a file. Throws 413 after the last allowed byte of the file, or of all files. */
async function* fileBytes(
  { name, bytes }: Part,
  limits: AnyFormLimits,
  counts: { file: number },
): AsyncGenerator<Uint8Array, undefined> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    counts.file += chunk.length
    if (size > limits.fileBytes) throw tooLarge(readable(name), limits.fileBytes)
    if (counts.file > limits.allFileBytes) throw tooLarge(readable(name), limits.allFileBytes)
    yield chunk
  }
}
