import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from './scope.ts'

/** What processes of an installation tell each other: on this channel, when the transaction that tells it commits. */
export const noticeChannel = 'imori'

const noticeSchema = z.discriminatedUnion('kind', [
  /** Documents of the model, or the model itself, have changed. */
  z.object({ kind: z.literal('model'), modelId: z.int() }),
  /** Apps or models of the space have changed. */
  z.object({ kind: z.literal('registry'), spaceId: z.int() }),
  /** Indexes on fields were made or dropped. */
  z.object({ kind: z.literal('indexes') }),
])
export type Notice = z.infer<typeof noticeSchema>

/** Tells every process, when this transaction commits, what has changed. */
export async function notify(db: Db, notice: Notice): Promise<void> {
  await sql`SELECT ${notifying(notice)}`.execute(db)
}

/** The same for a statement that changes something anyway: to be selected or returned with a row of it. */
export const notifying = (notice: Notice) =>
  sql<string>`pg_notify(${noticeChannel}, ${JSON.stringify(notice)})::text`

/** Undefined for what is not one of ours (a newer version may know more kinds). */
export function readNotice(payload: string | undefined): Notice | undefined {
  try {
    return noticeSchema.safeParse(JSON.parse(payload ?? '')).data
  } catch {
    return undefined
  }
}
