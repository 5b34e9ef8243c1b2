import { LRUCache } from 'lru-cache'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { Keyring } from '#server/lib/keyring.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { isListed, type Outgoing } from '#server/outgoing.ts'
import { type S3Credentials, type S3Location, s3CredentialsSchema } from '#shared/storage.ts'
import { type StorageDriver, StorageRefused } from './driver.ts'
import { createS3Storage } from './s3/driver.ts'
import { originOf, type Patience } from './s3/requests.ts'

export interface ExternalStorages {
  /**
   * Opens a bucket at exactly this location, without {@link ownPrefix}. Throws `StorageRefused` if the URL is invalid,
   * or if it does not use https and the operator has not listed the endpoint.
   */
  open(
    location: S3Location,
    credentials: S3Credentials,
    patience?: Partial<Patience>,
  ): { driver: StorageDriver; http: OutgoingHttp }
  /**
   * Returns the driver for a space's stored bucket. Throws `StorageRefused` if the bucket is unknown or was removed, or
   * if its credentials cannot be decrypted.
   */
  driverOf(spaceId: number, id: string): Promise<StorageDriver>
  /** Returns the storage for new files of the space. `null` if the space has no bucket of its own. */
  presentOf(spaceId: number): Promise<{ name: string; driver: StorageDriver } | null>
  /** Returns the `_id` of the storage for new files of the space. `null` if the space has no bucket of its own. */
  idOf(db: Db, spaceId: number): Promise<string | null>
  /** Encrypts the credentials for the row with this `id`. */
  seal(id: string, credentials: S3Credentials): string
  /**
   * Decrypts the credentials of the row with this `id`. `null`: the encryption key is missing, or the text is damaged.
   */
  unseal(id: string, sealed: string): S3Credentials | null
  /** Drops the cached driver. Call it after the row has changed. Other processes reload the driver within 5 seconds. */
  forget(id: string): void
}

/** Milliseconds for which a row is cached, because other processes may change it. */
const rememberedFor = 5_000

const purposeOf = (id: string) => `external storage ${id}`

/** Adds a unique prefix for Imori's objects in a space's bucket, so that no other object can be mistaken for them. */
export const ownPrefix = (location: S3Location, id: string): S3Location => ({
  ...location,
  prefix: `${location.prefix}imori-${id}/`,
})

export function createExternalStorages({
  config,
  outgoing,
  keyring,
  db,
}: {
  config: Config
  outgoing: Outgoing
  keyring: Keyring
  db: Db
}): ExternalStorages {
  const drivers = new LRUCache<string, Promise<StorageDriver>>({ max: 500, ttl: rememberedFor })

  const open: ExternalStorages['open'] = (location, credentials, patience = {}) => {
    if (!URL.canParse(originOf(location))) throw new StorageRefused('notS3')
    const { endpoint } = location
    if (!endpoint.startsWith('https:') && !isListed(config, 'storage', endpoint))
      throw new StorageRefused('insecure')
    const http = outgoing.clientFor('storage', endpoint)
    return { driver: createS3Storage({ location, credentials, http, patience }), http }
  }

  function unseal(id: string, sealed: string): S3Credentials | null {
    const text = keyring.open(sealed, purposeOf(id))
    return text === null ? null : s3CredentialsSchema.parse(JSON.parse(text))
  }

  async function openRow(spaceId: number, id: string): Promise<StorageDriver> {
    const row = await db
      .selectFrom('external_storage')
      .select(['endpoint', 'region', 'bucket', 'prefix', 'style', 'credentials'])
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row) throw new StorageRefused('other')
    const { credentials: sealed, ...location } = row
    const credentials = unseal(id, sealed)
    if (!credentials) throw new StorageRefused('unreadableSecret')
    return open(ownPrefix(location, id), credentials).driver
  }

  function driverOf(spaceId: number, id: string): Promise<StorageDriver> {
    const name = `${spaceId} ${id}`
    const known = drivers.get(name)
    if (known) return known
    const opening = openRow(spaceId, id)
    drivers.set(name, opening)
    opening.catch(() => drivers.delete(name))
    return opening
  }

  async function idOf(db: Db, spaceId: number): Promise<string | null> {
    const row = await db
      .selectFrom('external_storage')
      .select('id')
      .where('space_id', '=', spaceId)
      .where('left_at', 'is', null)
      .executeTakeFirst()
    return row?.id ?? null
  }

  return {
    open,
    driverOf,
    idOf,
    async presentOf(spaceId) {
      const id = await idOf(db, spaceId)
      return id === null ? null : { name: id, driver: await driverOf(spaceId, id) }
    },
    seal: (id, credentials) => keyring.seal(JSON.stringify(credentials), purposeOf(id)),
    unseal,
    forget(id) {
      for (const name of drivers.keys()) if (name.endsWith(` ${id}`)) drivers.delete(name)
    },
  }
}
