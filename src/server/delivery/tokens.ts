import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import { batching } from '#server/lib/batching.ts'
import { sha256 } from '#server/lib/ids.ts'
import { type IpRanges, ipRanges } from '#server/lib/ip-ranges.ts'

/** A token as far as reading needs it. */
export interface DeliveryToken {
  id: string
  spaceId: number
  kind: 'cdn' | 'api'
  /** Keys of the apps it may read; null: every app of the space. */
  appIds: number[] | null
  /** When it ends, in milliseconds; null: not by itself. */
  expiresAt: number | null
  /** From where it may be used; null: from anywhere. */
  from: IpRanges | null
}

/** A token with the version of its space's tokens that it was read with (content/versions.ts). */
export interface KnownToken {
  token: DeliveryToken
  version: string
}

type TokenColumns = Omit<DeliveryToken, 'expiresAt' | 'from'> & {
  hash: string
  version: string
  expiresAt: Date | null
  ranges: string[] | null
}

export interface Tokens {
  /**
   * What is remembered of the token of an Authorization header, or what it is now where nothing is, or where that is not of
   * this `version`. undefined: there is none of that value.
   */
  find(authorization: string | undefined, version?: string): Promise<KnownToken | undefined>
  /** Notes that a token was used: written at most once a minute, and never waited for. */
  used(token: DeliveryToken): void
  /** Waits for what is still being written. */
  close(): Promise<void>
}

const minute = 60_000
const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i

/** Tokens by the hash of their value, remembered; that there is none of a value is not. */
export function createTokens(
  { pool, deliveryPool }: Pick<Database, 'pool' | 'deliveryPool'>,
  onError: (error: unknown) => void,
): Tokens {
  const known = new LRUCache<string, KnownToken>({ max: 5000 })
  const written = new Map<string, number>()
  const writing = new Set<Promise<unknown>>()

  /** By hash, in base64. Who asks at the same time, with whatever value, shares the statement. */
  const load = batching(async (hashes: string[]) => {
    const { rows } = await deliveryPool.query<TokenColumns>({
      name: 'delivery tokens',
      text: `SELECT encode(t.value_hash, 'base64') AS hash, v.tokens AS version, t.id, t.space_id AS "spaceId", t.kind,
          t.app_ids AS "appIds", t.expires_at AS "expiresAt", y.token_ip_ranges AS ranges FROM token t
        JOIN space s ON s.id = t.space_id AND s.deleted_at IS NULL
        JOIN space_delivery v ON v.space_id = t.space_id
        LEFT JOIN space_security y ON y.space_id = t.space_id WHERE t.value_hash = ANY($1)`,
      values: [[...new Set(hashes)].map((hash) => Buffer.from(hash, 'base64'))],
    })
    return new Map(rows.map((row) => [row.hash, knownToken(row)]))
  }, 2)

  return {
    async find(authorization, version) {
      const value = authorization && bearer.exec(authorization)?.[1]
      if (!value) return undefined
      const hash = sha256(value).toString('base64')
      const remembered = known.get(hash)
      if (remembered && (version === undefined || remembered.version === version)) return remembered
      const found = (await load(hash)).get(hash)
      if (found) known.set(hash, found)
      else known.delete(hash)
      return found
    },
    used({ id }) {
      const now = performance.now()
      if (now - (written.get(id) ?? Number.NEGATIVE_INFINITY) < minute) return
      written.set(id, now)
      const write = pool
        .query(
          `UPDATE token SET last_used_at = now()
           WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
          [id],
        )
        .catch(onError)
        .finally(() => writing.delete(write))
      writing.add(write)
    },
    async close() {
      await Promise.all(writing)
    },
  }
}

function knownToken({ hash: _hash, version, expiresAt, ranges, ...token }: TokenColumns): KnownToken {
  const from = ranges && ipRanges(ranges)
  return { token: { ...token, expiresAt: expiresAt?.getTime() ?? null, from }, version }
}
