import { ApiError, type ApiResponse, api, getCsrfToken } from '#admin/lib/api.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { maximumTries, mayPass, offsetAt, pauseBefore } from './persist.ts'
import { send } from './send.ts'
import { sendElsewhere } from './send-elsewhere.ts'

export interface TransferHooks {
  /** `waiting`: an attempt failed, and the next one starts after a pause. `checking`: all bytes are sent. */
  onState: (state: 'sending' | 'waiting' | 'checking') => void
  /** Called with the number of bytes that have arrived or are being sent. */
  onProgress: (sent: number) => void
  signal: AbortSignal
}

type Ticket = ApiResponse<'GET /api/project/{p}/assets/signedUrl'>

/**
 * Uploads a file to the library: requests an upload URL, sends the file, and asks the server to check it. After a lost
 * connection, the upload resumes at the offset that the storage reports, if the storage can resume uploads. `key`
 * identifies the file, so that repeated attempts create only one asset.
 *
 * @throws ApiError if the upload is rejected or the server stays unreachable; `AbortError` if it is cancelled
 */
export async function transfer(p: string, file: File, key: string, hooks: TransferHooks): Promise<Asset> {
  const run = { p, file, key, hooks, ticket: undefined as Ticket | undefined, arrived: 0, isSent: false }
  for (let tries = 0; ; tries++) {
    const before = run.arrived
    try {
      return await attempt(run, tries > 0)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // A completed upload can still be confirmed after its URL no longer accepts data.
      if (isExpired(run.ticket) && (!run.isSent || error.code === 'Forbidden')) {
        run.ticket = undefined
        run.isSent = false
      } else if (error.code === 'UploadIsFinished') run.isSent = true
      else if (!mayPass(error)) throw error
      if (run.arrived > before) tries = 0
      if (tries >= maximumTries) throw error
      hooks.onState('waiting')
      await pauseBefore(tries, hooks.signal)
    }
  }
}

interface Run {
  p: string
  file: File
  /** Value of the header `Idempotency-Key`. */
  key: string
  hooks: TransferHooks
  ticket: Ticket | undefined
  /** Number of bytes that had arrived at the start of the last attempt. */
  arrived: number
  isSent: boolean
}

async function attempt(run: Run, again: boolean): Promise<Asset> {
  const { p, file, key, hooks } = run
  const { signal } = hooks
  run.ticket ??= await api('GET /api/project/{p}/assets/signedUrl', {
    params: { p },
    query: { fileName: file.name, fileType: typeOf(file), fileSize: file.size },
    signal,
  })
  const { ticket } = run
  if (!run.isSent) {
    hooks.onState('sending')
    if (ticket.pass === null)
      await put(run, ticket, again && ticket.resumable ? await offsetAt(ticket.url, signal) : 0)
    else {
      const sent = await sendElsewhere({ ...ticket, pass: ticket.pass }, file, hooks)
      // The bucket rejects cross-origin uploads or cannot be reached, so the file is sent through Imori's server.
      if (!sent) return sendThrough(run)
    }
    run.isSent = true
  }
  hooks.onState('checking')
  const { asset } = await api('POST /api/project/{p}/assets/{id}/signedUrl', {
    params: { p, id: ticket._id },
    body: { data: { token: ticket.token } },
    headers: { 'idempotency-key': key },
    signal,
  })
  return asset
}

async function put(run: Run, ticket: Ticket, offset: number): Promise<void> {
  const { file, hooks } = run
  run.arrived = offset
  hooks.onProgress(offset)
  if (offset >= file.size) return
  const range = offset > 0 ? { 'content-range': `bytes ${offset}-${file.size - 1}/${file.size}` } : {}
  await send({
    method: 'PUT',
    url: ticket.url,
    body: offset > 0 ? file.slice(offset) : file,
    headers: { ...ticket.headers, ...range },
    onProgress: (sent) => hooks.onProgress(Math.min(file.size, offset + sent)),
    signal: hooks.signal,
  })
}

/** Uploads the file in one request to Imori's own server. */
async function sendThrough({ p, file, key, hooks }: Run): Promise<Asset> {
  const url = `/api/project/${encodeURIComponent(p)}/assets`
  const answer = await sendForm('POST', url, file, hooks, { 'idempotency-key': key })
  const [result] = answer.results as ApiResponse<'POST /api/project/{p}/assets'>['results']
  if (!result?.asset) throw new ApiError(400, { ...result })
  return result.asset
}

/** Replaces the file of an asset. Throws the errors of {@link send}. */
export async function sendReplacement(
  p: string,
  id: string,
  file: File,
  hooks: Pick<TransferHooks, 'onProgress' | 'signal'>,
): Promise<Asset> {
  const url = `/api/project/${encodeURIComponent(p)}/assets/${id}:refresh`
  const answer = await sendForm('PUT', url, file, hooks)
  return (answer as ApiResponse<'PUT /api/project/{p}/assets/{id}:refresh'>).asset
}

async function sendForm(
  method: 'PUT' | 'POST',
  url: string,
  file: File,
  { onProgress, signal }: Pick<TransferHooks, 'onProgress' | 'signal'>,
  headers: Record<string, string> = {},
) {
  const token = await getCsrfToken()
  const body = new FormData()
  body.append('file', file, file.name)
  return send({
    method,
    url,
    body,
    headers: { ...headers, ...(token ? { 'x-csrf-token': token } : {}) },
    onProgress: (sent) => onProgress(Math.min(file.size, sent)),
    signal,
  })
}

const typeOf = (file: File) => file.type || 'application/octet-stream'

const isExpired = (ticket: Ticket | undefined) =>
  ticket !== undefined && Date.parse(ticket.expiresAt) <= Date.now()
