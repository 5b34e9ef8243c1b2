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
  concurrency: number
  /** Maximum size of assets in bytes. Larger assets are listed as missing. */
  maxBytes: number
  /** Returns the URL that is actually fetched. It only differs with `--origin` and `--map-host`. */
  locate: (url: string) => string
  /** Returns the statements of asset objects about the file at a URL. */
  expected: (url: string) => Expected | undefined
  /** Records whether stated sizes have been correct so far. */
  trust: SizeTrust
  /**
   * If true, the content API is not used to check connectivity, because it has failed or is permanently unavailable.
   */
  isApiGone: boolean
  onProgress: (bytes: number) => void
  signal?: AbortSignal
}

/** After `patientMs`, a download must have an average of at least `slowestRate` bytes per second. */
const patientMs = 300_000
const slowestRate = 1_000
/** Number of bytes that are needed to recognise an error page. */
const headBytes = 1_024

/** Downloads one asset into the archive. Returns the reason if the asset is definitely unavailable. */
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
  // The journal entry is written before the file is moved. After a crash, the file has either the old or the new name.
  await workspace.record({ t: 'asset', url, ...result })
  await moveToPlace(workspace, part, result)
  context.onProgress(result.bytes)
  return undefined
}

async function moveToPlace(workspace: Workspace, part: string, asset: StoredAsset): Promise<void> {
  await workspace.folder('assets', asset.sha256.slice(0, 2))
  const target = join(workspace.dir, assetPath(asset.sha256))
  // The file of another URL is identical. Replacing it could disturb readers on Windows.
  if (await holds(target, asset)) await unlink(part)
  else await renameFirmly(part, target)
}

/** Judges successive responses to the same request. */
type Judge = (fetched: StoredAsset & { head: Buffer }) => Verdict

/**
 * Creates a judge for an asset. It accepts a file whose size differs from its asset object if the same bytes arrive
 * twice in succession, or if stated sizes have proved wrong in general.
 */
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
    // A response that ends with the connection may be truncated, so the same bytes must arrive twice.
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
    // Firewalls refuse temporarily and with various statuses.
    throw retryableStatus(status, headers['retry-after']) ?? new RetryableError('refused', String(status))
  }
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  try {
    return { ...(await save(response.body, part)), type: mediaType(headers['content-type']), isFramed }
  } catch (error) {
    // Closes the socket after an error while writing, such as a full disk.
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

/** Thrown if a download is slower than `slowestRate` after `patientMs`. */
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
 * Compares the journal with the files. Completes moves that a crash interrupted. Removes assets whose file is missing
 * or wrong, so that they are fetched again.
 */
export async function reconcileAssets(workspace: Workspace): Promise<void> {
  /** Path → whether the file matches its hash. Several URLs may share a file. */
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
