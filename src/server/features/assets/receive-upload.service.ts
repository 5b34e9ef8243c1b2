import type { PublicContext } from '#server/access/context.ts'
import { AppError, invalid } from '#shared/errors.ts'
import {
  readPutToken,
  requireUnconfirmed,
  type SignedPutUpload,
  uploadedBytes,
  writeUpload,
} from './signed-uploads.service.ts'

/** The headers of a PUT that describe its bytes. */
interface PutHeaders {
  'content-type'?: string | undefined
  'content-length'?: string | undefined
  'content-range'?: string | undefined
}

/** Ids of uploads that this process is receiving. Only one request at a time may write an upload. */
const writing = new Set<string>()

/**
 * Returns the number of bytes received so far. `token`: the value that the address of the upload contains. Throws 403
 * for a forged or expired token, and 409 if the upload is confirmed.
 */
export async function getUploadOffset(ctx: PublicContext, token: string): Promise<number> {
  return uploadedBytes(ctx.services.config.dataDir, await openUpload(ctx, token))
}

/**
 * Appends the bytes of a PUT to the upload, or replaces its bytes if the PUT has no range. Returns the new number of
 * bytes. Throws the errors of {@link getUploadOffset} and {@link writeUpload}, 415 for another type than the signed
 * one, 400 for an invalid range, and 409 while another request writes the upload or if the sender disconnects.
 */
export async function receiveUpload(
  ctx: PublicContext,
  token: string,
  headers: PutHeaders,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> {
  const upload = await openUpload(ctx, token)
  if (typeOf(headers) !== upload.type) throw new AppError('UnsupportedMediaType')
  const start = startOf(headers, upload)
  if (writing.has(upload.id)) throw new AppError('UploadIsIncomplete')
  writing.add(upload.id)
  try {
    return await writeUpload(ctx.services.config, upload, start, bytes).catch(whenCut)
  } finally {
    writing.delete(upload.id)
  }
}

async function openUpload({ db, services }: PublicContext, token: string): Promise<SignedPutUpload> {
  const upload = readPutToken(services.secrets.sessionKey, token)
  await requireUnconfirmed(db, upload)
  return upload
}

const typeOf = (headers: PutHeaders) => (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()

/** Returns the offset of a PUT. Throws 400 for an invalid range, and 413 for more bytes than the signed size. */
function startOf(headers: PutHeaders, { size }: SignedPutUpload): number {
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
