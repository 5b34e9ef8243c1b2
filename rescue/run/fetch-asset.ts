import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, hashFile, renameFirmly, sizeOf, writeAll } from '#archive/files.ts'
import { assetPath } from '#archive/names.ts'
import type { StoredAsset } from '#archive/write.ts'
import type { HostThrottle } from '#rescue/newt/host-throttle.ts'
import type { NewtApi } from '#rescue/newt/newt-api.ts'
import { RetryableError, type RetryPolicy, retryableStatus, toRetryable } from '#rescue/newt/retry-policy.ts'
import { type OutgoingHttp, OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { type Expected, judgeAsset, type SizeTrust, type Verdict } from './judge-asset.ts'
import type { Workspace } from './workspace.ts'

export interface AssetContext {
  http: OutgoingHttp
  api: NewtApi
  throttle: HostThrottle
  workspace: Workspace
  /** Downloads at the same time. */
  concurrency: number
  /** Larger assets are not fetched but listed as missing; in bytes. */
  maxBytes: number
  /** Where an address is really fetched (`--origin`); itself normally. */
  locate: (url: string) => string
  /** What the contents say of the file at an address. */
  expected: (url: string) => Expected | undefined
  /** Whether what they say has been right so far. */
  trust: SizeTrust
  /** The content API is out of reach for good: that an asset host is too says nothing about the line. */
  isApiGone: boolean
  onProgress: (bytes: number) => void
  signal?: AbortSignal
}

/** A body may dawdle for so long; then it must have come at this many bytes per second at least. */
const patientMs = 300_000
const slowestRate = 1_000
/** Enough of a file to tell an error page. */
const headBytes = 1_024

/** Fetches one asset into its place; the reason when it surely cannot be had. */
export async function fetchAsset(
  context: AssetContext,
  url: string,
  retries: RetryPolicy,
): Promise<string | undefined> {
  const { workspace, throttle } = context
  const part = workspace.partPath(url)
  const place = context.locate(url)
  const judge = createJudge(url, context.expected(url), context.trust)
  const result = await throttle.run(new URL(place).host, retries, () => fetchTo(context, place, part, judge))
  if ('missing' in result) {
    await unlink(part).catch(() => {})
    return result.missing
  }
  // First the record, then the move: after a crash the record finds the file under either name.
  await workspace.record({ t: 'asset', url, ...result })
  await moveToPlace(workspace, part, result)
  context.onProgress(result.bytes)
  return undefined
}

async function moveToPlace(workspace: Workspace, part: string, asset: StoredAsset): Promise<void> {
  await workspace.folder('assets', asset.sha256.slice(0, 2))
  const target = join(workspace.dir, assetPath(asset.sha256))
  // The same picture under another address: replacing it could disturb its readers on Windows.
  if (await holds(target, asset)) await unlink(part)
  else await renameFirmly(part, target)
}

/** Judges one answer after the other to the same request. */
type Judge = (fetched: StoredAsset & { head: Buffer }) => Verdict

/** A file of another size than its asset object says is believed when it comes twice the same. */
function createJudge(url: string, expected: Expected | undefined, trust: SizeTrust): Judge {
  let before = ''
  return ({ sha256, bytes, type, head }) => {
    const verdict = judgeAsset(url, expected, { bytes, head, contentType: type })
    if (verdict !== 'other_size') {
      if (expected?.sizes.includes(bytes)) trust.count(true)
      return verdict
    }
    const isBelieved = before === sha256 || trust.isLost
    before = sha256
    if (isBelieved) trust.count(false)
    return isBelieved ? 'as_said' : verdict
  }
}

async function fetchTo(
  context: AssetContext,
  url: string,
  part: string,
  judge: Judge,
): Promise<StoredAsset | { missing: string }> {
  try {
    const first = await fetchOnce(context, url, part)
    if ('missing' in first) return first
    const verdict = judge(first)
    if (verdict === 'not_the_file') throw new RetryableError('refused', verdict)
    if (verdict === 'other_size') throw new RetryableError('broken', verdict)
    if (first.isFramed) return stateOf(first)
    // An answer that ends with its connection may have been cut without a sign: it must come twice the same.
    const second = await fetchOnce(context, url, part)
    if ('missing' in second) return second
    if (second.sha256 === first.sha256) return stateOf(second)
    throw new RetryableError('broken', 'cut')
  } catch (error) {
    if (error instanceof OutgoingHttpError && error.code !== 'aborted') {
      const later = toRetryable(error)
      if (later instanceof RetryableError) throw later
      return { missing: error.code }
    }
    throw error
  }
}

type Fetched = StoredAsset & { isFramed: boolean; head: Buffer }

function stateOf({ sha256, bytes, type }: Fetched): StoredAsset {
  return { sha256, bytes, type }
}

async function fetchOnce(
  { http, maxBytes, signal }: AssetContext,
  url: string,
  part: string,
): Promise<Fetched | { missing: string }> {
  const response = await http.request(url, {
    maxBytes,
    timeoutMs: 0,
    idleMs: 60_000,
    maxRedirects: 3,
    headers: { 'user-agent': 'imori-rescue' },
    ...(signal ? { signal } : {}),
  })
  const { status, headers } = response
  if (status !== 200) {
    response.discard()
    if (status === 404 || status === 410) return { missing: String(status) }
    // Firewalls refuse for a while, and in many ways.
    throw retryableStatus(status, headers['retry-after']) ?? new RetryableError('refused', String(status))
  }
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  try {
    return { ...(await save(response.body, part)), type: mediaType(headers['content-type']), isFramed }
  } catch (error) {
    // A full disk must not leave the socket open.
    response.discard()
    throw error
  }
}

async function save(
  body: AsyncIterable<Buffer>,
  part: string,
): Promise<{ sha256: string; bytes: number; head: Buffer }> {
  const hash = createHash('sha256')
  const start = Date.now()
  let bytes = 0
  let head: Buffer = Buffer.alloc(0)
  const handle = await createFile(part)
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      bytes += chunk.length
      if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)])
      await writeAll(handle, chunk)
      const elapsed = Date.now() - start
      if (elapsed > patientMs && bytes < (elapsed / 1_000) * slowestRate) throw new TooSlow()
    }
    await handle.datasync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), bytes, head }
}

/** Bytes that trickle so slowly that the run would never end. */
export class TooSlow extends Error {}

function mediaType(header: string | string[] | undefined): string {
  const type =
    String(header ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : ''
}

/**
 * Compares the journal with what lies in the folder: finishes moves a crash cut short and forgets assets whose
 * file is gone or holds something else, so that they are fetched again.
 */
export async function reconcileAssets(workspace: Workspace): Promise<void> {
  /** Path → whether it holds what its name says; several addresses may share a file. */
  const whole = new Map<string, boolean>()
  for (const [url, asset] of workspace.assets) {
    const target = join(workspace.dir, assetPath(asset.sha256))
    const isWhole = whole.get(target) ?? (await holds(target, asset))
    whole.set(target, isWhole)
    if (isWhole) continue
    const part = workspace.partPath(url)
    if (await holds(part, asset)) {
      await moveToPlace(workspace, part, asset)
      whole.set(target, true)
    } else workspace.assets.delete(url)
  }
}

async function holds(path: string, { sha256, bytes }: StoredAsset): Promise<boolean> {
  return (await sizeOf(path)) === bytes && (await hashFile(path)).sha256 === sha256
}
