import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '#archive/shapes.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import type {
  AppChanges,
  MoveChangeCount,
  MoveChangeKind,
  MoveFileCount,
} from '#shared/contract/move-updates.ts'
import type { AppChoices, AppLink, Move, PlannedApp } from '#shared/contract/moves.ts'

/** Thrown for a response with an error status. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Thrown for a response that is not from Imori. */
export class NotImori extends Error {}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface PlannedApps {
  apps: PlannedApp[]
  links: AppLink[]
}

const mostBytes = 64_000_000
const tries = 8

/** Client of the management API for imports, authenticated by a key. */
export class Calls {
  readonly #http: OutgoingHttp
  readonly #base: string
  readonly #space: string
  readonly #key: string

  constructor(http: OutgoingHttp, server: string, space: string, key: string) {
    this.#http = http
    this.#base = server.replace(/\/$/, '')
    this.#space = space
    this.#key = key
  }

  async #send<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<T> {
    const url = `${this.#base}/api/project/${encodeURIComponent(this.#space)}/${path}`
    const answer = await this.#http.request(url, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      maxBytes: mostBytes,
      timeoutMs: 120_000,
    })
    const text = await answer.text()
    const json = readObject(text)
    // Otherwise another program or a proxy sent the response.
    if (!json || (answer.status !== 200 && typeof json.code !== 'string')) throw new NotImori()
    if (answer.status !== 200)
      throw new Refused(answer.status, String(json.code ?? ''), String(json.message ?? text.slice(0, 200)))
    return json as T
  }

  list = async () => (await this.#send<{ moves: Move[] }>('GET', 'move')).moves
  get = async (id: string) => (await this.#send<{ move: Move }>('GET', `move/${id}`)).move
  create = async (fileName: string, fileSize: number, updates?: string) => {
    const data = { fileName, fileSize, ...(updates === undefined ? {} : { updates }) }
    return (await this.#send<{ move: Move }>('POST', 'move', { data })).move
  }
  changes = (id: string) =>
    this.#send<{ changes: AppChanges; counts: MoveChangeCount[]; files: MoveFileCount[] }>(
      'GET',
      `move/${id}/changes`,
    )
  choose = (
    id: string,
    data: { kinds: { kind: MoveChangeKind; takes: boolean }[]; files: { takes: boolean } },
  ) => this.#send('PUT', `move/${id}/changes`, { data })
  plan = async (id: string) => (await this.#send<{ plan: AnyMovePlan }>('GET', `move/${id}/plan`)).plan
  correct = async (id: string, data: MoveCorrections | CarriedCorrections) =>
    (await this.#send<{ plan: AnyMovePlan }>('PUT', `move/${id}/plan`, { data })).plan
  apps = (id: string) => this.#send<PlannedApps>('GET', `move/${id}/apps`)
  chooseApps = (id: string, data: AppChoices) => this.#send<PlannedApps>('PUT', `move/${id}/apps`, { data })
  act = async (id: string, what: 'start' | 'retry') =>
    (await this.#send<{ move: Move }>('POST', `move/${id}/${what}`)).move

  /**
   * Uploads a file from the position that the server reports, then requests the check of the file. Resumes after
   * `UploadIsIncomplete`, server errors (5xx) and all errors other than `Refused`, with at most `tries` attempts.
   */
  async upload(
    id: string,
    path: string,
    size: number,
    tell: (sent: number, again: boolean) => void,
  ): Promise<Move> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { url, headers, received } = await this.#send<{
          url: string
          headers: Record<string, string>
          received: number
        }>('GET', `move/${id}/signedUrl`)
        tell(received, attempt > 1)
        if (received < size) await this.#put(url, headers, path, { from: received, size, tell })
        return (await this.#send<{ move: Move }>('POST', `move/${id}/signedUrl`)).move
      } catch (error) {
        const mayPass =
          !(error instanceof Refused) || error.status >= 500 || error.code === 'UploadIsIncomplete'
        if (!mayPass || attempt >= tries) throw error
        await sleep(500 * 2 ** attempt)
      }
    }
  }

  async #put(
    url: string,
    headers: Record<string, string>,
    path: string,
    { from, size, tell }: { from: number; size: number; tell: (sent: number, again: boolean) => void },
  ): Promise<void> {
    const file = await open(path)
    try {
      // The file is only read on demand. An error of the file fails the request.
      async function* pieces() {
        let sent = from
        for await (const chunk of file.createReadStream({
          start: from,
          autoClose: false,
          highWaterMark: 1 << 20,
        })) {
          sent += chunk.length
          tell(sent, false)
          yield chunk
        }
      }
      const answer = await this.#http.request(`${this.#base}${url}`, {
        method: 'PUT',
        headers: {
          ...headers,
          'content-length': String(size - from),
          'content-range': `bytes ${from}-${size - 1}/${size}`,
        },
        body: Readable.from(pieces(), { objectMode: false }),
        maxBytes: 100_000,
        timeoutMs: 0,
        idleMs: 120_000,
      })
      const text = await answer.text()
      if (answer.status !== 204)
        throw new Refused(answer.status, /"code":"(\w+)"/.exec(text)?.[1] ?? '', text)
    } finally {
      await file.close()
    }
  }
}
