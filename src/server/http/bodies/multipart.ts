import { once } from 'node:events'
import type { Readable } from 'node:stream'
import Busboy from '@fastify/busboy'
import { parseInput } from '#server/access/operations/parse-input.ts'
import type { FilePart, MultipartBody, MultipartInput } from '#shared/contract/endpoint.ts'
import { AppError, type IssueCode, invalid } from '#shared/errors.ts'
import { FieldCollector } from './form-fields.ts'

/** RFC 2046: a boundary has at most 70 characters. */
const mediaType = /^multipart\/form-data\s*;.*boundary=(?:"[^"]{1,70}"|[^";\s]{1,70})\s*(?:;|$)/i

/** Allowance for boundaries and part headers around the files, in bytes. */
const overhead = 256 * 1024
/** Maximum number of characters in the name of a text field. */
const maxNameLength = 100

/** Called when the handler starts to read a body, and when the rest of it will be dropped. */
export interface Reading {
  begin(): void
  end(): void
}

/** The text fields of a body, and whether the body was read to its end. */
interface Texts {
  collector: FieldCollector
  isWhole: boolean
}

/**
 * Returns the files of a multipart body, or its files and text fields if the contract allows fields. Reading throws the
 * errors of {@link readFiles}.
 */
export function readMultipart(
  contentType: string | undefined,
  body: Readable,
  kind: MultipartBody,
  reading: Reading,
): AsyncIterable<FilePart> | MultipartInput<unknown> {
  const texts: Texts = { collector: new FieldCollector(), isWhole: false }
  const files = readFiles(contentType, body, kind, texts, reading)
  const schema = kind.fields?.schema
  if (!schema) return files
  return {
    files,
    async fields() {
      for await (const _skipped of files);
      if (!texts.isWhole) throw new TypeError('the body was not read to its end')
      return parseInput(schema, texts.collector.fields)
    },
  }
}

/**
 * Yields the files of a multipart body one after the other, as they arrive. Taking the next file skips the rest of the
 * previous one. Reading a file that is too large throws 413, and the next file can still be read. Throws 415 for
 * another media type, and 413 if the whole body is larger than 2 × `files` × `bytes` + 256 KiB, and the size of all
 * text fields. Throws 400 for malformed multipart, parts without a file name, files not named `file`, more files than
 * `files`, and text fields that are not allowed, too long or too many.
 */
async function* readFiles(
  contentType: string | undefined,
  body: Readable,
  { files, bytes, fields }: MultipartBody,
  texts: Texts,
  { begin, end }: Reading,
): AsyncGenerator<FilePart> {
  begin()
  if (!contentType || !mediaType.test(contentType)) throw new AppError('UnsupportedMediaType')
  const arrived: { file: FilePart; stream: Readable }[] = []
  let failure: { error: unknown } | undefined
  let finished = false
  let wake = () => {}
  let current: Readable | undefined
  const fail = (error: unknown) => {
    failure ??= { error: refused(error) }
    current?.destroy() // its reader must not wait for bytes that never arrive
    wake()
  }
  /** Yields all bytes of one file. Throws 413 after the last allowed byte. */
  async function* whole(stream: Readable & { truncated?: boolean }): AsyncGenerator<Uint8Array> {
    try {
      yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
    } catch (error) {
      throw failure?.error ?? refused(error)
    }
    if (failure) throw failure.error
    if (stream.truncated) throw new AppError('RequestFileTooLarge')
  }
  const boy = new Busboy({
    headers: { 'content-type': contentType },
    limits: {
      files,
      fileSize: bytes,
      fields: fields?.count ?? 0,
      fieldSize: fields?.bytes ?? 0,
      parts: files + (fields?.count ?? 0) + 1,
      headerPairs: 20,
      headerSize: 8 * 1024,
    },
    preservePath: true, // names are sanitized where they are stored
    // A file input without a file is an empty part of this type, whose name the parser returns as undefined.
    isPartAFile: (_name, type, fileName) =>
      !fields || fileName !== undefined || type === 'application/octet-stream',
  })
  boy.on('field', (name, value, _nameIsCut, valueIsCut) => {
    if (!name) fail(invalid('', 'Required'))
    else if (name.length > maxNameLength) fail(refusal(name, 'TooManyCharacters'))
    else if (valueIsCut) fail(refusal(name, 'TooManyCharacters'))
    else texts.collector.add(name, value)
  })
  boy.on('file', (name, stream, fileName, _encoding, type) => {
    current = stream.on('error', () => {})
    if (fields && !fileName) stream.resume()
    else if (name !== 'file') fail(refusal(name, 'UnknownField'))
    else if (!fileName) fail(refusal(name, 'Required'))
    else arrived.push({ file: { fileName, type, bytes: whole(stream) }, stream })
    wake()
  })
  for (const limit of ['filesLimit', 'partsLimit'] as const)
    boy.on(limit, () => fail(invalid('file', 'TooManyItems', { maximum: files })))
  boy.on('fieldsLimit', () => fail(invalid('', 'TooManyItems', { maximum: fields?.count ?? 0 })))
  boy.on('error', fail)
  boy.on('finish', () => {
    finished = true
    wake()
  })

  const stop = new AbortController()
  const maximum = 2 * files * bytes + overhead + (fields ? fields.count * fields.bytes : 0)
  const fed = feed(body, boy, maximum, stop.signal).catch(fail)
  try {
    for (;;) {
      const next = arrived.shift()
      if (failure) throw failure.error
      if (next) {
        yield next.file
        await skip(next.stream)
      } else if (finished) {
        texts.isWhole = true
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    stop.abort()
    boy.destroy()
    end()
    // Clients may read the response only after sending the whole body, so the rest is read and dropped.
    void fed.then(() => body.resume())
  }
}

const refusal = (name: string | undefined, code: IssueCode) => invalid((name ?? '').slice(0, 200), code)

/** Pipes the body to the parser with backpressure. Throws 413 for more than `maximum` bytes. */
async function feed(
  body: Readable,
  boy: InstanceType<typeof Busboy>,
  maximum: number,
  signal: AbortSignal,
): Promise<void> {
  let sent = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (signal.aborted) return
    sent += chunk.byteLength
    if (sent > maximum) throw new AppError('RequestFileTooLarge')
    await new Promise<void>((resolve, reject) => {
      boy.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  }
  boy.end()
}

/** Converts a transfer error to an AppError: the sender has disconnected, or the multipart is malformed. */
function refused(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('ValidationFailed', { message: 'The body is no whole multipart', cause: error })
}

async function skip(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return
  const over = once(stream, 'close')
  stream.resume()
  await over
}
