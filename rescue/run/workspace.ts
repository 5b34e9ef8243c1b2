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

/** The working folder of a run: `DIR/.rescue` next to the growing archive. It is deleted when the run is complete. */
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
   * Starts in an empty folder, or resumes an interrupted run of the same space and app. Throws `folder_complete`,
   * `folder_not_ours`, `folder_of_another` or `folder_in_use`.
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
    // Missing assets are requested again, because the refusal may have been temporary.
    workspace.missing.clear()
    for (const stream of [...workspace.streams.values()]) {
      // Data that was lost, for example in a power failure, must be read again and not padded.
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

  /** Discards the data of a model whose data file is unusable. */
  async reset({ view, model }: StreamState): Promise<void> {
    await this.record({ t: 'reset', view, model })
  }

  /** Creates a folder inside the archive if it is missing, and returns its path. Never follows a link. */
  folder(...names: string[]): Promise<string> {
    const key = names.join('/')
    let made = this.#folders.get(key)
    if (!made) {
      made = makeFolder(this.dir, ...names)
      this.#folders.set(key, made)
    }
    return made
  }

  static async isUnfinished(dir: string): Promise<boolean> {
    return (await sizeOf(join(dir, workingFolder, 'journal.ndjson'))) > 0
  }

  /** Whether an earlier run has left data. */
  get resumed(): boolean {
    return this.streams.size > 0 || this.assets.size > 0
  }

  async record(entry: JournalEntry): Promise<void> {
    await this.#journal.append(entry)
    this.apply(entry)
  }

  /** Appends contents to a data file with `bytes` valid bytes and syncs it. Returns the new size in bytes. */
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
      // A partial write is truncated before the next append.
      this.#files.delete(path)
      await handle.close().catch(() => {})
      throw error
    }
    return bytes + block.length
  }

  /** Stores a page of the initial read. `contents` are the new contents of the page. */
  async storePage(stream: StreamState, page: Page, contents: readonly Content[]): Promise<void> {
    const bytes = await this.#append(this.dataPath(stream), stream.bytes, contents)
    const { view, model } = stream
    const { total, tooLarge } = page
    await this.record({ t: 'page', view, model, bytes, total, next: page.next ?? null, tooLarge })
    await this.#journal.sync()
  }

  /**
   * Appends contents that were read outside the pages of the initial read: by their id, one level deeper, or because a
   * later check found that they are new or changed.
   */
  async storeLate(stream: StreamState, contents: readonly Content[]): Promise<void> {
    if (contents.length === 0) return
    const bytes = await this.#append(this.dataPath(stream), stream.bytes, contents)
    await this.record({ t: 'late', view: stream.view, model: stream.model, bytes })
    await this.#journal.sync()
  }

  /** Stores texts of a page of the second pass, or of contents that were read individually after it. */
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

  /** Returns the path of an incomplete asset. It is derived from the URL, so that a later run finds it again. */
  partPath(url: string): string {
    return join(this.work, 'parts', createHash('sha256').update(url).digest('hex'))
  }

  async sync(): Promise<void> {
    await this.#journal.sync()
  }

  /** Closes the folder. A later run can resume. */
  async close(): Promise<void> {
    this.#lock.stopHeartbeat()
    for (const handle of this.#files.values()) await handle.close().catch(() => {})
    this.#files.clear()
    await this.#journal.sync().catch(() => {})
    await this.#journal.close().catch(() => {})
    await this.#lock.release()
  }

  /** Closes the folder and removes the working files, when no data is left to save. */
  async finish(): Promise<void> {
    await this.close()
    // The folder is renamed first, because a crash during the removal must not look like a run with an empty journal.
    const done = join(this.dir, finishedWorkingFolder)
    await renameFirmly(this.work, done)
    // If the removal fails now (an open window on Windows), the next start removes the folder.
    await rm(done, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}
