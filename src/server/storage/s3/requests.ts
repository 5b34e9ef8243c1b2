import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { OutgoingHttp, OutgoingResponse } from '#server/lib/outgoing-http.ts'
import type { S3Credentials, S3Location } from '#shared/storage.ts'
import { StorageAway } from '../driver.ts'
import { errorOfAnswer, errorOfFailure } from './errors.ts'

/** Timeouts and retries of requests to a storage. */
export interface Patience {
  attempts: number
  /** Milliseconds before the second attempt, tripled for each further attempt. Half of the time is random. */
  waitMs: number
  /** Time limit of an exchange without a file, in ms. */
  answerMs: number
  /** Maximum time without data, in ms. */
  idleMs: number
  /** Time limit of an exchange with a file, in ms. */
  fileMs: number
}

const usualPatience: Patience = {
  attempts: 4,
  waitMs: 200,
  answerMs: 10_000,
  idleMs: 15_000,
  fileMs: 1_800_000,
}

export interface S3Options {
  location: S3Location
  credentials: S3Credentials
  http: OutgoingHttp
  patience?: Partial<Patience>
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** If omitted, the request is for the bucket. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** `bytes` is called for each attempt. */
  body?: {
    bytes: () => AsyncIterable<Uint8Array>
    size: number
    sha256: string | undefined
    repeatable: boolean
  }
  /** Whether the body of the response is a file, which the caller reads. */
  file?: boolean
  signal?: AbortSignal | undefined
}

/** Maximum size of responses other than files, in bytes. A page of 1,000 keys is the largest response. */
const maximumAnswer = 4 * 1024 * 1024
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const unsigned = 'UNSIGNED-PAYLOAD'

const encodePart = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
export const encodePath = (key: string) => key.split('/').map(encodePart).join('/')

/**
 * Returns the origin of requests for this bucket. The origin is not a valid URL if the bucket is prepended to an IP
 * address.
 */
export function originOf({ endpoint, bucket, style }: S3Location): string {
  const url = new URL(endpoint)
  return style === 'path' ? url.origin : `${url.protocol}//${bucket}.${url.host}`
}

export function createS3Requests({ location, credentials, http, patience: given }: S3Options) {
  const patience = { ...usualPatience, ...given }
  const origin = originOf(location)
  const base = location.style === 'path' ? `${origin}/${location.bucket}` : origin
  const signing = { ...credentials, region: location.region, service: 's3' }

  function urlOf(key: string | undefined, query: Record<string, string> = {}): URL {
    const url = new URL(key === undefined ? base : `${base}/${encodePath(key)}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  async function sendOnce(request: S3Request): Promise<OutgoingResponse> {
    const { method, key, query, body, signal } = request
    const contentHash = body && body.size > 0 ? (body.sha256 ?? unsigned) : emptyHash
    const { url, headers } = await new AwsV4Signer({
      ...signing,
      method,
      url: urlOf(key, query).href,
      headers: { ...request.headers, 'x-amz-content-sha256': contentHash },
    }).sign()
    let failure: { error: unknown } | undefined
    async function* source(bytes: AsyncIterable<Uint8Array>) {
      try {
        yield* bytes
      } catch (error) {
        failure = { error }
        throw error
      }
    }
    const bytes = body && source(body.bytes())
    try {
      // No data is sent, but the announced size and hash are still checked.
      if (bytes && body.size === 0) for await (const _ of bytes);
      const stream =
        bytes && (body.size === 0 ? Buffer.alloc(0) : Readable.from(bytes, { objectMode: false }))
      return await http.request(url, {
        method,
        headers: {
          ...Object.fromEntries(headers),
          ...(body ? { 'content-length': String(body.size) } : {}),
        },
        ...(stream ? { body: stream } : {}),
        maxBytes: method === 'HEAD' || request.file ? Number.MAX_SAFE_INTEGER : maximumAnswer,
        timeoutMs: body || request.file ? patience.fileMs : patience.answerMs,
        idleMs: patience.idleMs,
        ...(signal ? { signal } : {}),
      })
    } catch (error) {
      throw failure ? failure.error : errorOfFailure(error, signal)
    }
  }

  async function retrying<T>(
    attempts: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StorageAway) || attempt >= attempts) throw error
        const wait = patience.waitMs * 3 ** (attempt - 1)
        await sleep(wait / 2 + (Math.random() * wait) / 2, undefined, signal ? { signal } : {})
      }
    }
  }

  return {
    patience,
    /**
     * Sends a request with retries. Returns the result of `read` for a successful response. Throws the driver's errors
     * for other responses.
     */
    send<T>(request: S3Request, read: (answer: OutgoingResponse) => Promise<T>): Promise<T> {
      const attempts = request.body && !request.body.repeatable ? 1 : patience.attempts
      return retrying(attempts, request.signal, async () => {
        const answer = await sendOnce(request)
        if (answer.status < 200 || answer.status >= 300) throw await errorOfAnswer(answer)
        return read(answer).catch((error) => {
          throw errorOfFailure(error, request.signal)
        })
      })
    },
    /** Returns a signed URL that can be used for `seconds` without credentials, with exactly these headers. */
    async signUrl(
      method: string,
      key: string,
      headers: Record<string, string>,
      seconds: number,
    ): Promise<string> {
      const url = urlOf(key, { 'X-Amz-Expires': String(seconds) })
      const signer = new AwsV4Signer({
        ...signing,
        method,
        url: url.href,
        headers,
        signQuery: true,
        allHeaders: true,
      })
      return (await signer.sign()).url.href
    },
  }
}
