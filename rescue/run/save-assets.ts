import { type connect, locate } from '#rescue/newt/connect.ts'
import { downloadAssets, type Unreached } from './download-assets.ts'
import { reconcileAssets } from './fetch-asset.ts'
import type { Inventory } from './inventory.ts'
import { SizeTrust } from './judge-asset.ts'
import type { RescueOptions } from './options.ts'
import type { Reporter } from './reporter.ts'
import type { Workspace } from './workspace.ts'

interface AssetSaverParts {
  options: RescueOptions
  workspace: Workspace
  connection: ReturnType<typeof connect>
  reporter: Reporter
  inventory: Inventory
}

/** Downloads the assets of one run. `save` can be called again after the inventory has grown. */
export class AssetSaver {
  /** URLs that failed, with the reason. */
  readonly unreached: Unreached = new Map()
  readonly #parts: AssetSaverParts
  readonly #trust = new SizeTrust()
  #isReconciled = false

  constructor(parts: AssetSaverParts) {
    this.#parts = parts
  }

  /** Downloads all assets of the inventory. `isApiGone`: the API failed, so only the storage may still be available. */
  async save({ isApiGone = false } = {}): Promise<void> {
    const { options, workspace, connection, reporter, inventory } = this.#parts
    if (!this.#isReconciled) await reconcileAssets(workspace)
    this.#isReconciled = true
    const { assets } = inventory
    let bytes = 0
    let done = [...assets].filter((url) => workspace.assets.has(url)).length
    const total = assets.size
    if (total > 0) reporter.step('assets', done, total)
    const unreached = await downloadAssets(
      {
        http: connection.http,
        api: connection.api,
        throttle: connection.throttle,
        workspace,
        concurrency: options.concurrency,
        maxBytes: options.maxAssetBytes,
        locate: (url) => locate(url, options),
        expected: (url) => inventory.expected.get(url),
        trust: this.#trust,
        isApiGone,
        onProgress: (size) => {
          bytes += size
          done += 1
          reporter.step('assets', done, total, bytes)
        },
        signal: connection.signal,
      },
      // URLs that failed in this run are not tried again.
      [...assets].filter((url) => !this.unreached.has(url)),
    )
    for (const [url, reason] of unreached) this.unreached.set(url, reason)
  }
}
