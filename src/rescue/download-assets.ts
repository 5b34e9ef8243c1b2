import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type OutgoingHttp, OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { RescueFailure } from './failure.ts'
import { createFile, hashFile, renameFirmly, writeAll } from './files.ts'
import type { NewtApi } from './newt-api.ts'
import { isIsolated } from './pages.ts'
import { orTryLater, type Patience, type Polite, statusTrouble, TryLater } from './polite.ts'
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
  onProgress: (bytes: number) => void
  signal?: AbortSignal
}

/** Assets that did not come for reasons that may pass: address → status or system code. */
export type Unreached = Map<string, string>

const patience: Patience = { attempts: 6, patienceMs: 900_000 }
/** So many network errors in a row, and we ask whether there is a network at all. */
const suspicious = 8
/** A host that answered the question only after so long was out of reach with everything else. */
const outageMs = 5_000
/** A body may dawdle for so long; then it must have come at this many bytes per second at least. */
const patientMs = 300_000
const slowestRate = 1_000

/** Where an asset lies in the archive: named by what it is, never by what a stranger called it. */
export function assetPath(sha256: string): string {
  return `assets/${sha256.slice(0, 2)}/${sha256}`
}

/** Fetches every asset not yet in the archive. Definite refusals are journalled, the rest returned. */
export async function downloadAssets(context: AssetContext, urls: Iterable<string>): Promise<Unreached> {
  const { workspace } = context
  const pending = [...urls].filter((url) => !workspace.assets.has(url) && !workspace.missing.has(url)).sort()
  const deadHosts = new Set<string>()
  let unreached = await downloadEach(context, pending, deadHosts)
  // What failed in an outage or a bad minute gets another chance before the run ends.
  const again = [...unreached].filter(([, reason]) => reason !== 'host' && reason !== 'slow')
  if (again.length > 0) {
    const still = await downloadEach(
      context,
      again.map(([url]) => url),
      deadHosts,
    )
    unreached = new Map([...unreached].filter(([url]) => !again.some(([tried]) => tried === url)))
    for (const [url, reason] of still) unreached.set(url, reason)
  }
  return unreached
}

async function downloadEach(
  context: AssetContext,
  pending: readonly string[],
  deadHosts: Set<string>,
): Promise<Unreached> {
  const { workspace, api } = context
  const unreached: Unreached = new Map()
  let next = 0
  let failuresInARow = 0
  let failure: unknown

  async function worker(): Promise<void> {
    while (failure === undefined) {
      const url = pending[next++]
      if (url === undefined) return
      try {
        if (!URL.canParse(url)) {
          await workspace.record({ t: 'missing', url, reason: 'bad_url' })
          continue
        }
        const { host } = new URL(url)
        if (deadHosts.has(host)) {
          unreached.set(url, 'host')
          continue
        }
        await downloadOne(context, url)
        failuresInARow = 0
      } catch (error) {
        if (error instanceof TooSlow) {
          unreached.set(url, 'slow')
          continue
        }
        if (!(error instanceof TryLater)) {
          failure ??= error
          return
        }
        unreached.set(url, error.reason)
        if (!error.isNetwork) continue
        failuresInARow += 1
        if (failuresInARow < suspicious) continue
        failuresInARow = 0
        try {
          // Throws `no_network` when the API is out of reach too: then stopping is right.
          if (await answersAtOnce(api)) deadHosts.add(new URL(url).host)
        } catch (apiError) {
          failure ??= apiError
        }
      }
    }
  }

  await Promise.all(Array.from({ length: context.concurrency }, worker))
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
 * file is gone or has another size, so that they are fetched again.
 */
export async function reconcileAssets(workspace: Workspace): Promise<void> {
  for (const [url, asset] of workspace.assets) {
    const target = join(workspace.dir, assetPath(asset.sha256))
    if ((await sizeOf(target)) === asset.bytes) continue
    const part = workspace.partPath(url)
    if ((await sizeOf(part)) === asset.bytes && (await hashFile(part)).sha256 === asset.sha256) {
      await moveToPlace(workspace, part, asset)
    } else workspace.assets.delete(url)
  }
}

async function downloadOne(context: AssetContext, url: string): Promise<void> {
  const { workspace, polite } = context
  const part = workspace.partPath(url)
  const place = context.locate(url)
  const result = await polite.run(new URL(place).host, patience, () => fetchTo(context, place, part))
  if ('missing' in result) {
    await unlink(part).catch(() => {})
    await workspace.record({ t: 'missing', url, reason: result.missing })
    return
  }
  // First the record, then the move: after a crash the record finds the file under either name.
  await workspace.record({ t: 'asset', url, ...result })
  await moveToPlace(workspace, part, result)
  context.onProgress(result.bytes)
}

async function moveToPlace(workspace: Workspace, part: string, { sha256, bytes }: AssetState): Promise<void> {
  await workspace.folder('assets', sha256.slice(0, 2))
  const target = join(workspace.dir, assetPath(sha256))
  // The same picture under another address: replacing it could disturb its readers on Windows.
  if ((await sizeOf(target)) === bytes && (await hashFile(target)).sha256 === sha256) await unlink(part)
  else await renameFirmly(part, target)
}

async function fetchTo(
  context: AssetContext,
  url: string,
  part: string,
): Promise<AssetState | { missing: string }> {
  try {
    const first = await fetchOnce(context, url, part)
    if ('missing' in first || first.isFramed) return stateOf(first)
    // An answer that ends with its connection may have been cut without a sign: it must come twice the same.
    const second = await fetchOnce(context, url, part)
    if ('missing' in second || second.sha256 === first.sha256) return stateOf(second)
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

type Fetched = (AssetState & { isFramed: boolean }) | { missing: string }

function stateOf(fetched: Fetched): AssetState | { missing: string } {
  if ('missing' in fetched) return fetched
  const { sha256, bytes, type } = fetched
  return { sha256, bytes, type }
}

async function fetchOnce(
  { http, maxBytes, signal }: AssetContext,
  url: string,
  part: string,
): Promise<Fetched> {
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
    const later = statusTrouble(status, headers['retry-after'])
    if (later) throw later
    return { missing: String(status) }
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

async function save(body: AsyncIterable<Buffer>, part: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  const start = Date.now()
  let bytes = 0
  const handle = await createFile(part)
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      bytes += chunk.length
      await writeAll(handle, chunk)
      const elapsed = Date.now() - start
      if (elapsed > patientMs && bytes < (elapsed / 1_000) * slowestRate) throw new TooSlow()
    }
    await handle.datasync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), bytes }
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
