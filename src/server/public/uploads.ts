import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import {
  readPutToken,
  requireUnconfirmed,
  type SignedPutUpload,
  uploadedBytes,
  writeUpload,
} from '#server/features/assets/signed-uploads.service.ts'
import { allowSlowBody } from '#server/http/body-time.ts'
import type { ServerDeps } from '#server/http/context.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { PublicRoute } from './public-route.ts'

const url = '/api/uploads/:token'
const perMinute = 300

/**
 * Returns the routes that receive uploaded files, for storages without signed URLs. `HEAD` returns the number of
 * received bytes (`Upload-Offset`). A PUT with `Content-Range: bytes {offset}-{last}/{size}` resumes at the offset. A
 * PUT without this header starts from the beginning. PUT responds with 204 and the new `Upload-Offset`.
 */
export function uploadRoutes({ services, database }: ServerDeps): PublicRoute[] {
  const { config, secrets } = services
  const read = async ({ params }: FastifyRequest) => {
    const upload = readPutToken(secrets.sessionKey, (params as { token: string }).token)
    await requireUnconfirmed(database.kysely, upload)
    return upload
  }
  /** Ids of uploads that this process is receiving. Only one request at a time may write an upload. */
  const writing = new Set<string>()
  return [
    {
      method: 'HEAD',
      url,
      perMinute,
      origin: 'any',
      async handle(request, reply) {
        const offset = await uploadedBytes(config.dataDir, await read(request))
        return reply.header('upload-offset', String(offset)).code(204).send()
      },
    },
    {
      method: 'PUT',
      url,
      perMinute,
      origin: 'any',
      async handle(request, reply) {
        const upload = await read(request)
        const { body } = request
        if (!(body instanceof Readable) || typeOf(request) !== upload.type)
          throw new AppError('UnsupportedMediaType')
        const start = startOf(request, upload)
        if (writing.has(upload.id)) throw new AppError('UploadIsIncomplete')
        writing.add(upload.id)
        try {
          allowSlowBody(request.raw)
          const bytes = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
          const offset = await writeUpload(config, upload, start, bytes).catch(whenCut)
          return reply.header('upload-offset', String(offset)).code(204).send()
        } finally {
          writing.delete(upload.id)
          body.resume()
        }
      },
    },
  ]
}

const typeOf = ({ headers }: FastifyRequest) =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()

/** Returns the offset of a PUT. Throws 400 for an invalid range, and 413 for more bytes than the signed size. */
function startOf({ headers }: FastifyRequest, { size }: SignedPutUpload): number {
  const length = Number(headers['content-length'] ?? 0)
  const range = headers['content-range']
  if (range === undefined) {
    if (length > size) throw new AppError('RequestFileTooLarge')
    return 0
  }
  const [, first, last, total] = /^bytes (\d{1,12})-(\d{1,12})\/(\d{1,12})$/.exec(range) ?? []
  const [start, end] = [Number(first), Number(last)]
  if (
    first === undefined ||
    Number(total) !== size ||
    end < start ||
    (length > 0 && length !== end - start + 1)
  )
    throw invalid('content-range', 'InvalidFormat')
  if (end >= size) throw new AppError('RequestFileTooLarge')
  return start
}

/**
 * For `.catch()`: throws `UploadIsIncomplete` if the sender has disconnected, because the sender may resume later.
 * Rethrows other errors.
 */
function whenCut(error: unknown): never {
  const { code } = error as { code?: string }
  if (code !== 'ECONNRESET' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  throw new AppError('UploadIsIncomplete', { cause: error })
}
