import { join } from 'node:path'
import type { Config } from '#server/config.ts'
import type { StorageDriver } from './driver.ts'
import { createLocalStorage, type LocalStorage } from './local.ts'

/** The storages of an installation. Rows of files name theirs: `local`, or the `_id` of an external storage. */
export interface Storages {
  /** Where new files of a space go, and the name to write into their rows. */
  forSpace(spaceId: number): Promise<{ name: string; driver: StorageDriver }>
  /** Where a file lies, by its row. Throws StorageRefused when that storage is not known (any more). */
  of(file: { space_id: number; storage: string }): Promise<StorageDriver>
  /** The installation's own. */
  readonly default: StorageDriver
  /** The local disk, which is also where `default` is unless the operator named another. */
  readonly local: LocalStorage
  close(): Promise<void>
}

/** Opens the storages; nothing is connected to before it is needed. Close them at the end of the process. */
export function openStorages({ config }: { config: Config }): Storages {
  const local = createLocalStorage(join(config.dataDir, 'assets'))
  return {
    forSpace: async () => ({ name: 'local', driver: local }),
    of: async () => local,
    default: local,
    local,
    close: async () => {},
  }
}
