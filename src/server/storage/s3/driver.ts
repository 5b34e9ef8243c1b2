import type { OutgoingResponse } from '#server/lib/outgoing-http.ts'
import { checkedBytes } from '../checked-bytes.ts'
import {
  StorageAway,
  type StorageDriver,
  StorageNotFound,
  StorageRefused,
  type StoredObject,
} from '../driver.ts'
import { isStorageKey, requireStorageKey, requireStoragePrefix } from '../keys.ts'
import { errorOfCode, errorOfFailure } from './errors.ts'
import { createS3Requests, encodePath, type S3Options } from './requests.ts'
import { element, type ListPage, parseListPage } from './xml.ts'

/** Maximum validity of a signature in seconds. S3 refuses longer validity. */
const longestSignature = 7 * 24 * 3600

/** Maximum number of pages of a list, far more than any space needs. Guards against endless paging. */
const maximumPages = 100_000

interface Range {
  start: number
  /** Inclusive. `undefined`: to the end. */
  end?: number
}

/**
 * Creates a storage for a bucket with the S3 protocol and version 4 signatures, for example of Amazon S3, Google Cloud
 * Storage (HMAC keys), R2, MinIO, Ceph or Swift. Bodies with a known hash are signed. Other bodies are sent as
 * `UNSIGNED-PAYLOAD`, so over plain http the network must be trusted.
 */
export function createS3Storage(options: S3Options): StorageDriver {
  const { bucket, prefix } = options.location
  const requests = createS3Requests(options)
  const nameOf = (key: string) => {
    requireStorageKey(key)
    return prefix + key
  }

  async function stat(key: string, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const request = { method: 'HEAD', key: nameOf(key), signal } as const
    const found = await requests.send(request, readStat).catch(ignoreNotFound)
    return found && { key, ...found }
  }

  /** Requests the object, or a range of it. The body of the response is not read yet. */
  async function open(
    name: string,
    range: Range | undefined,
    etag: string | undefined,
    signal?: AbortSignal,
  ) {
    const headers = {
      ...(range ? { range: `bytes=${range.start}-${range.end ?? ''}` } : {}),
      ...(etag ? { 'if-match': etag } : {}),
    }
    const answer = await requests.send(
      { method: 'GET', key: name, headers, file: true, signal },
      async (opened) => opened,
    )
    try {
      return { answer, ...readExtent(answer, range) }
    } catch (error) {
      answer.discard()
      throw error
    }
  }

  /** Yields the bytes. Resumes after a lost connection if the object is unchanged. */
  async function* read(
    name: string,
    first: Awaited<ReturnType<typeof open>>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    let { answer } = first
    let at = first.start
    for (let tries = 1; ; tries++) {
      try {
        for await (const chunk of answer.body) {
          at += chunk.length
          yield chunk
        }
        if (at > first.end) return
        throw new StorageAway('differentContent')
      } catch (error) {
        const failure = errorOfFailure(error, signal)
        if (!(failure instanceof StorageAway) || tries >= requests.patience.attempts || !first.etag)
          throw failure
        if (at > first.end) return
        answer = (await open(name, { start: at, end: first.end }, first.etag, signal)).answer
      }
    }
  }

  return {
    kind: 's3',
    async read(key, range, signal) {
      const name = nameOf(key)
      const first = await open(name, range, undefined, signal)
      return read(name, first, signal)
    },
    async write(key, bytes, { type, size, sha256, signal }) {
      const body = {
        bytes: () => checkedBytes(bytes, { size, ...(sha256 ? { sha256 } : {}) }),
        size,
        sha256,
        repeatable: typeof bytes === 'function',
      }
      const request = {
        method: 'PUT',
        key: nameOf(key),
        headers: { 'content-type': type },
        body,
        signal,
      } as const
      await requests.send(request, readNothing).catch((error) => {
        throw error instanceof StorageNotFound ? new StorageRefused('noSuchBucket') : error
      })
      const kept = await stat(key, signal)
      if (kept?.size !== size) throw new StorageAway('differentContent')
    },
    async delete(key) {
      await requests.send({ method: 'DELETE', key: nameOf(key) }, readNothing).catch(ignoreNotFound)
    },
    stat: (key) => stat(key),
    async copy(from, to) {
      const headers = { 'x-amz-copy-source': `/${bucket}/${encodePath(nameOf(from))}` }
      await requests.send({ method: 'PUT', key: nameOf(to), headers }, async (answer) => {
        const xml = await answer.text()
        // S3 responds with 200 before copying. A failure is only in the body.
        if (!xml.includes('<CopyObjectResult'))
          throw errorOfCode(element(xml, 'Code') ?? 'InternalError', 200, xml)
      })
    },
    async *list(below) {
      requireStoragePrefix(below)
      const query = { 'list-type': '2', 'encoding-type': 'url', prefix: prefix + below }
      let next: string | undefined
      for (let pages = 0; pages < maximumPages; pages++) {
        const page: ListPage = await requests.send(
          { method: 'GET', query: { ...query, ...(next ? { 'continuation-token': next } : {}) } },
          async (answer) => parseListPage(await answer.text()),
        )
        for (const { key: name, ...object } of page.objects) {
          if (!name.startsWith(query.prefix)) throw new StorageAway('notS3')
          const key = name.slice(prefix.length)
          // Objects of other programs in the bucket are skipped.
          if (isStorageKey(key)) yield { key, ...object }
        }
        if (page.next === undefined) return
        if (page.next === next) throw new StorageAway('notS3')
        next = page.next
      }
      throw new StorageAway('notS3')
    },
    async signPut(key, { type, size, expiresAt }) {
      const seconds = Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
      const headers = { 'content-type': type, 'content-length': String(size) }
      const lasting = Math.min(Math.max(seconds, 1), longestSignature)
      const url = await requests.signUrl('PUT', nameOf(key), headers, lasting)
      // Browsers set Content-Length themselves and do not allow overriding it.
      return { url, headers: { 'content-type': type } }
    },
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof StorageNotFound)) throw error
}

async function readNothing(answer: OutgoingResponse): Promise<void> {
  await answer.bytes()
}

async function readStat(answer: OutgoingResponse): Promise<{ size: number; modifiedAt: Date }> {
  await answer.bytes()
  const size = Number(answer.headers['content-length'] ?? Number.NaN)
  const modifiedAt = new Date(String(answer.headers['last-modified']))
  if (!Number.isSafeInteger(size) || Number.isNaN(modifiedAt.getTime())) throw new StorageAway('notS3')
  return { size, modifiedAt }
}

/** Returns the byte range of a response. Throws `StorageAway` if it is not the requested range. */
function readExtent({ status, headers }: OutgoingResponse, range: Range | undefined) {
  const etag = typeof headers.etag === 'string' ? headers.etag : undefined
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (!Number.isSafeInteger(length)) throw new StorageAway('notS3')
  if (!range) return { start: 0, end: length - 1, etag }
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
  const given = { start: Number(start), end: Number(end) }
  const last = Math.min(range.end ?? Number.POSITIVE_INFINITY, Number(total) - 1)
  if (
    status !== 206 ||
    given.start !== range.start ||
    given.end !== last ||
    length !== last - range.start + 1
  )
    throw new StorageAway('differentContent')
  return { ...given, etag }
}
