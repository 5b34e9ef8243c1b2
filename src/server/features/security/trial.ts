import { writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import * as rows from './security.repository.ts'

/** Restores the ranges from before a trial that ended unconfirmed; does nothing otherwise. */
export async function endTrial({ db, scope, actor }: SpaceContext): Promise<void> {
  const ended = await rows.endTrial(db, scope)
  if (!ended) return
  const change = { key: 'ipRanges', ...(ended.tried ? { before: ended.tried } : {}) }
  await writeAudit(db, scope, {
    act: 'security.endTrial',
    outcome: 'done',
    actor,
    object: { kind: 'security', id: null, name: null },
    details: { changes: [{ ...change, ...(ended.now ? { after: ended.now } : {}) }] },
  })
}
