import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from './scope.ts'

/** The channel for notices between processes of an installation. Notices are sent when their transaction commits. */
export const noticeChannel = 'imori'

const noticeSchema = z.discriminatedUnion('kind', [
  /** Documents of the model, or the model itself, have changed. */
  z.object({ kind: z.literal('model'), modelId: z.int() }),
  /** Apps or models of the space have changed. */
  z.object({ kind: z.literal('registry'), spaceId: z.int() }),
  /** Field indexes were built or dropped. */
  z.object({ kind: z.literal('indexes') }),
])
export type Notice = z.infer<typeof noticeSchema>

/** Notifies all processes of a change when this transaction commits. */
export async function notify(db: Db, notice: Notice): Promise<void> {
  await sql`SELECT ${notifying(notice)}`.execute(db)
}

/** Returns an expression that sends the notice. A statement that changes a row anyway can select or return it. */
export const notifying = (notice: Notice) =>
  sql<string>`pg_notify(${noticeChannel}, ${JSON.stringify(notice)})::text`

/** Parses a notice. `undefined` for unknown notices, because a newer version may send other kinds. */
export function readNotice(payload: string | undefined): Notice | undefined {
  try {
    return noticeSchema.safeParse(JSON.parse(payload ?? '')).data
  } catch {
    return undefined
  }
}
