import { createHash } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rm, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content, View } from '#archive/content.ts'
import { makeFolder, openGrowing, renameFirmly, writeAll } from '#archive/files.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { type Cursor, firstCursor, type Page } from '#rescue/newt/pages.ts'
import { Journal, type JournalEntry } from './journal.ts'

/** Where the reading of one model in one view stands. */
export interface StreamState {
  view: View
  model: string
  /** Valid bytes of its data file. */
  bytes: number
  /** Undefined once the first reading is through. */
  next: Cursor | undefined
  skipped: boolean
  /** Contents the server counted when reading began. */
  total: number
  /** Server time up to which changes are known, in ms; 0 before the first request. */
  lookedAt: number
  /** Contents that came in no list at depth 1, and have not been had whole since. */
  tooLarge: Set<string>
  /** Which of their fields came in no way. */
  lacks: Map<string, string[]>
}

/** Where the second pass over a model, for the source of its texts, stands. */
export interface TextState {
  view: View
  model: string
  /** Valid bytes of its data file. */
  bytes: number
  /** Undefined once it is through. */
  next: Cursor | undefined
  /** Fields the server was asked about, and those for which it allows it. */
  asked: string[]
  fields: string[]
  /** Whether it can be asked for these fields only. */
  select: boolean
}

export interface AssetState {
  sha256: string
  bytes: number
  type: string
}

const litter: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', 'Icon\r'])

/** True for what operating systems leave in folders by themselves; `._x` is macOS's, on disks of other systems. */
export function isLitter(name: string): boolean {
  return litter.has(name) || name.startsWith('._')
}

/** The folder a run works in: `DIR/.rescue` beside the growing archive, gone when everything is done. */
export class Workspace {
  readonly dir: string
  readonly work: string
  readonly streams = new Map<string, StreamState>()
  readonly texts = new Map<string, TextState>()
  readonly found = new Map<string, string>()
  readonly probed = new Set<string>()
  readonly assets = new Map<string, AssetState>()
  readonly missing = new Map<string, string>()
  appBody: string | undefined
  startedAt = ''
  #source: { space: string; app: string; origin: string } | undefined
  #journal!: Journal
  #heartbeat: NodeJS.Timeout | undefined
  readonly #files = new Map<string, FileHandle>()
  readonly #folders = new Map<string, Promise<string>>()

  private constructor(dir: string) {
    this.dir = dir
    this.work = join(dir, '.rescue')
  }

  /**
   * Starts in an empty folder or takes up an interrupted run of the same space and app.
   * Throws `folder_complete`, `folder_not_ours`, `folder_of_another`, `folder_in_use`.
   */
  static async open(dir: string, source: { space: string; app: string; origin: string }): Promise<Workspace> {
    const workspace = new Workspace(dir)
    await mkdir(dir, { recursive: true })
    await rm(join(dir, '.rescue-done'), { recursive: true, force: true, maxRetries: 5 })
    const names = await readdir(dir)
    if (!names.includes('.rescue')) {
      if (names.includes('manifest.json')) throw new RescueFailure('folder_complete', { dir })
      if (names.some((name) => !isLitter(name))) throw new RescueFailure('folder_not_ours', { dir })
    }
    await makeFolder(dir, '.rescue', 'contents')
    await makeFolder(dir, '.rescue', 'parts')
    await makeFolder(dir, '.rescue', 'texts')
    const lock = join(workspace.work, 'lock')
    await takeLock(dir, lock)
    workspace.#heartbeat = setInterval(() => {
      const now = new Date()
      utimes(lock, now, now).catch(() => {})
    }, heartbeatMs).unref()
    const journal = join(workspace.work, 'journal.ndjson')
    workspace.#journal = await Journal.open(journal, (entry) => workspace.#replay(entry))
    const before = workspace.#source
    if (before && JSON.stringify(before) !== JSON.stringify(source)) {
      await workspace.close()
      throw new RescueFailure('folder_of_another', { dir, space: before.space, app: before.app })
    }
    if (!before) await workspace.record({ t: 'start', ...source, at: new Date().toISOString() })
    // Whatever was missing is asked for again: it may have been a bad day's refusal.
    workspace.missing.clear()
    for (const stream of [...workspace.streams.values()]) {
      // Lost with the power, or cut by something else: never to be filled up with nothing.
      if (stream.bytes > 0 && (await sizeOf(workspace.dataPath(stream))) < stream.bytes)
        await workspace.reset(stream)
    }
    for (const text of [...workspace.texts.values()]) {
      if (text.bytes === 0 || (await sizeOf(workspace.textPath(text))) >= text.bytes) continue
      const { view, model, asked, fields, select } = text
      await workspace.record({ t: 'texts', view, model, asked, fields, select })
    }
    return workspace
  }

  /** Forgets what was read of a model, whose data file cannot be used any more. */
  async reset({ view, model }: StreamState): Promise<void> {
    await this.record({ t: 'reset', view, model })
  }

  /** A folder inside the archive, made when it is not there; never through a link. */
  folder(...names: string[]): Promise<string> {
    const key = names.join('/')
    let made = this.#folders.get(key)
    if (!made) {
      made = makeFolder(this.dir, ...names)
      this.#folders.set(key, made)
    }
    return made
  }

  /** True when an earlier run left something in this folder to go on with. */
  static async isUnfinished(dir: string): Promise<boolean> {
    return (await sizeOf(join(dir, '.rescue', 'journal.ndjson'))) > 0
  }

  /** True when an earlier run left something here. */
  get resumed(): boolean {
    return this.streams.size > 0 || this.assets.size > 0
  }

  stream(view: View, model: string): StreamState {
    const key = `${view}/${model}`
    const known = this.streams.get(key)
    if (known) return known
    const fresh: StreamState = {
      view,
      model,
      bytes: 0,
      next: firstCursor,
      skipped: false,
      total: 0,
      lookedAt: 0,
      tooLarge: new Set(),
      lacks: new Map(),
    }
    this.streams.set(key, fresh)
    return fresh
  }

  text(view: View, model: string): TextState {
    const key = `${view}/${model}`
    const known = this.texts.get(key)
    if (known) return known
    const fresh: TextState = {
      view,
      model,
      bytes: 0,
      next: firstCursor,
      asked: [],
      fields: [],
      select: true,
    }
    this.texts.set(key, fresh)
    return fresh
  }

  /** Writes an entry and applies it. */
  async record(entry: JournalEntry): Promise<void> {
    await this.#journal.append(entry)
    this.#replay(entry)
  }

  /** Appends contents to a data file of so many valid bytes and puts them on disk; returns the new size. */
  async #append(path: string, bytes: number, contents: readonly Content[]): Promise<number> {
    if (contents.length === 0) return bytes
    let handle = this.#files.get(path)
    if (!handle) {
      handle = await openGrowing(path)
      this.#files.set(path, handle)
      await handle.truncate(bytes)
    }
    const lineBreak = Buffer.from('\n')
    const block = Buffer.concat(contents.flatMap(({ raw }) => [raw, lineBreak]))
    try {
      await writeAll(handle, block, bytes)
      await handle.datasync()
    } catch (error) {
      // What was half written is cut off before anything is appended again.
      this.#files.delete(path)
      await handle.close().catch(() => {})
      throw error
    }
    return bytes + block.length
  }

  /** Stores a page of the first reading; `contents` are those not seen before. */
  async storePage(stream: StreamState, page: Page, contents: readonly Content[]): Promise<void> {
    const bytes = await this.#append(this.dataPath(stream), stream.bytes, contents)
    const { view, model } = stream
    const { total, tooLarge } = page
    await this.record({ t: 'page', view, model, bytes, total, next: page.next ?? null, tooLarge })
    await this.#journal.sync()
  }

  /** Stores contents that were new or changed at a later look. */
  async storeLate(stream: StreamState, contents: readonly Content[]): Promise<void> {
    if (contents.length === 0) return
    const bytes = await this.#append(this.dataPath(stream), stream.bytes, contents)
    await this.record({ t: 'late', view: stream.view, model: stream.model, bytes })
    await this.#journal.sync()
  }

  /** Stores texts of a page of the second pass, or of contents read by themselves after it. */
  async storeTexts(state: TextState, page: Page | undefined, contents: readonly Content[]): Promise<void> {
    const bytes = await this.#append(this.textPath(state), state.bytes, contents)
    const { view, model } = state
    await this.record({ t: 'text', view, model, bytes, next: page?.next ?? null })
    await this.#journal.sync()
  }

  dataPath(stream: { view: View; model: string }): string {
    return join(this.work, 'contents', `${stream.view}-${safeFileName(stream.model)}.ndjson`)
  }

  textPath({ view, model }: { view: View; model: string }): string {
    return join(this.work, 'texts', `${view}-${safeFileName(model)}.ndjson`)
  }

  /** Where an asset grows until it is complete; named by its address, so it is found again. */
  partPath(url: string): string {
    return join(this.work, 'parts', createHash('sha256').update(url).digest('hex'))
  }

  async sync(): Promise<void> {
    await this.#journal.sync()
  }

  /** Lets go of the folder; the next run can take it up. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    for (const handle of this.#files.values()) await handle.close().catch(() => {})
    this.#files.clear()
    await this.#journal.sync().catch(() => {})
    await this.#journal.close().catch(() => {})
    await unlink(join(this.work, 'lock')).catch(() => {})
  }

  /** Closes and removes the working files: nothing is left to do here. */
  async finish(): Promise<void> {
    await this.close()
    // Renamed first: a crash while removing must not look like a run with an empty journal.
    const done = `${this.work}-done`
    await renameFirmly(this.work, done)
    // What cannot be removed now (an open window on Windows) is at the next start; the archive is whole.
    await rm(done, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }

  #replay(entry: JournalEntry): void {
    switch (entry.t) {
      case 'start':
        this.#source = { space: entry.space, app: entry.app, origin: entry.origin }
        this.startedAt = entry.at
        break
      case 'asked':
        break
      case 'reset':
        this.streams.delete(`${entry.view}/${entry.model}`)
        break
      case 'app':
        this.appBody = entry.body
        break
      case 'found':
        this.found.set(entry.model, entry.by)
        break
      case 'probe':
        this.probed.add(entry.key)
        break
      case 'texts': {
        const { asked, fields, select } = entry
        Object.assign(this.text(entry.view, entry.model), {
          asked,
          fields,
          select,
          bytes: 0,
          next: firstCursor,
        })
        break
      }
      case 'text':
        Object.assign(this.text(entry.view, entry.model), {
          bytes: entry.bytes,
          next: entry.next ?? undefined,
        })
        break
      case 'pieced': {
        const { tooLarge, lacks } = this.stream(entry.view, entry.model)
        lacks.set(entry.id, entry.lacks)
        if (entry.lacks.length === 0) tooLarge.delete(entry.id)
        else tooLarge.add(entry.id)
        break
      }
      case 'asset':
        this.assets.set(entry.url, { sha256: entry.sha256, bytes: entry.bytes, type: entry.type })
        this.missing.delete(entry.url)
        break
      case 'missing':
        this.missing.set(entry.url, entry.reason)
        break
      default:
        replayStream(this.stream(entry.view, entry.model), entry)
    }
  }
}

function replayStream(
  stream: StreamState,
  entry: Extract<JournalEntry, { t: 'begin' | 'page' | 'late' | 'look' }>,
): void {
  if (entry.t === 'begin' || entry.t === 'look') stream.lookedAt = entry.at
  else {
    stream.bytes = entry.bytes
    if (entry.t === 'late') return
    if (stream.total === 0) stream.total = entry.total
    stream.next = entry.next ?? undefined
    if (entry.next?.skipped) stream.skipped = true
    for (const id of entry.tooLarge) stream.tooLarge.add(id)
  }
}

/** A model's uid as a file name on every system: no upper case (macOS), no device names (Windows). */
export function safeFileName(uid: string): string {
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/
  if (/^[a-z0-9_-]{1,64}$/.test(uid) && !reserved.test(uid)) return uid
  const suffix = createHash('sha256').update(uid).digest('hex').slice(0, 8)
  return `${uid
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 48)}-${suffix}`
}

const heartbeatMs = 10_000
/** A lock nobody touched for so long is a dead run's, though its number may belong to another process now. */
const staleMs = 120_000

/** Two runs in one folder would spoil each other. A lock whose process is gone is taken over. */
async function takeLock(dir: string, path: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      const handle = await open(path, 'wx')
      await handle.writeFile(String(process.pid))
      await handle.close()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
    const pid = Number(await readFile(path, 'utf8').catch(() => ''))
    const { mtimeMs = 0 } = (await lstat(path).catch(() => undefined)) ?? {}
    if (pid > 0 && pid !== process.pid && isRunning(pid) && Date.now() - mtimeMs < staleMs)
      throw new RescueFailure('folder_in_use', { dir, pid })
    await unlink(path).catch(() => {})
  }
  throw new RescueFailure('folder_in_use', { dir, pid: '?' })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Size of a file; -1 when there is none or something else lies there. */
export async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() ? found.size : -1
}
