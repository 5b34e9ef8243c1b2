import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import { batching } from '#server/lib/batching.ts'
import { sha256 } from '#server/lib/ids.ts'
import { type IpRanges, ipRanges } from '#server/lib/ip-ranges.ts'

/** The columns of a token that the delivery API needs. */
export interface DeliveryToken {
  id: string
  spaceId: number
  kind: 'cdn' | 'api'
  /** Keys of the apps that the token may read; null: every app of the space. */
  appIds: number[] | null
  /** Expiry in milliseconds since 1970; null: does not expire. */
  expiresAt: number | null
  /** IP ranges that may use the token; null: any address. */
  from: IpRanges | null
  /**
   * Set while the ranges in `from` are pending. `endsAt`: time in milliseconds since 1970 at which they end. `before`:
   * ranges that apply afterwards; null: any address.
   */
  pending: { endsAt: number; before: IpRanges | null } | null
}

/**
 * Returns the IP ranges that may use the token now; null: any address. If the pending ranges have ended, returns the
 * previous ones.
 */
export const allowedAddresses = ({
  from,
  pending,
}: Pick<DeliveryToken, 'from' | 'pending'>): IpRanges | null =>
  pending !== null && pending.endsAt <= Date.now() ? pending.before : from

/** A token, and the `tokens` version of its space when it was read (content/versions.ts). */
export interface KnownToken {
  token: DeliveryToken
  version: string
}

type TokenColumns = Omit<DeliveryToken, 'expiresAt' | 'from' | 'pending'> & {
  hash: string
  version: string
  expiresAt: Date | null
  ranges: string[] | null
  pendingUntil: Date | null
  rangesBefore: string[] | null
}

export interface Tokens {
  /**
   * Returns the token of an `Authorization` header: the cached one if it matches `version`, otherwise the one in the
   * database. Without `version`, any cached token matches. undefined: no such token.
   */
  find(authorization: string | undefined, version?: string): Promise<KnownToken | undefined>
  /** Records a use of the token in the background: at most once a minute per process. */
  used(token: DeliveryToken): void
  /** Waits for pending writes. */
  close(): Promise<void>
}

const minute = 60_000
const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i

/** Creates a cache of tokens by the hash of their value. Missing tokens are not cached. */
export function createTokens(
  { pool, deliveryPool }: Pick<Database, 'pool' | 'deliveryPool'>,
  onError: (error: unknown) => void,
): Tokens {
  const known = new LRUCache<string, KnownToken>({ max: 5000 })
  const written = new Map<string, number>()
  const writing = new Set<Promise<unknown>>()

  /** Loads tokens by base64 hash. Concurrent requests share one statement. */
  const load = batching(async (hashes: string[]) => {
    const { rows } = await deliveryPool.query<TokenColumns>({
      name: 'delivery tokens',
      text: `SELECT encode(t.value_hash, 'base64') AS hash, v.tokens AS version, t.id, t.space_id AS "spaceId", t.kind,
          t.app_ids AS "appIds", t.expires_at AS "expiresAt", y.token_ip_ranges AS ranges,
          y.token_ip_ranges_pending_until AS "pendingUntil", y.token_ip_ranges_before AS "rangesBefore" FROM token t
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

function knownToken({ hash: _hash, version, expiresAt, ...row }: TokenColumns): KnownToken {
  const { ranges, pendingUntil, rangesBefore, ...token } = row
  const from = ranges && ipRanges(ranges)
  const pending = pendingUntil && {
    endsAt: pendingUntil.getTime(),
    before: rangesBefore && ipRanges(rangesBefore),
  }
  return { token: { ...token, expiresAt: expiresAt?.getTime() ?? null, from, pending }, version }
}
