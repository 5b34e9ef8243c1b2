import { once } from 'node:events'
import type { Readable } from 'node:stream'
import Busboy from '@fastify/busboy'
import type { FilePart, MultipartBody } from '#shared/contract/endpoint.ts'
import { AppError, type IssueCode, invalid } from '#shared/errors.ts'

/** RFC 2046: a boundary has at most 70 characters. */
const mediaType = /^multipart\/form-data\s*;.*boundary=(?:"[^"]{1,70}"|[^";\s]{1,70})\s*(?:;|$)/i

/** What surrounds the files: boundaries and headers of parts. */
const overhead = 256 * 1024

/**
 * The files of a multipart body one after the other, as they come. Whoever takes the next one is done with the one
 * before; the bytes of one that is too large end with 413, and the next one can still be read. Throws 415 for another media
 * type, 413 when everything together is more than twice what is allowed, and 400 for what is no multipart, for fields,
 * for parts of another name than `file`, and for more files than `files`.
 */
export async function* readFiles(
  contentType: string | undefined,
  body: Readable,
  { files, bytes }: MultipartBody,
): AsyncGenerator<FilePart> {
  if (!contentType || !mediaType.test(contentType)) throw new AppError('UnsupportedMediaType')
  const arrived: { file: FilePart; stream: Readable }[] = []
  let failure: { error: unknown } | undefined
  let finished = false
  let wake = () => {}
  let current: Readable | undefined
  const fail = (error: unknown) => {
    failure ??= { error: refused(error) }
    current?.destroy() // who reads it must not wait for bytes that never come
    wake()
  }
  /** The bytes of one file, to their end. Throws 413 behind the last byte that is allowed. */
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
    limits: { files, fileSize: bytes, fields: 0, parts: files + 1, headerPairs: 20, headerSize: 8 * 1024 },
    preservePath: true, // names are made safe where they are kept
    isPartAFile: () => true,
  })
  boy.on('file', (name, stream, fileName, _encoding, type) => {
    current = stream.on('error', () => {})
    if (name !== 'file') fail(refusal(name, 'UnknownField'))
    else if (!fileName) fail(refusal(name, 'Required'))
    else arrived.push({ file: { fileName, type, bytes: whole(stream) }, stream })
    wake()
  })
  for (const limit of ['filesLimit', 'partsLimit', 'fieldsLimit'] as const)
    boy.on(limit, () => fail(invalid('file', 'TooManyItems', { maximum: files })))
  boy.on('error', fail)
  boy.on('finish', () => {
    finished = true
    wake()
  })

  const stop = new AbortController()
  const fed = feed(body, boy, 2 * files * bytes + overhead, stop.signal).catch(fail)
  try {
    for (;;) {
      const next = arrived.shift()
      if (failure) throw failure.error
      if (next) {
        yield next.file
        await skip(next.stream)
      } else if (finished) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    stop.abort()
    boy.destroy()
    // The sender reads our answer when everything is sent: what is left goes nowhere.
    void fed.then(() => body.resume())
  }
}

const refusal = (name: string | undefined, code: IssueCode) => invalid((name ?? '').slice(0, 200), code)

/** Hands the body on as fast as it is taken. Throws 413 for more than `maximum` bytes. */
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

/** What went wrong on the way here: the sender has gone, or sends what is no multipart. */
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
