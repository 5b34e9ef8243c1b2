import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import type { DeliveryToken } from './tokens.ts'

/** The sender of a request according to its headers, which are untrusted. */
export interface Caller {
  origin?: string | undefined
  referer?: string | undefined
  agent?: string | undefined
}

export interface SiteRequests {
  /** Records that the caller reads a model: at most once a minute per caller and model, in the background. */
  note(token: DeliveryToken, modelId: number, caller: Caller): void
  /** Waits for pending writes. */
  close(): Promise<void>
}

const minute = 60_000
/**
 * Maximum number of callers in memory over all models. Above it, callers that are removed are written more often than
 * once a minute.
 */
const mostRemembered = 10_000
/** Approximate maximum of stored callers per model. Any client with a token can send any names. */
const mostKept = 100

/** Creates the recorder of the sites and programs that read each model (`features/site-requests`). */
export function createSiteRequests(
  { pool }: Pick<Database, 'pool'>,
  onError: (error: unknown) => void,
): SiteRequests {
  let written: LRUCache<string, number> | undefined
  const writing = new Set<Promise<unknown>>()
  return {
    note({ kind, spaceId }, modelId, caller) {
      const site = originOf(caller)
      const agent = site === '' ? agentOf(caller.agent) : ''
      const key = `${modelId} ${kind} ${site} ${agent}`
      const now = performance.now()
      written ??= new LRUCache({ max: mostRemembered })
      if (now - (written.get(key) ?? Number.NEGATIVE_INFINITY) < minute) return
      written.set(key, now)
      const write = pool
        .query(
          `WITH again AS (UPDATE site_request SET last_at = now()
            WHERE space_id = $1 AND model_id = $2 AND kind = $3 AND site = $4 AND agent = $5 RETURNING 1),
          old AS (DELETE FROM site_request WHERE space_id = $1 AND model_id = $2 AND last_at < now() - interval '30 days'
            AND (kind, site, agent) <> ($3, $4, $5))
          INSERT INTO site_request (space_id, model_id, kind, site, agent)
          SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT FROM again)
            AND EXISTS (SELECT FROM model WHERE space_id = $1 AND id = $2)
            AND (SELECT count(*) FROM site_request WHERE space_id = $1 AND model_id = $2) < $6
          ON CONFLICT DO NOTHING`,
          [spaceId, modelId, kind, site, agent, mostKept],
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

/** Returns the origin of the requesting page; '' if the headers name no page. */
function originOf({ origin, referer }: Caller): string {
  const said = origin ?? referer ?? ''
  const found = /^https?:\/\/[\w.:[\]-]{1,180}(?=$|[/?#])/i.exec(said)
  return found ? found[0].toLowerCase() : ''
}

/** Returns the first product of a `User-Agent`, such as `axios/1.7.9` or `node`; '' if no product is found. */
const agentOf = (said = ''): string => /^[\w./ +-]{1,60}?(?=$|[ (;])/.exec(said)?.[0] ?? ''
