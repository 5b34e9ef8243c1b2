import { join } from 'node:path'
import type { Config, Secrets } from '#server/config.ts'
import type { Database } from '#server/db/connection.ts'
import type { Db } from '#server/db/scope.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import type { Outgoing } from '#server/outgoing.ts'
import { type StorageDriver, StorageRefused } from './driver.ts'
import { createExternalStorages, type ExternalStorages } from './external-storages.ts'
import { createLocalStorage, type LocalStorage } from './local.ts'
import { createS3Storage } from './s3/driver.ts'

/** Rows of files name their storage: `local`, `s3` (the operator's bucket), or the `_id` of an external storage. */
export interface Storages {
  /**
   * Returns the storage for new files of a space, and the name of the storage for their rows. Throws `StorageRefused`
   * if the credentials of the space's bucket cannot be decrypted.
   */
  forSpace(spaceId: number): Promise<{ name: string; driver: StorageDriver }>
  /** Returns the name of the storage for new files of a space, read in the caller's transaction. */
  nameFor(db: Db, spaceId: number): Promise<string>
  /**
   * Returns the storage of a file, given its row. Throws `StorageRefused` if that storage is unknown or was removed, or
   * if its credentials cannot be decrypted.
   */
  of(file: { space_id: number; storage: string }): Promise<StorageDriver>
  /** The installation's own storage: the operator's bucket if configured, otherwise the local disk. */
  readonly default: StorageDriver
  readonly defaultName: string
  readonly local: LocalStorage
  readonly external: ExternalStorages
}

/** Opens the storages. Connections are opened on first use. */
export function openStorages(deps: {
  config: Config
  secrets: Secrets
  database: Pick<Database, 'kysely'>
  outgoing: Outgoing
}): Storages {
  const { config, secrets, database, outgoing } = deps
  const { s3, diskReserve } = config.storage
  const local = createLocalStorage(
    join(config.dataDir, 'assets'),
    diskReserve === undefined ? undefined : () => diskReserve,
  )
  const bucket = s3 && createS3Storage({ ...s3, http: outgoing.clientFor('bucket', s3.location.endpoint) })
  const external = createExternalStorages({
    config,
    outgoing,
    keyring: createKeyring(secrets.encryptionKeys),
    db: database.kysely,
  })
  const own = bucket ? { name: 's3', driver: bucket } : { name: 'local', driver: local }
  return {
    forSpace: async (spaceId) => (await external.presentOf(spaceId)) ?? own,
    nameFor: async (db, spaceId) => (await external.idOf(db, spaceId)) ?? own.name,
    async of({ space_id, storage }) {
      if (storage === 'local') return local
      if (storage !== 's3') return external.driverOf(space_id, storage)
      // The bucket was removed from the configuration although it still contains files.
      if (!bucket) throw new StorageRefused('other')
      return bucket
    },
    default: own.driver,
    defaultName: own.name,
    local,
    external,
  }
}
