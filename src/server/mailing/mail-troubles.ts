import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { JobError } from '#shared/contract/jobs.ts'

/** Unsent mails of the last seven days with at least one failed attempt. */
export interface MailTroubles {
  /** Number of mails that are being retried or will be retried. */
  waiting: number
  /** Number of mails that are not retried automatically. */
  givenUp: number
  /** Error of the newest of these mails that has an error. `null`: no mail has an error. */
  error: Pick<JobError, 'code' | 'message'> | null
}

/**
 * Returns the numbers of unsent mails with failed attempts, and the newest error. `null` if there are no such mails.
 * `scope` limits the result to the mails of this space.
 */
export async function findMailTroubles(db: Db, scope?: SpaceScope): Promise<MailTroubles | null> {
  const ofSpace = scope ? sql`AND space_id = ${scope.spaceId}` : sql``
  const { rows } = await sql<MailTroubles>`
    SELECT (count(*) FILTER (WHERE state IN ('waiting', 'running')))::int AS waiting,
      (count(*) FILTER (WHERE state IN ('failed', 'stopped')))::int AS "givenUp",
      (array_agg(error ORDER BY created_at DESC) FILTER (WHERE error IS NOT NULL))[1] AS error
    FROM job
    WHERE name = 'mail.send' AND created_at > now() - interval '7 days'
      AND (state IN ('failed', 'stopped') OR (state IN ('waiting', 'running') AND failures > 0))
      ${ofSpace}`.execute(db)
  const [found] = rows
  return found && found.waiting + found.givenUp > 0 ? found : null
}
