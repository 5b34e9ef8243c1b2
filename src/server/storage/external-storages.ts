import { LRUCache } from 'lru-cache'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { Keyring } from '#server/lib/keyring.ts'
import { createOutgoingHttp, type OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { type S3Credentials, type S3Location, s3CredentialsSchema } from '#shared/storage.ts'
import { type StorageDriver, StorageRefused } from './driver.ts'
import { createS3Storage } from './s3/driver.ts'
import { originOf, type Patience } from './s3/requests.ts'

/** Buckets of spaces. */
export interface ExternalStorages {
  /** A bucket as its owner names it, without our own prefix. Throws StorageRefused for one that we may not reach. */
  open(
    location: S3Location,
    credentials: S3Credentials,
    patience?: Partial<Patience>,
  ): { driver: StorageDriver; http: OutgoingHttp }
  /** What is kept of a space's bucket; throws StorageRefused when it is not known (any more). */
  driverOf(spaceId: number, id: string): Promise<StorageDriver>
  /** Where new files of the space go, if it has a bucket of its own. */
  presentOf(spaceId: number): Promise<{ name: string; driver: StorageDriver } | null>
  /** The `_id` of that one. */
  idOf(db: Db, spaceId: number): Promise<string | null>
  /** The keys as they are kept in the row. */
  seal(id: string, credentials: S3Credentials): string
  /** null: they were sealed with an encryption key that is gone. */
  unseal(id: string, sealed: string): S3Credentials | null
  /** The row has changed. Other processes come to know of it within seconds. */
  forget(id: string): void
  close(): Promise<void>
}

/** For how long a row is taken for what it was, in milliseconds: other processes may change it. */
const rememberedFor = 5_000

const purposeOf = (id: string) => `external storage ${id}`

/** What a space's bucket holds of ours lies below a name of its own, so that nothing else can ever be taken for it. */
export const ownPrefix = (location: S3Location, id: string): S3Location => ({
  ...location,
  prefix: `${location.prefix}imori-${id}/`,
})

export function createExternalStorages(config: Config, keyring: Keyring, db: Db): ExternalStorages {
  const drivers = new LRUCache<string, Promise<StorageDriver>>({ max: 500, ttl: rememberedFor })
  const guarded = createOutgoingHttp()
  const trusted = new Map<string, OutgoingHttp>()

  /** The way out to a bucket: any public address over https, or what the operator allows. */
  function gateTo(location: S3Location): OutgoingHttp {
    if (!config.storage.privateOrigins.includes(new URL(location.endpoint).origin)) {
      if (!location.endpoint.startsWith('https:')) throw new StorageRefused('insecure')
      return guarded
    }
    const origin = originOf(location)
    const gate = trusted.get(origin) ?? createOutgoingHttp({ allowPrivate: [origin] })
    trusted.set(origin, gate)
    return gate
  }

  const open: ExternalStorages['open'] = (location, credentials, patience = {}) => {
    if (!URL.canParse(originOf(location))) throw new StorageRefused('notS3')
    const http = gateTo(location)
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
    async close() {
      await Promise.all([guarded.close(), ...[...trusted.values()].map((gate) => gate.close())])
    },
  }
}
