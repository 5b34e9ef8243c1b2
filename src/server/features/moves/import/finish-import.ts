import { inTransaction } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import type { MoveRow } from '../store/moves.repository.ts'
import { updateMove } from '../store/moves.repository.ts'
import type { MoveWork } from './import-context.ts'

/** Stores the report of an import that has filled a new app, and records the event `app.imported`. */
export function finishImport(
  { db, scope, moveId, caller, appId }: MoveWork & { appId: number },
  report: NonNullable<MoveRow['report']>,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await updateMove(tx, scope, moveId, { state: 'imported', report, finishedAt: new Date() })
    const { documents } = report
    await recordEvent(tx, scope, 'app.imported', { documents }, { appId, actor: caller.actor })
  })
}
