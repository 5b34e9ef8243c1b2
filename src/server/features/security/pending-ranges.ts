import { writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import * as rows from './security.repository.ts'

/** Restores the former ranges if pending ranges ended unconfirmed. Otherwise does nothing. */
export async function revertUnconfirmedRanges(ctx: SpaceContext): Promise<void> {
  await revert(ctx, 'ipRanges')
  await revert(ctx, 'tokenIpRanges')
}

async function revert({ db, scope, actor }: SpaceContext, key: rows.RangesName): Promise<void> {
  const reverted = await rows.revertUnconfirmed(db, scope, key)
  if (!reverted) return
  const change = { key, ...(reverted.unconfirmed ? { before: reverted.unconfirmed } : {}) }
  await writeAudit(db, scope, {
    // The log is sealed, so the act of existing entries cannot be renamed.
    act: 'security.endTrial',
    outcome: 'done',
    actor,
    object: { kind: 'security', id: null, name: null },
    details: { changes: [{ ...change, ...(reverted.restored ? { after: reverted.restored } : {}) }] },
  })
}
