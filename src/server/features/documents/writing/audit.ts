import { isDeepStrictEqual } from 'node:util'
import { noteAudit } from '#server/access/audit.ts'
import type { AuditAct } from '#shared/audit.ts'
import { titleOf } from '#shared/fields/document.ts'
import type { DocumentRecord } from '../store/documents.repository.ts'
import type { Session } from './write.ts'

/** Records the names of changed fields for the audit log. Their values are in the revisions. */
export function note(
  { ctx, model }: Session,
  act: AuditAct,
  before: DocumentRecord | null,
  after: DocumentRecord,
  blind = false,
): void {
  const changed = model.fields.filter(
    ({ _id }) => !isDeepStrictEqual(before?.current[_id], after.current[_id]),
  )
  noteAudit(ctx, {
    act,
    objectId: after.id,
    objectName: titleOf(model, after.current),
    before: before ? stateOf(before) : {},
    after: { ...stateOf(after), ...(before ? { fields: changed.map(({ uid }) => uid).join(', ') } : {}) },
    ...(blind ? { facts: { blind } } : {}),
  })
}

function stateOf({ version, pub, hasDraft }: DocumentRecord) {
  return { version, status: pub === null ? 'draft' : hasDraft ? 'changed' : 'published' }
}
