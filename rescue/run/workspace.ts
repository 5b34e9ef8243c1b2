import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content, View } from '#archive/content.ts'
import { renameFirmly, sizeOf, writeAll } from '#archive/files.ts'
import { finishedWorkingFolder, isLitter, safeFileName, workingFolder } from '#archive/names.ts'
import { RescueFailure } from '#rescue/failure.ts'
import type { Page } from '#rescue/newt/pages.ts'
import { makeFolder, openGrowing } from './folders.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { FolderLock } from './lock.ts'
import { RunState, type StreamState, type TextState } from './run-state.ts'

/** The folder a run works in: `DIR/.rescue` beside the growing archive, gone when everything is done. */
export class Workspace extends RunState {
  readonly dir: string
  readonly work: string
  #journal!: Journal
  #lock!: FolderLock
  readonly #files = new Map<string, FileHandle>()
  readonly #folders = new Map<string, Promise<string>>()

  private constructor(dir: string) {
    super()
    this.dir = dir
    this.work = join(dir, workingFolder)
  }

  /**
   * Starts in an empty folder or takes up an interrupted run of the same space and app.
   * Throws `folder_complete`, `folder_not_ours`, `folder_of_another`, `folder_in_use`.
   */
  static async open(dir: string, source: { space: string; app: string; origin: string }): Promise<Workspace> {
    const workspace = new Workspace(dir)
    await mkdir(dir, { recursive: true })
    await rm(join(dir, finishedWorkingFolder), { recursive: true, force: true, maxRetries: 5 })
    const names = await readdir(dir)
    if (!names.includes(workingFolder)) {
      if (names.includes('manifest.json')) throw new RescueFailure('folder_complete', { dir })
      if (names.some((name) => !isLitter(name))) throw new RescueFailure('folder_not_ours', { dir })
    }
    await makeFolder(dir, workingFolder, 'contents')
    await makeFolder(dir, workingFolder, 'parts')
    await makeFolder(dir, workingFolder, 'texts')
    workspace.#lock = await FolderLock.take(dir, join(workspace.work, 'lock'))
    const journal = join(workspace.work, 'journal.ndjson')
    workspace.#journal = await Journal.open(journal, (entry) => workspace.apply(entry))
    const before = workspace.source
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
    return (await sizeOf(join(dir, workingFolder, 'journal.ndjson'))) > 0
  }

  /** True when an earlier run left something here. */
  get resumed(): boolean {
    return this.streams.size > 0 || this.assets.size > 0
  }

  /** Writes an entry and applies it. */
  async record(entry: JournalEntry): Promise<void> {
    await this.#journal.append(entry)
    this.apply(entry)
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
    this.#lock.stopHeartbeat()
    for (const handle of this.#files.values()) await handle.close().catch(() => {})
    this.#files.clear()
    await this.#journal.sync().catch(() => {})
    await this.#journal.close().catch(() => {})
    await this.#lock.release()
  }

  /** Closes and removes the working files: nothing is left to do here. */
  async finish(): Promise<void> {
    await this.close()
    // Renamed first: a crash while removing must not look like a run with an empty journal.
    const done = join(this.dir, finishedWorkingFolder)
    await renameFirmly(this.work, done)
    // What cannot be removed now (an open window on Windows) is at the next start; the archive is whole.
    await rm(done, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}
