import { ApiError } from '#admin/lib/api.ts'
import type { Asset } from '#shared/contract/assets.ts'

const names = ['fileName', 'title', 'description', 'altText', 'tags', 'focalPoint', 'private'] as const
type Name = (typeof names)[number]
/** The editable properties of an asset. */
export type AssetTexts = Pick<Asset, Name>

interface Options {
  save: (change: Partial<AssetTexts>, version: number) => Promise<Asset>
  load: () => Promise<Asset>
  onSaved: (asset: Asset) => void
  /** Called when a re-render is needed. */
  onChange: () => void
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const textsOf = (asset: Asset): AssetTexts => {
  const { fileName, title, description, altText, tags, focalPoint, private: isPrivate } = asset
  return { fileName, title, description, altText, tags, focalPoint, private: isPrivate }
}

/**
 * Edits an asset's properties and saves only changed ones, one request at a time. Changes that were saved elsewhere to
 * other properties are merged. If a property was changed here and elsewhere to different values, saving waits for a
 * decision.
 */
export class AssetEditor {
  base: Asset
  values: AssetTexts
  phase: 'idle' | 'saving' | 'offline' | 'failed' | 'conflict' | 'deleted' = 'idle'
  error: unknown = null
  /**
   * The asset as saved elsewhere, and the properties that were changed here and elsewhere to different values. null: no
   * conflict.
   */
  conflict: { latest: Asset; names: Name[] } | null = null
  private readonly options: Options
  private running: Promise<void> | null = null

  constructor(asset: Asset, options: Options) {
    this.base = asset
    this.values = textsOf(asset)
    this.options = options
  }

  /** Properties whose input differs from the last known server state. */
  private get changed(): Name[] {
    const before = textsOf(this.base)
    return names.filter((name) => !isSame(this.values[name], before[name]))
  }

  get isDirty(): boolean {
    return this.changed.length > 0
  }

  set(part: Partial<AssetTexts>): void {
    this.values = { ...this.values, ...part }
    if (this.phase === 'failed') this.phase = 'idle'
    this.options.onChange()
  }

  /** Applies a newer server state, except to properties with unsaved input. Ignored while a save runs. */
  take(asset: Asset): void {
    if (asset.version <= this.base.version || this.running) return
    const mine = this.pick(this.changed)
    this.base = asset
    this.values = { ...textsOf(asset), ...mine }
    this.options.onChange()
  }

  /**
   * Saves the changes, and after success also input that changed meanwhile. Does nothing during a conflict or if the
   * asset is deleted. Never throws.
   */
  async save(): Promise<void> {
    if (this.running) return this.running
    if (!this.isDirty || this.phase === 'conflict' || this.phase === 'deleted') return
    this.running = this.run().finally(() => {
      this.running = null
    })
    await this.running
    if (this.phase === 'idle' && this.isDirty) await this.save()
  }

  private async run(): Promise<void> {
    this.show('saving')
    const sent = this.pick(this.changed)
    try {
      this.taken(await this.options.save(sent, this.base.version), sent)
      this.show('idle')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'VersionConflict') await this.meet(sent)
      else this.fail(error)
    }
  }

  /** Handles a version conflict. Saves again, unless a property was changed here and elsewhere to different values. */
  private async meet(sent: Partial<AssetTexts>): Promise<void> {
    try {
      const latest = await this.options.load()
      const [theirs, before] = [textsOf(latest), textsOf(this.base)]
      const both = (Object.keys(sent) as Name[]).filter(
        (name) => !isSame(theirs[name], before[name]) && !isSame(theirs[name], sent[name]),
      )
      if (both.length > 0) {
        this.conflict = { latest, names: both }
        this.show('conflict')
        return
      }
      const mine = this.pick(this.changed)
      this.base = latest
      this.values = { ...theirs, ...mine }
      this.taken(await this.options.save(sent, latest.version), sent)
      this.show('idle')
    } catch (error) {
      this.fail(error)
    }
  }

  /** Resolves a conflict and saves. `mine`: whether the user's input wins over the values saved elsewhere. */
  async resolve(mine: boolean): Promise<void> {
    if (!this.conflict) return
    const { latest, names: both } = this.conflict
    const kept = this.pick(this.changed.filter((name) => mine || !both.includes(name)))
    this.base = latest
    this.values = { ...textsOf(latest), ...kept }
    this.conflict = null
    this.show('idle')
    await this.save()
  }

  /** Applies the server's response `asset` to a request that sent `sent`. Input changed since then is kept. */
  private taken(asset: Asset, sent: Partial<AssetTexts>): void {
    const since = this.changed.filter((name) => !(name in sent) || !isSame(this.values[name], sent[name]))
    const kept = this.pick(since)
    this.base = asset
    this.values = { ...textsOf(asset), ...kept }
    this.options.onSaved(asset)
  }

  private fail(error: unknown): void {
    this.error = error
    const status = error instanceof ApiError ? error.status : -1
    this.show(status === 0 ? 'offline' : status === 404 ? 'deleted' : 'failed')
  }

  private show(phase: AssetEditor['phase']): void {
    this.phase = phase
    if (phase === 'idle') this.error = null
    this.options.onChange()
  }

  private pick(which: readonly Name[]): Partial<AssetTexts> {
    return Object.fromEntries(which.map((name) => [name, this.values[name]]))
  }
}
