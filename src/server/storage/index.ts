import { join } from 'node:path'
import type { Config, Secrets } from '#server/config.ts'
import type { Database } from '#server/db/connection.ts'
import type { Db } from '#server/db/scope.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { type StorageDriver, StorageRefused } from './driver.ts'
import { createExternalStorages, type ExternalStorages } from './external-storages.ts'
import { createLocalStorage, type LocalStorage } from './local.ts'
import { createS3Storage } from './s3/driver.ts'
import { originOf } from './s3/requests.ts'

/**
 * The storages of an installation. Rows of files name theirs: `local`, `s3` (the operator's bucket), or the `_id` of an
 * external storage.
 */
export interface Storages {
  /** Where new files of a space go, and the name to write into their rows. Throws StorageRefused. */
  forSpace(spaceId: number): Promise<{ name: string; driver: StorageDriver }>
  /** That name alone, read in the transaction of who writes it. */
  nameFor(db: Db, spaceId: number): Promise<string>
  /** Where a file lies, by its row. Throws StorageRefused when that storage is not known (any more). */
  of(file: { space_id: number; storage: string }): Promise<StorageDriver>
  /** The installation's own: the operator's bucket if there is one, else the local disk. */
  readonly default: StorageDriver
  readonly defaultName: string
  readonly local: LocalStorage
  readonly external: ExternalStorages
  close(): Promise<void>
}

/** Opens the storages; nothing is connected to before it is needed. Close them before the database. */
export function openStorages(deps: {
  config: Config
  secrets: Secrets
  database: Pick<Database, 'kysely'>
}): Storages {
  const { config, secrets, database } = deps
  const { s3, diskReserve } = config.storage
  const local = createLocalStorage(
    join(config.dataDir, 'assets'),
    diskReserve === undefined ? undefined : () => diskReserve,
  )
  // The operator may keep it wherever he likes.
  const http = s3 && createOutgoingHttp({ allowPrivate: [originOf(s3.location)] })
  const bucket = s3 && http && createS3Storage({ ...s3, http })
  const external = createExternalStorages(config, createKeyring(secrets.encryptionKeys), database.kysely)
  const own = bucket ? { name: 's3', driver: bucket } : { name: 'local', driver: local }
  return {
    forSpace: async (spaceId) => (await external.presentOf(spaceId)) ?? own,
    nameFor: async (db, spaceId) => (await external.idOf(db, spaceId)) ?? own.name,
    async of({ space_id, storage }) {
      if (storage === 'local') return local
      if (storage !== 's3') return external.driverOf(space_id, storage)
      // The operator has taken the bucket away again, and files are still there.
      if (!bucket) throw new StorageRefused('other')
      return bucket
    },
    default: own.driver,
    defaultName: own.name,
    local,
    external,
    async close() {
      await Promise.all([external.close(), http?.close()])
    },
  }
}
