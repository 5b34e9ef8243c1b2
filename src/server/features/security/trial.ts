import { writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import * as rows from './security.repository.ts'

/** Restores the former ranges if pending ranges ended unconfirmed. Otherwise does nothing. */
export async function endTrials(ctx: SpaceContext): Promise<void> {
  await endTrial(ctx, 'ipRanges')
  await endTrial(ctx, 'tokenIpRanges')
}

async function endTrial({ db, scope, actor }: SpaceContext, key: rows.RangesName): Promise<void> {
  const ended = await rows.endTrial(db, scope, key)
  if (!ended) return
  const change = { key, ...(ended.tried ? { before: ended.tried } : {}) }
  await writeAudit(db, scope, {
    act: 'security.endTrial',
    outcome: 'done',
    actor,
    object: { kind: 'security', id: null, name: null },
    details: { changes: [{ ...change, ...(ended.now ? { after: ended.now } : {}) }] },
  })
}
