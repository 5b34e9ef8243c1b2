import type { Notices } from '#server/content/notices.ts'
import { NoticedCache } from '#server/content/registry.ts'
import type { Database } from '#server/db/connection.ts'
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

type TokenColumns = Omit<DeliveryToken, 'expiresAt' | 'from'> & {
  expiresAt: Date | null
  ranges: string[] | null
}

export interface Tokens {
  /** The token of an Authorization header; undefined when there is none of that value. */
  find(authorization: string | undefined): Promise<DeliveryToken | undefined>
  /** Notes that a token was used: written at most once a minute, and never waited for. */
  used(token: DeliveryToken): void
  /** Waits for what is still being written. */
  close(): Promise<void>
}

const minute = 60_000
const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i

/** Tokens by the hash of their value, remembered (also that there is none) until some token changes. */
export function createTokens(
  { pool, deliveryPool }: Pick<Database, 'pool' | 'deliveryPool'>,
  notices: Notices,
  onError: (error: unknown) => void,
): Tokens {
  const known = new NoticedCache<string, DeliveryToken | undefined>(notices, 5000)
  notices.subscribe(({ kind }) => {
    if (kind === 'token' || kind === 'reset') known.clear()
  })
  const written = new Map<string, number>()
  const writing = new Set<Promise<unknown>>()

  async function load(hash: Buffer): Promise<DeliveryToken | undefined> {
    const { rows } = await deliveryPool.query<TokenColumns>({
      name: 'delivery token',
      text: `SELECT t.id, t.space_id AS "spaceId", t.kind, t.app_ids AS "appIds",
          t.expires_at AS "expiresAt", y.token_ip_ranges AS ranges FROM token t
        JOIN space s ON s.id = t.space_id AND s.deleted_at IS NULL
        LEFT JOIN space_security y ON y.space_id = t.space_id WHERE t.value_hash = $1`,
      values: [hash],
    })
    const [row] = rows
    if (!row) return undefined
    const { expiresAt, ranges, ...token } = row
    return { ...token, expiresAt: expiresAt?.getTime() ?? null, from: ranges && ipRanges(ranges) }
  }

  return {
    async find(authorization) {
      const value = authorization && bearer.exec(authorization)?.[1]
      if (!value) return undefined
      const hash = sha256(value)
      return known.get(hash.toString('base64'), () => load(hash))
    },
    used({ id }) {
      const now = Date.now()
      if (now - (written.get(id) ?? 0) < minute) return
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
