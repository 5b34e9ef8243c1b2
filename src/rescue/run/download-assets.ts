import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, hashFile, renameFirmly, writeAll } from '#archive/files.ts'
import { RescueFailure } from '#rescue/failure.ts'
import {
  orTryLater,
  type Patience,
  type Polite,
  statusTrouble,
  TryLater,
} from '#rescue/newt/host-throttle.ts'
import type { NewtApi } from '#rescue/newt/newt-api.ts'
import { isIsolated } from '#rescue/newt/pages.ts'
import { type OutgoingHttp, OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { type Expected, judgeAsset, type SizeTrust, type Verdict } from './judge-asset.ts'
import { type AssetState, sizeOf, type Workspace } from './workspace.ts'

export interface AssetContext {
  http: OutgoingHttp
  api: NewtApi
  polite: Polite
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

/** Assets that did not come for reasons that may pass: address → status or system code. */
export type Unreached = Map<string, string>

const patience: Patience = { attempts: 6, refusedAttempts: 3, patienceMs: 900_000 }
/** Once more, for what an outage, a bad minute or a firewall kept back. */
const later: Patience = { ...patience, refusedAttempts: 1 }
/** Rests before the later rounds, in first pauses (5 s, 20 s, a minute). The first one is for whatever did not come. */
const rests = [10, 40, 120]
/** So many addresses of a host refused in a row, and the rest of them waits for the next round. */
const patientlyRefused = 16
const laterRefused = 4
/** So many network errors in a row, and we ask whether there is a network at all. */
const suspicious = 8
/** A host that answered the question only after so long was out of reach with everything else. */
const outageMs = 5_000
/** A body may dawdle for so long; then it must have come at this many bytes per second at least. */
const patientMs = 300_000
const slowestRate = 1_000
/** Enough of a file to tell an error page. */
const headBytes = 1_024

/** Where an asset lies in the archive: named by what it is, never by what a stranger called it. */
export function assetPath(sha256: string): string {
  return `assets/${sha256.slice(0, 2)}/${sha256}`
}

/** Fetches every asset not yet in the archive. What is surely not there is journalled, the rest returned. */
export async function downloadAssets(context: AssetContext, urls: Iterable<string>): Promise<Unreached> {
  const { workspace } = context
  const pending = [...urls].filter((url) => !workspace.assets.has(url) && !workspace.missing.has(url)).sort()
  const first = { patience, workers: context.concurrency, mostRefused: patientlyRefused, isFirst: true }
  const unreached = await downloadEach(context, pending, first)
  for (const [index, rest] of rests.entries()) {
    const again = [...unreached].filter(([, { kind }]) =>
      index === 0 ? kind !== 'slow' : kind === 'refused',
    )
    if (again.length === 0) break
    const urlsAgain = again.map(([url]) => url)
    if (again.some(([, { kind }]) => kind === 'refused')) await context.polite.rest(rest)
    const workers = Math.min(2, context.concurrency)
    const round = { patience: later, workers, mostRefused: laterRefused, isFirst: false }
    const still = await downloadEach(context, urlsAgain, round)
    for (const url of urlsAgain) unreached.delete(url)
    for (const [url, why] of still) unreached.set(url, why)
  }
  return new Map([...unreached].map(([url, { reason }]) => [url, reason]))
}

/** Why an address did not come: what decides whether, and how, it is tried once more. */
interface Why {
  kind: 'not_there' | 'refused' | 'host' | 'slow' | 'trouble'
  reason: string
}

interface Round {
  patience: Patience
  workers: number
  mostRefused: number
  /** What is not there is believed when it is said twice; a host is given up after several failures only. */
  isFirst: boolean
}

async function downloadEach(
  context: AssetContext,
  pending: readonly string[],
  round: Round,
): Promise<Map<string, Why>> {
  const { workspace } = context
  const unreached = new Map<string, Why>()
  const deadHosts = new Set<string>()
  /** Host → addresses refused in a row. */
  const refusals = new Map<string, { inARow: number; reason: string }>()
  let next = 0
  let failuresInARow = 0
  let failure: unknown

  async function fetchNext(url: string): Promise<void> {
    if (!URL.canParse(url)) return workspace.record({ t: 'missing', url, reason: 'bad_url' })
    const { host } = new URL(url)
    const refused = refusals.get(host)
    if (deadHosts.has(host)) {
      unreached.set(url, { kind: 'host', reason: 'host' })
      return
    }
    if (refused && refused.inARow >= round.mostRefused) {
      unreached.set(url, { kind: 'refused', reason: refused.reason })
      return
    }
    try {
      const missing = await downloadOne(context, url, round.patience)
      failuresInARow = 0
      refusals.delete(host)
      if (missing === undefined) return
      const isDoubtful = round.isFirst && (missing === '404' || missing === '410')
      if (isDoubtful) unreached.set(url, { kind: 'not_there', reason: missing })
      else await workspace.record({ t: 'missing', url, reason: missing })
    } catch (error) {
      if (error instanceof TooSlow) {
        unreached.set(url, { kind: 'slow', reason: 'slow' })
        return
      }
      if (!(error instanceof TryLater)) throw error
      const { reason } = error
      const isRefused = error.trouble === 'refused'
      unreached.set(url, { kind: isRefused ? 'refused' : 'trouble', reason })
      if (isRefused) refusals.set(host, { inARow: (refusals.get(host)?.inARow ?? 0) + 1, reason })
      if (!error.isNetwork) return
      failuresInARow += 1
      if (failuresInARow < suspicious) return
      failuresInARow = 0
      // Throws `no_network` when the API is out of reach too: then stopping is right.
      if (context.isApiGone || (await answersAtOnce(context.api))) deadHosts.add(host)
    }
  }

  async function worker(): Promise<void> {
    while (failure === undefined) {
      const url = pending[next++]
      if (url === undefined) return
      await fetchNext(url).catch((error: unknown) => {
        failure ??= error
      })
    }
  }

  await Promise.all(Array.from({ length: round.workers }, worker))
  await workspace.sync().catch((error: unknown) => {
    failure ??= error
  })
  if (failure !== undefined) throw failure
  return unreached
}

/** Whether the API is there while an asset host is not; any answer counts. */
async function answersAtOnce(api: NewtApi): Promise<boolean> {
  const start = Date.now()
  try {
    await api.app('api')
  } catch (error) {
    if (!(error instanceof RescueFailure) || !(isIsolated(error) || error.code === 'app_not_found'))
      throw error
  }
  return Date.now() - start < outageMs
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

async function holds(path: string, { sha256, bytes }: AssetState): Promise<boolean> {
  return (await sizeOf(path)) === bytes && (await hashFile(path)).sha256 === sha256
}

/** Fetches one asset into its place; the reason when it surely cannot be had. */
async function downloadOne(
  context: AssetContext,
  url: string,
  patience: Patience,
): Promise<string | undefined> {
  const { workspace, polite } = context
  const part = workspace.partPath(url)
  const place = context.locate(url)
  const judge = createJudge(url, context.expected(url), context.trust)
  const result = await polite.run(new URL(place).host, patience, () => fetchTo(context, place, part, judge))
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

async function moveToPlace(workspace: Workspace, part: string, asset: AssetState): Promise<void> {
  await workspace.folder('assets', asset.sha256.slice(0, 2))
  const target = join(workspace.dir, assetPath(asset.sha256))
  // The same picture under another address: replacing it could disturb its readers on Windows.
  if (await holds(target, asset)) await unlink(part)
  else await renameFirmly(part, target)
}

/** Judges one answer after the other to the same request. */
type Judge = (fetched: AssetState & { head: Buffer }) => Verdict

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
): Promise<AssetState | { missing: string }> {
  try {
    const first = await fetchOnce(context, url, part)
    if ('missing' in first) return first
    const verdict = judge(first)
    if (verdict === 'not_the_file') throw new TryLater('refused', verdict)
    if (verdict === 'other_size') throw new TryLater('broken', verdict)
    if (first.isFramed) return stateOf(first)
    // An answer that ends with its connection may have been cut without a sign: it must come twice the same.
    const second = await fetchOnce(context, url, part)
    if ('missing' in second) return second
    if (second.sha256 === first.sha256) return stateOf(second)
    throw new TryLater('broken', 'cut')
  } catch (error) {
    if (error instanceof OutgoingHttpError && error.code !== 'aborted') {
      const later = orTryLater(error)
      if (later instanceof TryLater) throw later
      return { missing: error.code }
    }
    throw error
  }
}

type Fetched = AssetState & { isFramed: boolean; head: Buffer }

function stateOf({ sha256, bytes, type }: Fetched): AssetState {
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
    throw statusTrouble(status, headers['retry-after']) ?? new TryLater('refused', String(status))
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
class TooSlow extends Error {}

function mediaType(header: string | string[] | undefined): string {
  const type =
    String(header ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : ''
}
